import { setTimeout as sleep } from 'node:timers/promises';
import type { Chain } from '../../chain/chain.js';
import type { Landed } from '../../chain/ledger.js';
import { type WireTransaction } from '../../chain/message.js';
import type { TransactionError } from '../../chain/svm-errors.js';
import { keyText } from '../../encoding/keys.js';
import type { FaultBoard, FaultSubject } from '../../faults/fault-board.js';
import type { Journal } from '../../journal/journal.js';
import type { Market } from '../../market/market.js';
import { type ExecuteReply, failed, failedOnChain, refusedAtLastLook } from './execute-reply.js';
import { passesLastLook } from './maker-offer.js';
import type { Order } from './order-book.js';
import { BEYOND_BPS } from './orders.js';
import { coSigned } from './signatures.js';
import { changeOf, readReceipt } from './wallet-change.js';

const POLL_MS = 10;
const PATIENCE_MS = 30_000;

/** What executing needs. */
export interface ExecutionContext {
  readonly chain: Chain;
  readonly market: Market;
  readonly faults: FaultBoard;
  readonly journal: Journal;
}

/** Sends an order's signed transaction and waits until it is confirmed, or will not be. */
export async function runOrder(
  context: ExecutionContext,
  order: Order,
  { tx, subject }: { tx: WireTransaction; subject: FaultSubject },
): Promise<ExecuteReply> {
  const { chain } = context;
  const { router } = order.offer;
  // The first signature names it, and only the maker can write that of its own orders.
  const isOurs = router === 'metis' && chain.ledger.get(tx.signatures[0]!) !== undefined;
  const refusal = isOurs ? undefined : await refusalOf(context, order, { tx, subject });
  if (refusal) return refusal;
  const whole = router === 'metis' ? tx : coSigned(tx, context.market.maker.keypair);
  const signature = keyText(whole.signatures[0]!);
  if (!chain.ledger.get(whole.signatures[0]!)) {
    const run = chain.simulate(whole, true);
    // What no block takes is not sent; what fails in a block is.
    if (typeof run.error === 'string') return failed(isAboutFunds(run.error) ? 'failedToLand' : 'invalid', router);
    chain.accept(whole);
    await context.journal.synced();
  }
  const landed = await confirmed(chain, whole);
  return landed === 'dead' || landed === 'late'
    ? failed(landed === 'dead' ? 'failedToLand' : 'timedOut', router, signature)
    : landedReply(context, order, landed);
}

/** Why an order is not sent; undefined when it is. Faults that act here are used up. */
async function refusalOf(
  { chain, market, faults, journal }: ExecutionContext,
  order: Order,
  { tx, subject }: { tx: WireTransaction; subject: FaultSubject },
): Promise<ExecuteReply | undefined> {
  const { offer } = order;
  const { router, maker } = offer;
  if (faults.take('aggregator', 'failedToLand', subject)) {
    // The maker's order never lands without its signature.
    if (!maker) chain.drop(tx);
    await journal.synced();
    return failed('failedToLand', router, maker ? undefined : keyText(tx.signatures[0]!));
  }
  const isLate = maker ? maker.expireAtSeconds * 1000 < chain.clock.nowMs() : false;
  if (isLate || !chain.isFresh(tx)) return failed('expired', router);
  const moves = faults.take('aggregator', 'slippage', subject) !== undefined;
  if (maker) return moves || !passesLastLook(market, offer) ? refusedAtLastLook() : undefined;
  if (moves) market.moveAgainst(keyText(offer.inputMint), keyText(offer.outputMint), offer.slippageBps + BEYOND_BPS);
  return undefined;
}

function isAboutFunds(error: string): boolean {
  return error === 'InsufficientFundsForFee' || error === 'AccountNotFound';
}

async function confirmed(chain: Chain, tx: WireTransaction): Promise<Landed | 'dead' | 'late'> {
  const deadlineMs = performance.now() + PATIENCE_MS;
  for (;;) {
    const landed = chain.ledger.get(tx.signatures[0]!);
    if (landed && landed.slot <= chain.view().confirmed) return landed;
    if (!landed && !chain.isFresh(tx)) return 'dead';
    if (performance.now() > deadlineMs) return 'late';
    await sleep(POLL_MS);
  }
}

function landedReply({ chain }: ExecutionContext, order: Order, landed: Landed): ExecuteReply {
  const { offer, taker, tipLamports } = order;
  const place = { signature: keyText(landed.signature), slot: String(landed.slot) };
  if (landed.error !== null) return failedOnChain(JSON.parse(landed.error) as TransactionError, offer.router, place);
  const receipt = readReceipt(landed, chain.ledger.read(landed));
  const inputAmount = String(-changeOf(receipt, taker, offer.inputMint, tipLamports));
  const outputAmount = String(changeOf(receipt, taker, offer.outputMint, tipLamports));
  const [inputMint, outputMint] = [offer.inputMint, offer.outputMint].map(keyText) as [string, string];
  return {
    status: 'Success',
    code: 0,
    ...place,
    totalInputAmount: inputAmount,
    totalOutputAmount: outputAmount,
    inputAmountResult: inputAmount,
    outputAmountResult: outputAmount,
    swapEvents: [{ inputMint, inputAmount, outputMint, outputAmount }],
  };
}
