import { type Clock, RecentlyUsed, type Secret, systemClock } from '@agent-wallet/kernel';
import { type AggregatorApi, openAggregatorApi } from './aggregator-api.js';
import { type PriceReading, readPrices } from './read-prices.js';

/** Conditions for a reading. */
export interface ReadingOptions {
  /** Time (Unix milliseconds) after which a reading must have been requested. */
  readonly readAfterMs?: number;
}

/** Reads prices of tokens. */
export interface PriceReader {
  /**
   * Prices by mint. A mint without a plausible price is absent: a price that is malformed, not above 0, or absurd does
   * not count. Concurrent readers share calls, and a reading is kept for at most five seconds.
   * @throws AppError UPSTREAM_ERROR or UPSTREAM_TIMEOUT
   */
  prices(mints: readonly string[], options?: ReadingOptions): Promise<ReadonlyMap<string, PriceReading>>;
}

/** Options of a price reader. */
export interface PriceReaderOptions {
  /** Root of the aggregator's API, as `https://api.jup.ag`. */
  readonly baseUrl: string;
  /** Sent as `x-api-key`; without it the API serves a few calls a minute. */
  readonly apiKey?: Secret<string>;
  /** Time limit of one call; default 5 000 ms. */
  readonly timeoutMs?: number;
  /** Time that a reading is cached; at most, and by default, 5 000 ms. */
  readonly maxAgeMs?: number;
  readonly clock?: Clock;
}

const MAX_AGE_MS = 5_000;
/** The most that the API takes in one call. */
const MAX_MINTS = 50;
/** Mints for which readings are kept; beyond, the oldest are forgotten. */
const MAX_KEPT = 1_000;

/** A reading that is kept or under way; undefined when the API has no price. */
interface KeptReading {
  readonly readAtMs: number;
  readonly reading: Promise<PriceReading | undefined>;
}

/** Mints that one call asks for; open until the call starts. */
interface Batch {
  readonly readAtMs: number;
  readonly mints: Set<string>;
  readonly answer: Promise<ReadonlyMap<string, PriceReading>>;
}

/** Creates a reader of Price v3 (`GET /price/v3?ids=`). It sends nothing before the first request. */
export function openPriceReader(options: PriceReaderOptions): PriceReader {
  const clock = options.clock ?? systemClock;
  const api = openAggregatorApi({ ...options, timeoutMs: options.timeoutMs ?? 5_000, clock });
  return new CachedPriceReader(api, clock, Math.min(options.maxAgeMs ?? MAX_AGE_MS, MAX_AGE_MS));
}

class CachedPriceReader implements PriceReader {
  readonly #kept = new RecentlyUsed<KeptReading>(MAX_KEPT);
  #open: Batch | undefined;

  constructor(
    private readonly api: AggregatorApi,
    private readonly clock: Clock,
    private readonly maxAgeMs: number,
  ) {}

  async prices(mints: readonly string[], options: ReadingOptions = {}): Promise<ReadonlyMap<string, PriceReading>> {
    const found = new Map<string, PriceReading>();
    const readings = [...new Set(mints)].map(async (mint) => {
      const reading = await this.#keptOrAsked(mint, options);
      if (reading) found.set(mint, reading);
    });
    await Promise.all(readings);
    return found;
  }

  #keptOrAsked(mint: string, { readAfterMs = -Infinity }: ReadingOptions): Promise<PriceReading | undefined> {
    const nowMs = this.clock.nowMs();
    const kept = this.#kept.use(mint);
    // A clock that was set back must not keep a reading alive.
    const isFresh = kept && kept.readAtMs > readAfterMs && Math.abs(nowMs - kept.readAtMs) <= this.maxAgeMs;
    return isFresh ? kept.reading : this.#ask(mint, nowMs);
  }

  #ask(mint: string, nowMs: number): Promise<PriceReading | undefined> {
    const batch = this.#openBatch(nowMs);
    batch.mints.add(mint);
    const asked = { readAtMs: batch.readAtMs, reading: batch.answer.then((prices) => prices.get(mint)) };
    this.#kept.keep(mint, asked);
    asked.reading.catch(() => {
      if (this.#kept.use(mint) === asked) this.#kept.drop(mint);
    });
    return asked.reading;
  }

  #openBatch(readAtMs: number): Batch {
    if (this.#open && this.#open.mints.size < MAX_MINTS) return this.#open;
    const mints = new Set<string>();
    const answer = nextTurn().then(async () => {
      if (this.#open === batch) this.#open = undefined;
      const ids = [...mints].map(encodeURIComponent).join(',');
      return readPrices(await this.api.text(`/price/v3?ids=${ids}`), { mints, readAtMs });
    });
    const batch: Batch = { readAtMs, mints, answer };
    this.#open = batch;
    return batch;
  }
}

/** Resolves after the I/O events of this turn, so that readers woken by them share a call. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
