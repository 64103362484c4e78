import { setTimeout as sleep } from 'node:timers/promises';
import { MalformedTransaction, readTransaction } from '../../chain/message.js';
import type { WireTransaction } from '../../chain/wire-transaction.js';
import { keyText } from '../../encoding/keys.js';
import type { JsonReply, JsonRequest } from '../../http/json-server.js';
import { ReplyLost } from '../../http/reply-lost.js';
import { gatewayFault } from '../gateway-faults.js';
import { type ExecuteReply, failed, isOpen, REFUSALS } from './execute-reply.js';
import { type ExecutionContext, runOrder, type Sent } from './executions.js';
import type { Order, OrderBook } from './order-book.js';
import { hasSigned } from './signatures.js';

/** POST execute: lands an order's signed transaction, once; the same body gets the same answer. @throws ReplyLost */
export async function execute(
  context: ExecutionContext & { readonly book: OrderBook },
  { path, body }: JsonRequest,
): Promise<JsonReply> {
  const read = readBody(context.book, body);
  if ('refusal' in read) return { status: 400, body: REFUSALS[read.refusal] };
  const { order, tx } = read;
  const subject = { path, byDefault: true, addresses: () => new Set([keyText(order.taker)]) };
  const refused = gatewayFault(context.faults, subject);
  if (refused) return refused;
  if (read.hasBadHeight) return { body: failed('badBlockHeight', order.offer.router) };
  const silence = context.faults.take('aggregator', 'timeoutAfterLanding', subject);
  const reply = await once(context, order, { tx, subject });
  if (silence) {
    await sleep(silence.delayMs);
    throw new ReplyLost();
  }
  return { body: reply };
}

/** The first execution is the only one; all others wait for its answer. */
function once(
  context: ExecutionContext & { readonly book: OrderBook },
  order: Order,
  sent: Sent,
): Promise<ExecuteReply> {
  if (!order.execution) {
    const forget = () => delete order.execution;
    context.book.keep(order);
    order.execution = runOrder(context, order, sent);
    // Where nothing was decided the next call looks again: it could not be written down, or is still on its way.
    order.execution.then(({ code }) => (isOpen(code) ? forget() : undefined), forget);
  }
  return order.execution;
}

type ReadBody = { refusal: keyof typeof REFUSALS } | { order: Order; tx: WireTransaction; hasBadHeight: boolean };

function readBody(book: OrderBook, body: unknown): ReadBody {
  const { requestId, signedTransaction, lastValidBlockHeight } = (body ?? {}) as Record<string, unknown>;
  if (typeof requestId !== 'string' || requestId === '') return { refusal: 'missingRequestId' };
  if (typeof signedTransaction !== 'string' || signedTransaction === '') return { refusal: 'missingTransaction' };
  const order = book.get(requestId);
  if (!order) return { refusal: 'unknownOrder' };
  const tx = decode(signedTransaction);
  if (!tx) return { refusal: 'invalidTransaction' };
  if (!tx.message.bytes.equals(order.message)) return { refusal: 'invalidMessage' };
  if (!hasSigned(tx, order.taker)) return { refusal: 'invalidTransaction' };
  const hasBadHeight = lastValidBlockHeight !== undefined && !isHeight(lastValidBlockHeight);
  return { order, tx, hasBadHeight };
}

function isHeight(value: unknown): boolean {
  return (typeof value === 'string' || typeof value === 'number') && /^\d{1,16}$/.test(String(value));
}

function decode(text: string): WireTransaction | undefined {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return undefined;
  try {
    return readTransaction(Buffer.from(text, 'base64'));
  } catch (error) {
    if (error instanceof MalformedTransaction) return undefined;
    throw error;
  }
}
