import { type Clock, RecentlyUsed, systemClock } from '@agent-wallet/kernel';
import { MAX_PRICED_MINTS, type PriceSource, type ReadingOptions } from './price-source.js';
import { type PriceReading, readPriceEntry } from './read-prices.js';

/** Reads prices of tokens. */
export interface PriceReader {
  /**
   * Prices by mint. A mint without a plausible price is absent: a price that is malformed, not above 0, or absurd does
   * not count. Concurrent readers share calls. A reading is kept for at most five seconds, and where it is only shown for thirty.
   * @throws AppError UPSTREAM_ERROR or UPSTREAM_TIMEOUT
   */
  prices(mints: readonly string[], options?: ReadingOptions): Promise<ReadonlyMap<string, PriceReading>>;
}

/** Options of a price reader. */
export interface PriceReaderOptions {
  readonly source: PriceSource;
  readonly clock?: Clock;
}

const MAX_AGE_MS = 5_000;
const MAX_SHOWN_AGE_MS = 30_000;
/** Mints for which readings are kept; beyond, the oldest are forgotten. */
const MAX_KEPT = 1_000;

/** A reading; undefined when the API has no price. */
interface Reading {
  readonly readAtMs: number;
  readonly reading: PriceReading | undefined;
}

/** A reading that is kept or under way. */
interface Kept {
  readonly batch: Batch;
  /** Undefined where values are only shown, and the source did not have it in time. */
  readonly promise: Promise<Reading | undefined>;
  /** Set once it has arrived. */
  done: Reading | undefined;
}

/** Mints that one read of the source asks for; open until it starts. */
interface Batch {
  readonly isShown: boolean;
  /** Time after which the source's readings were asked for. */
  afterMs: number;
  readonly mints: Set<string>;
  readonly answer: Promise<ReadonlyMap<string, Reading>>;
}

/** Creates a reader. It reads nothing before the first request. */
export function openPriceReader({ source, clock = systemClock }: PriceReaderOptions): PriceReader {
  return new CachedPriceReader(source, clock);
}

class CachedPriceReader implements PriceReader {
  readonly #kept = new RecentlyUsed<Kept>(MAX_KEPT);
  readonly #open = new Map<boolean, Batch>();

  constructor(
    private readonly source: PriceSource,
    private readonly clock: Clock,
  ) {}

  async prices(mints: readonly string[], options: ReadingOptions = {}): Promise<ReadonlyMap<string, PriceReading>> {
    const { readAfterMs = -Infinity, isShown = false } = options;
    const found = new Map<string, PriceReading>();
    const readings = [...new Set(mints)].map(async (mint) => {
      const { reading } = (await this.#keptOrAsked(mint, { readAfterMs, isShown })) ?? {};
      if (reading) found.set(mint, reading);
    });
    await Promise.all(readings);
    return found;
  }

  #keptOrAsked(mint: string, options: Required<ReadingOptions>): Promise<Reading | undefined> {
    const nowMs = this.clock.nowMs();
    const maxAgeMs = options.isShown ? MAX_SHOWN_AGE_MS : MAX_AGE_MS;
    const kept = this.#kept.use(mint);
    const isGood = kept?.done
      ? // A clock that was set back must not keep a reading alive.
        kept.done.readAtMs > options.readAfterMs && Math.abs(nowMs - kept.done.readAtMs) <= maxAgeMs
      : kept && kept.batch.afterMs >= options.readAfterMs && (options.isShown || !kept.batch.isShown);
    return kept && isGood ? kept.promise : this.#ask(mint, { ...options, oldestMs: nowMs - maxAgeMs });
  }

  #ask(mint: string, options: Required<ReadingOptions> & { readonly oldestMs: number }): Promise<Reading | undefined> {
    const batch = this.#openBatch(options.isShown);
    batch.mints.add(mint);
    batch.afterMs = Math.max(batch.afterMs, options.readAfterMs, options.oldestMs - 1);
    const promise = batch.answer.then((readings) => readings.get(mint));
    const kept: Kept = { batch, promise, done: undefined };
    this.#kept.keep(mint, kept);
    const drop = () => this.#kept.use(mint) === kept && this.#kept.drop(mint);
    promise.then((reading) => (reading ? (kept.done = reading) : drop()), drop);
    return promise;
  }

  #openBatch(isShown: boolean): Batch {
    const open = this.#open.get(isShown);
    if (open && open.mints.size < MAX_PRICED_MINTS) return open;
    const answer = nextTurn().then(() => {
      if (this.#open.get(isShown) === batch) this.#open.delete(isShown);
      return this.#read(batch);
    });
    const batch: Batch = { isShown, afterMs: -Infinity, mints: new Set(), answer };
    this.#open.set(isShown, batch);
    return batch;
  }

  async #read({ mints, afterMs: readAfterMs, isShown }: Batch): Promise<ReadonlyMap<string, Reading>> {
    const entries = await this.source.read([...mints], { readAfterMs, isShown });
    return new Map(
      [...entries].map(([mint, { readAtMs, entry }]) => {
        return [
          mint,
          { readAtMs, reading: entry === undefined ? undefined : readPriceEntry(entry, readAtMs) },
        ] as const;
      }),
    );
  }
}

/** Resolves after the I/O events of this turn, so that readers woken by them share a call. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
