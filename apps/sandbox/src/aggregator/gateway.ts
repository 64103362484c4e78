import type { Clock } from '@agent-wallet/kernel';
import { randomUUID } from 'node:crypto';
import type { FaultBoard } from '../faults/fault-board.js';
import type { JsonReply, RequestHead } from '../http/json-server.js';
import { gatewayFault, TOO_MANY_REQUESTS } from './gateway-faults.js';
import { type RequestBudget, SlidingWindow, type LimitUsage } from './rate-limit.js';

/** What each organisation may do: the real API's largest plan. Sending has a bucket of its own. */
interface RequestBudgets {
  readonly calls: RequestBudget;
  readonly executions: RequestBudget;
}

export const PRO_PLAN: RequestBudgets = {
  calls: { limit: 9_000, windowMs: 60_000 },
  executions: { limit: 100, windowMs: 1_000 },
};

const SWAP_PATH = /^\/(swap\/v2|ultra\/v1)\/(order|execute)$/;

/** Keys look like this; callers without one share an organisation. */
const KEY = /^[\x21-\x7e]{1,200}$/;
const KEYLESS = '';

/** What stands in front of every route: keys, rate limits, request ids, and faults of the front. */
export class Gateway {
  private readonly windows: Record<keyof RequestBudgets, SlidingWindow>;
  private readonly standings = new WeakMap<RequestHead, LimitUsage>();

  constructor(
    private readonly faults: FaultBoard,
    private readonly clock: Clock,
    budgets: RequestBudgets,
  ) {
    this.windows = {
      calls: new SlidingWindow(budgets.calls),
      executions: new SlidingWindow(budgets.executions),
    };
  }

  /** Answers what goes no further. Faults that name no path are meant for orders. */
  admit(head: RequestHead): JsonReply | undefined {
    const { path, query, headers } = head;
    const key = headers['x-api-key']?.toString() ?? KEYLESS;
    if (key !== KEYLESS && !KEY.test(key))
      return { status: 401, body: { error: 'Unauthorized', message: 'Unauthorized' } };
    const window = this.windows[path === '/swap/v2/execute' ? 'executions' : 'calls'];
    const standing = window.take(key, this.clock.nowMs());
    this.standings.set(head, standing);
    if (standing.remaining < 0) return { status: 429, body: TOO_MANY_REQUESTS };
    const addresses = () => new Set([query.get('taker') ?? '']);
    return gatewayFault(this.faults, { path, byDefault: SWAP_PATH.test(path), addresses });
  }

  headers(status: number, head: RequestHead): Record<string, string> {
    const standing = this.standings.get(head);
    const isCounted = standing && (status === 200 || status === 429);
    return {
      'x-api-gateway-request-id': randomUUID(),
      ...(isCounted && {
        'x-ratelimit-current': String(standing.current),
        'x-ratelimit-remaining': String(standing.remaining),
        'x-ratelimit-reset': String(Math.ceil(standing.resetMs / 1000)),
      }),
    };
  }
}
