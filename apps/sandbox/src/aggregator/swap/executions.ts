import { setTimeout as sleep } from 'node:timers/promises';
import type { Chain } from '../../chain/chain.js';
import type { Landed } from '../../chain/ledger.js';
import type { WireTransaction } from '../../chain/wire-transaction.js';
import type { TransactionError } from '../../chain/svm-errors.js';
import { keyText } from '../../encoding/keys.js';
import type { FaultBoard, FaultSubject } from '../../faults/fault-board.js';
import type { Journal } from '../../journal/journal.js';
import type { Market } from '../../market/market.js';
import { type ExecuteReply, failed, failedOnChain, rejectedAtFinalCheck } from './execute-reply.js';
import { passesFinalCheck } from './maker-offer.js';
import type { Order } from './order-book.js';
import type { Offer } from './offer.js';
import { coSigned } from './signatures.js';
import { changeOf, readReceipt } from './wallet-change.js';

const POLL_MS = 10;
const TIMEOUT_MS = 30_000;

const BEYOND_BPS = 100;
const MOST_MOVED_BPS = 9_900;

/** What executing needs. */
export interface ExecutionContext {
  readonly chain: Chain;
  readonly market: Market;
  readonly faults: FaultBoard;
  readonly journal: Journal;
}

/** What came with a call of execute. */
export interface Sent {
  readonly tx: WireTransaction;
  readonly subject: FaultSubject;
}

/** Sends an order's signed transaction and waits until it is confirmed, or will not be. */
export async function runOrder(context: ExecutionContext, order: Order, sent: Sent): Promise<ExecuteReply> {
  const { chain, market } = context;
  const { offer } = order;
  const tx = offer.maker ? coSigned(sent.tx, market.maker.keypair) : sent.tx;
  // A taker may have sent it without us.
  if (chain.ledger.get(tx.signatures[0]!)) return outcome(context, order, { tx });
  const movesPrice = context.faults.take('aggregator', 'slippage', sent.subject) !== undefined;
  const refusal = await refusalOf(context, order, { sent, movesPrice });
  if (refusal) return refusal;
  const move = () => {
    if (isWithinTolerance(chain, tx)) market.moveAgainst(...mintsOf(offer), movedBps(offer));
  };
  if (movesPrice) move();
  const { error } = chain.simulate(tx, true);
  // What no block takes is not sent; what fails in a block is.
  if (typeof error === 'string') return failed(isAboutFunds(error) ? 'failedToLand' : 'invalid', offer.router);
  chain.accept(tx);
  await context.journal.synced();
  const reply = await outcome(context, order, { tx, ...(movesPrice && { whileItWaits: move }) });
  if (movesPrice) market.follow(...mintsOf(offer));
  return reply;
}

/** Why an order is not sent; undefined when it is. */
async function refusalOf(
  { chain, market, faults, journal }: ExecutionContext,
  { offer }: Order,
  { sent: { tx, subject }, movesPrice }: { sent: Sent; movesPrice: boolean },
): Promise<ExecuteReply | undefined> {
  const { router, maker } = offer;
  if (faults.take('aggregator', 'failedToLand', subject)) {
    // A maker's order never lands without its signature.
    if (!maker) chain.drop(tx);
    await journal.synced();
    return failed('failedToLand', router, maker ? undefined : keyText(tx.signatures[0]!));
  }
  const isLate = maker !== undefined && maker.expireAtSeconds * 1000 < chain.clock.nowMs();
  if (isLate || !chain.isFresh(tx)) return failed('expired', router);
  if (maker && (movesPrice || !passesFinalCheck(market, offer))) return rejectedAtFinalCheck();
  return undefined;
}

/** How far a price moves to be past what a trade tolerates. */
export function movedBps({ slippageBps }: Offer): number {
  return Math.min(slippageBps + BEYOND_BPS, MOST_MOVED_BPS);
}

export function mintsOf({ inputMint, outputMint }: Offer): [string, string] {
  return [keyText(inputMint), keyText(outputMint)];
}

function isWithinTolerance(chain: Chain, tx: WireTransaction): boolean {
  return !chain.ledger.get(tx.signatures[0]!) && chain.simulate(tx, true).error === null;
}

function isAboutFunds(error: string): boolean {
  return error === 'InsufficientFundsForFee' || error === 'AccountNotFound';
}

interface Waiting {
  readonly tx: WireTransaction;
  /** What happens again and again until it has landed. */
  readonly whileItWaits?: () => void;
}

async function outcome(context: ExecutionContext, order: Order, waiting: Waiting): Promise<ExecuteReply> {
  const landed = await confirmed(context.chain, waiting);
  await context.journal.synced();
  if (typeof landed === 'object') return landedReply(context, order, landed);
  return failed(landed, order.offer.router, keyText(waiting.tx.signatures[0]!));
}

async function confirmed(chain: Chain, { tx, whileItWaits }: Waiting): Promise<Landed | 'failedToLand' | 'timedOut'> {
  const deadlineMs = performance.now() + TIMEOUT_MS;
  for (;;) {
    const landed = chain.ledger.get(tx.signatures[0]!);
    if (landed && landed.slot <= chain.view().confirmed) return landed;
    if (!landed && !chain.isFresh(tx)) return 'failedToLand';
    if (performance.now() > deadlineMs) return 'timedOut';
    if (!landed) whileItWaits?.();
    await sleep(POLL_MS);
  }
}

function landedReply({ chain }: ExecutionContext, order: Order, landed: Landed): ExecuteReply {
  const { offer, taker, tipLamports } = order;
  const place = { signature: keyText(landed.signature), slot: String(landed.slot) };
  if (landed.error !== null) return failedOnChain(JSON.parse(landed.error) as TransactionError, offer.router, place);
  const receipt = readReceipt(landed, chain.ledger.read(landed));
  // A wallet that was robbed may have lost what it should have gained.
  const amount = (change: bigint) => String(change > 0n ? change : 0n);
  const inputAmount = amount(-changeOf(receipt, taker, offer.inputMint, tipLamports));
  const outputAmount = amount(changeOf(receipt, taker, offer.outputMint, tipLamports));
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
