import { type Clock, formatAmount, systemClock } from '@agent-wallet/kernel';
import { type Order, UsageError } from '../command-line.js';
import type { Print } from '../print.js';
import type { Services } from '../services.js';
import { compareBooks } from './books.js';
import { type Command, Discrepancy } from './command.js';
import { type Difference, HistoryComparison } from './history-comparison.js';

const MINUTE_MS = 60_000;
const DEFAULT_SINCE_MS = 24 * 60 * MINUTE_MS;
/** How long history may lag behind before a difference is one. */
const SETTLE_MS = 5_000;
const MAX_PRINTED = 100;
const MS_DECIMALS = 3;

/** How time passes. */
export interface Timing {
  readonly clock: Clock;
  /** Between the first look and the second. */
  readonly settleMs: number;
}

const PARTS = ['books', 'history'];

/** Compares what is known twice: the books, and the operations that history tells of. */
export function reconcileWith({ clock, settleMs }: Timing): Command {
  const windowOf = ({ sinceMs = DEFAULT_SINCE_MS, olderThanMs = MINUTE_MS }: Order) => {
    const nowMs = clock.nowMs();
    return { fromMs: nowMs - sinceMs, untilMs: nowMs - olderThanMs };
  };
  const compareHistory = async (order: Order, services: Services, print: Print) => {
    const comparison = new HistoryComparison(services, settleMs);
    const window = windowOf(order);
    const { compared, differences } = await comparison.run(window);
    const [from, until] = [window.fromMs, window.untilMs].map((ms) => new Date(ms).toISOString());
    print(`${compared} operations accepted from ${from} to ${until} compared with history`);
    differences.slice(0, MAX_PRINTED).forEach((difference) => print(lineOf(difference)));
    if (differences.length > MAX_PRINTED) print(`… and ${differences.length - MAX_PRINTED} more`);
    if (differences.length === 0) return print('history agrees');
    const waited = formatAmount(BigInt(settleMs), MS_DECIMALS);
    throw new Discrepancy(`HISTORY DIFFERS in ${differences.length} of them, ${waited} seconds later still`);
  };
  return {
    check(order) {
      const { subject, command } = order;
      if (subject !== undefined && !PARTS.includes(subject)) throw new UsageError(`${command} takes books or history.`);
      const { fromMs, untilMs } = windowOf(order);
      if (fromMs >= untilMs) throw new UsageError(`${command} takes a --since that is longer than --older-than.`);
    },
    async run(order, services, print) {
      if (order.subject !== 'history') await compareBooks.run(order, services, print);
      if (order.subject === undefined) print('');
      if (order.subject !== 'books') await compareHistory(order, services, print);
    },
  };
}

export const reconcile: Command = reconcileWith({ clock: systemClock, settleMs: SETTLE_MS });

function lineOf({ what, said, told }: Difference): string {
  const theirs = `its service says ${said.state} (revision ${said.revision})`;
  const ours = told ? `history ${told.status} (revision ${told.revision})` : 'history does not know it';
  return `${what}  ${said.operationId}  ${said.action}  agent ${said.agentId}  ${theirs}, ${ours}`;
}
