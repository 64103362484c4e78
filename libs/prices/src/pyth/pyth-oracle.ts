import type { Clock, SolanaNetwork } from '@agent-wallet/kernel';
import type { ChainAccount } from '@agent-wallet/solana';
import type { Oracle, OraclePrice, OracleUnavailable } from '../counting-prices.js';
import type { PriceClock } from '../price-clock.js';
import type { ReadingOptions } from '../price-source.js';
import { type Feed, pythFeeds, type PythPrograms } from './feeds.js';
import { type FeedPrice, readPriceAccount } from './price-account.js';

/** An operator's settings of Pyth. */
export interface PythSettings {
  /** The network whose named tokens have feeds. */
  readonly network: SolanaNetwork;
  readonly programs: PythPrograms;
  /** The oldest price that counts, in milliseconds. */
  readonly maxAgeMs: number;
}

/** Dependencies of the oracle. */
export interface PythOracleOptions extends PythSettings {
  /** Reads accounts, null where nothing lives. */
  readonly chain: {
    accounts(addresses: readonly string[]): Promise<{ readonly accounts: readonly (ChainAccount | null)[] }>;
  };
  readonly priceClock: Pick<PriceClock, 'nowMs'>;
  readonly clock: Clock;
  /** Called once, with the mints whose feeds have no price account on this chain. */
  readonly onMissing?: (mints: readonly string[]) => void;
}

/** A set of accounts that was read in one call. */
interface Reading {
  readonly readAtMs: number;
  readonly prices: Promise<ReadonlyMap<string, FeedPrice | undefined>>;
}

/** Time for which a reading is shared. An update is never that urgent: the aggregator's price is up to 5 s old. */
const KEPT_MS = 2_000;
/** A confidence beyond this share of the price says that the publishers do not agree. */
const MAX_CONFIDENCE_PERCENT = 2n;

/**
 * Reads prices from the accounts of Pyth's feeds on the chain. There are few feeds, so all are read in one call, which
 * concurrent callers share.
 */
export function pythOracle(options: PythOracleOptions): Oracle {
  return new PythOracle(options);
}

class PythOracle implements Oracle {
  readonly #feeds: readonly Feed[];
  readonly #mints: ReadonlySet<string>;
  #reading: Reading | undefined;
  #isMissingReported = false;

  constructor(private readonly options: PythOracleOptions) {
    this.#feeds = pythFeeds(options.programs, options.network);
    this.#mints = new Set(this.#feeds.map(({ mint }) => mint));
  }

  async prices(mints: readonly string[], options: ReadingOptions = {}) {
    const known = mints.filter((mint) => this.#mints.has(mint));
    if (known.length === 0) return new Map<string, OraclePrice | OracleUnavailable>();
    const { readAtMs, prices } = this.#read(options);
    const [found, nowMs] = await Promise.all([prices, this.options.priceClock.nowMs()]);
    return new Map(known.map((mint) => [mint, this.#judge(found.get(mint), nowMs, readAtMs)]));
  }

  #judge(found: FeedPrice | undefined, nowMs: number, readAtMs: number): OraclePrice | OracleUnavailable {
    if (!found) return 'oracle_missing';
    const { price, confidence, publishedAtMs } = found;
    if (Math.abs(nowMs - publishedAtMs) > this.options.maxAgeMs) return 'oracle_stale';
    if (confidence.digits * 100n > price.digits * MAX_CONFIDENCE_PERCENT) return 'oracle_uncertain';
    return { price, publishedAtMs, readAtMs };
  }

  #read({ readAfterMs = -Infinity }: ReadingOptions): Reading {
    const nowMs = this.options.clock.nowMs();
    const kept = this.#reading;
    if (kept && kept.readAtMs > readAfterMs && Math.abs(nowMs - kept.readAtMs) <= KEPT_MS) return kept;
    const reading: Reading = { readAtMs: nowMs, prices: this.#readAccounts() };
    this.#reading = reading;
    reading.prices.catch(() => this.#reading === reading && (this.#reading = undefined));
    return reading;
  }

  async #readAccounts(): Promise<ReadonlyMap<string, FeedPrice | undefined>> {
    const { chain, programs } = this.options;
    const { accounts } = await chain.accounts(this.#feeds.map(({ account }) => account));
    const prices = new Map(
      this.#feeds.map(({ mint, id }, i) => {
        const account = accounts[i];
        return [mint, account?.owner === programs.receiver ? readPriceAccount(account.data, id) : undefined];
      }),
    );
    this.#reportMissing([...prices].flatMap(([mint, price]) => (price ? [] : [mint])));
    return prices;
  }

  #reportMissing(mints: readonly string[]): void {
    if (mints.length === 0 || this.#isMissingReported) return;
    this.#isMissingReported = true;
    this.options.onMissing?.(mints);
  }
}
