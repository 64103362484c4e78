import { type Clock, RecentlyUsed, type Scheduler, systemScheduler, withTimeout } from '@agent-wallet/kernel';
import type { SolanaChain } from './solana-chain.js';

/** A message whose priority fee is looked for. */
export interface PricedMessage {
  /** Accounts that it writes to and that others write to as well. Only the sender wants its own. */
  readonly accounts: readonly string[];
  /** The most compute units that it may be given, its salt included. */
  readonly units: number;
}

/** Priority fees of the messages that a service builds. */
export interface PriorityFees {
  /** Returns the lamports to offer, 0 in a quiet market. It never fails: a node that does not answer within a second leaves the last price. */
  lamportsFor(message: PricedMessage): Promise<bigint>;
  /** Offers twice as much for two minutes: a message that was built here expired. */
  noteExpiry(): void;
}

/** Options of priority fees. */
export interface PriorityFeesOptions {
  readonly chain: Pick<SolanaChain, 'recentPriorityPrices'>;
  readonly clock: Clock;
  /** The most that one message offers; 0 for none. */
  readonly maxLamports: bigint;
  readonly scheduler?: Scheduler;
}

/** Bounds of what one message may offer. The signer signs no fee above 100,000 lamports, two signatures included. */
export const PRIORITY_FEE_LAMPORTS = { most: 90_000, byDefault: 50_000 } as const;

/** The share of recent slots that took a transaction at the offered price. */
const PERCENT_OF_SLOTS = 90;
/** A node that takes longer leaves the last price: a payment does not wait for a hint. */
const ANSWER_LIMIT_MS = 1_000;
/** A price is used for so long. */
const KEPT_MS = 2_000;
const MAX_KEPT = 1_000;
const MICRO_LAMPORTS = 1_000_000n;

/** Time for which an expiry raises what is offered. */
const RAISED_MS = 120_000;
/** The least price while raised, in micro-lamports: a market that looks quiet to the node may not be. */
const RAISED_PRICE = 20_000n;

interface KeptPrice {
  readonly askedAtMs: number;
  readonly price: Promise<bigint>;
}

/** Prices messages by what recent slots took for the accounts that they write to. */
export function openPriorityFees(options: PriorityFeesOptions): PriorityFees {
  const { chain, clock, maxLamports, scheduler = systemScheduler } = options;
  const kept = new RecentlyUsed<KeptPrice>(MAX_KEPT);
  let last = 0n;
  let expiredAtMs = -Infinity;
  const priceOf = (accounts: readonly string[]): Promise<bigint> => {
    const key = accounts.join();
    const nowMs = clock.nowMs();
    const known = kept.use(key);
    if (known && Math.abs(nowMs - known.askedAtMs) <= KEPT_MS) return known.price;
    const found = chain.recentPriorityPrices(accounts).then((prices) => (last = priceThatLands(prices)));
    const price = withTimeout(ANSWER_LIMIT_MS, found, undefined, scheduler).catch(() => last);
    kept.keep(key, { askedAtMs: nowMs, price });
    return price;
  };
  const raised = (price: bigint): bigint => {
    if (Math.abs(clock.nowMs() - expiredAtMs) > RAISED_MS) return price;
    return 2n * price > RAISED_PRICE ? 2n * price : RAISED_PRICE;
  };
  return {
    noteExpiry() {
      expiredAtMs = clock.nowMs();
    },
    async lamportsFor({ accounts, units }) {
      if (maxLamports === 0n) return 0n;
      const microLamports = raised(await priceOf(accounts)) * BigInt(units);
      const lamports = (microLamports + MICRO_LAMPORTS - 1n) / MICRO_LAMPORTS;
      return lamports < maxLamports ? lamports : maxLamports;
    },
  };
}

/** Returns the price at which a transaction would have landed in 90 of 100 slots; 0 without any. */
function priceThatLands(prices: readonly bigint[]): bigint {
  const ascending = [...prices].sort((one, other) => (one < other ? -1 : one > other ? 1 : 0));
  return ascending[Math.ceil((ascending.length * PERCENT_OF_SLOTS) / 100) - 1] ?? 0n;
}
