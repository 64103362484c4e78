import { newId } from '@agent-wallet/kernel';
import { keyText } from '../../encoding/keys.js';
import type { FaultBoard, FaultSubject } from '../../faults/fault-board.js';
import type { JsonReply, JsonRequest } from '../../http/json-server.js';
import type { Market } from '../../market/market.js';
import { bestOffer } from './best-offer.js';
import { mintsOf, movedBps } from './executions.js';
import type { FeeSchedule } from './network-fees.js';
import type { Offer } from './offer.js';
import { orderResponse, type ValueSource } from './order-response.js';
import type { OrderBook } from './order-book.js';
import { type OrderQuery, readOrderQuery } from './order-query.js';
import { type MadeTransaction, makeTransaction } from './order-transaction.js';

/** What giving orders needs. */
interface OrderContext extends ValueSource {
  readonly market: Market;
  readonly faults: FaultBoard;
  readonly fees: FeeSchedule;
  readonly book: OrderBook;
}

/** GET order: the best offer, as a transaction to sign when a taker is named. @throws BadRequest */
export function giveOrder(context: OrderContext, request: JsonRequest): JsonReply {
  const startedMs = performance.now();
  const requestId = newId();
  const isV2 = request.path.startsWith('/swap/v2');
  const query = readOrderQuery(request.query);
  const subject = subjectOf(request.path, query);
  const offer = context.faults.take('aggregator', 'noRoute', subject) ? undefined : bestOffer(context, query);
  if (!offer) return { status: 400, body: { error: 'Failed to get quotes', ...(isV2 && { requestId }) } };
  const fees = context.fees.next(query);
  const made = makeTransaction(context, query, { offer, fees, subject });
  if (made?.message && query.taker !== undefined) {
    const { tipLamports } = fees;
    context.book.add({ requestId, offer, taker: query.taker, message: made.message, tipLamports });
  }
  movePrice(context, offer, subject);
  const facts = {
    requestId,
    isManual: query.slippageBps !== undefined,
    taker: query.taker,
    payer: query.payer,
    fees,
    startedMs,
  };
  const body = orderResponse(offer, { ...facts, ...transactionFacts(made, offer, isV2) }, context);
  return { body };
}

/** With a fault that names the order's path the caller sees the price move before there is a signature. */
function movePrice({ faults, market }: OrderContext, offer: Offer, subject: FaultSubject): void {
  if (!faults.take('aggregator', 'slippage', { ...subject, byDefault: false })) return;
  market.moveAgainst(...mintsOf(offer), movedBps(offer));
}

function transactionFacts(made: MadeTransaction | undefined, offer: Offer, isV2: boolean) {
  const height = isV2 && offer.router === 'metis' && made?.message ? made.lastValidBlockHeight : undefined;
  return {
    rentLamports: made?.rentLamports ?? 0n,
    transaction: made ? made.transaction : null,
    problem: made?.problem,
    lastValidBlockHeight: height === undefined ? undefined : String(height),
  };
}

function subjectOf(path: string, { taker }: OrderQuery): FaultSubject {
  return { path, byDefault: true, addresses: () => new Set(taker === undefined ? [] : [keyText(taker)]) };
}
