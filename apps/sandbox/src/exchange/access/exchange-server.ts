import type { Clock } from '@agent-wallet/kernel';
import type { FaultBoard } from '../../faults/fault-board.js';
import type { JsonReply, RequestHead } from '../../http/json-server.js';
import { behindPrefix, frontFault, isOrderCreation, isOrderWrite, TOO_MANY_REQUESTS } from './exchange-faults.js';
import { BASIC, costOf, type Tier, TokenBucket } from './quota.js';
import { type ApiKey, type Caller, SignatureCheck } from './signature-check.js';

/** What is the account's own business. */
const PRIVATE = /^\/(portfolio|account)(\/|$)/;

interface DoorOptions {
  readonly faults: FaultBoard;
  /** The machine's clock: callers sign its time, even after an admin moved the exchange's. */
  readonly clock: Clock;
  /** Without a key no caller gets at the account. */
  readonly key: ApiKey | undefined;
  readonly tier?: Tier;
}

type Kind = 'read' | 'write';

/** What stands in front of every route: who asks, how often, and the faults of the front. */
export class ExchangeServer {
  readonly tier: Tier;
  private readonly signatures: SignatureCheck;
  private readonly buckets: Readonly<Record<'owner' | 'anonymous', Readonly<Record<Kind, TokenBucket>>>>;

  constructor(private readonly options: DoorOptions) {
    const { clock, key, tier = BASIC } = options;
    this.tier = tier;
    this.signatures = new SignatureCheck(key, clock);
    const buckets = () => ({
      read: new TokenBucket(tier.read, clock.nowMs()),
      write: new TokenBucket(tier.write, clock.nowMs()),
    });
    this.buckets = { owner: buckets(), anonymous: buckets() };
  }

  /** A reply ends the request. @param head its path with the API's prefix */
  async admit(head: RequestHead): Promise<JsonReply | undefined> {
    const { method, query } = head;
    const path = behindPrefix(head.path);
    const caller = this.signatures.callerOf(head);
    if (caller.kind === 'refused') return unauthorized(caller);
    if (caller.kind === 'anonymous' && PRIVATE.test(path))
      return unauthorized({ kind: 'refused', why: 'MISSING_PARAMETERS' });
    const bucket = this.buckets[caller.kind][method === 'GET' ? 'read' : 'write'];
    if (!bucket.take(costOf(method, head.path), this.options.clock.nowMs())) return TOO_MANY_REQUESTS;
    // Which market an order is about is in its body: its route looks for faults itself.
    if (isOrderCreation(method, path)) return undefined;
    const byDefault = isOrderWrite(method, path);
    return frontFault(this.options.faults, { method, path, byDefault, tickers: tickersOf(path, query) });
  }

  /** The same for the handshake of a WebSocket, which has to be signed for any subscription. */
  admitSocket(head: RequestHead): JsonReply | undefined {
    const caller = this.signatures.callerOf(head);
    if (caller.kind === 'owner') return undefined;
    return unauthorized(caller.kind === 'refused' ? caller : { kind: 'refused', why: 'MISSING_PARAMETERS' });
  }
}

function unauthorized({ why }: Extract<Caller, { kind: 'refused' }>): JsonReply {
  const error = { code: 'authentication_error', message: 'authentication_error', details: why };
  return { status: 401, body: { error } };
}

function tickersOf(path: string, query: URLSearchParams): string[] {
  const [, inPath] = /^\/markets\/([^/]+)/.exec(path) ?? [];
  const asked = ['ticker', 'tickers', 'market_ticker'].flatMap((name) => query.getAll(name));
  return [...(inPath === undefined ? [] : [inPath]), ...asked.flatMap((text) => text.split(','))];
}
