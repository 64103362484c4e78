import { VersionedTransaction } from '@solana/web3.js';
import { BLOCKHASH_LIFE } from '../../chain/chain-clock.js';
import type { Chain } from '../../chain/chain.js';
import type { Key } from '../../encoding/keys.js';
import type { FaultBoard, FaultSubject } from '../../faults/fault-board.js';
import type { Market } from '../../market/market.js';
import { bestOffer } from './best-offer.js';
import { compile, type Draft, newestBlockhash } from './draft.js';
import { corrupt, promising } from './adversarial.js';
import type { NetworkFees } from './network-fees.js';
import type { Offer, Plan, Problem } from './offer.js';
import type { OrderQuery } from './order-query.js';

/** A transaction for a taker, or why there is none. */
export interface MadeTransaction {
  /** Base64, unsigned; empty when none could be made. */
  readonly transaction: string;
  readonly message: Buffer | undefined;
  readonly lastValidBlockHeight: number;
  readonly rentLamports: bigint;
  readonly problem: Problem | undefined;
}

interface Making {
  readonly offer: Offer;
  readonly fees: NetworkFees;
  readonly subject: FaultSubject;
}

interface Maker {
  readonly chain: Chain;
  readonly market: Market;
  readonly faults: FaultBoard;
}

/** No such code in the documents for a transaction that is too large: the router's general one. */
const TOO_LARGE: Problem = { code: 3, message: 'The transaction could not be built' };

/** Puts an offer's transaction together; undefined without a signer. */
export function makeTransaction(maker: Maker, query: OrderQuery, making: Making): MadeTransaction | undefined {
  const { taker } = query;
  if (taker === undefined) return undefined;
  const plan = making.offer.plan(taker, making.fees, query.payer);
  const { rentLamports, problem } = plan;
  const { blockhash, lastValidBlockHeight } = newestBlockhash(maker.chain, BLOCKHASH_LIFE);
  const nothing = { transaction: '', message: undefined, lastValidBlockHeight, rentLamports };
  if (problem) return { ...nothing, problem };
  try {
    const draft = draftOf(maker, { ...query, taker }, { ...making, plan });
    const transaction = new VersionedTransaction(compile(draft, blockhash));
    const message = Buffer.from(transaction.message.serialize());
    const text = Buffer.from(transaction.serialize()).toString('base64');
    return { transaction: text, message, lastValidBlockHeight, rentLamports, problem: undefined };
  } catch (error) {
    if (error instanceof RangeError) return { ...nothing, problem: TOO_LARGE };
    throw error;
  }
}

/** The honest draft, unless a fault wants another. */
function draftOf(maker: Maker, query: OrderQuery & { taker: Key }, making: Making & { plan: Plan }): Draft {
  const { offer, plan, fees, subject } = making;
  const fault = maker.faults.take('aggregator', 'maliciousTransaction', subject);
  const kind = fault?.match.kind;
  if (!fault || !kind) return plan.draft;
  if (kind !== 'higherInput') {
    const { taker, amount: inAmount } = query;
    return corrupt(kind, { chain: maker.chain, taker, inAmount, plan, variant: fault.used - 1 });
  }
  // Half as much again, with the promises of the honest trade.
  const more = bestOffer(maker, {
    ...query,
    amount: offer.inAmount + offer.inAmount / 2n + 1n,
    excludeRouters: others(offer),
  });
  return promising((more ?? offer).plan(query.taker, fees, query.payer).draft, offer.outAmount);
}

function others({ router }: Offer): ReadonlySet<string> {
  return new Set([router === 'metis' ? 'jupiterz' : 'metis']);
}
