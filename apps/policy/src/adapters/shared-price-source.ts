import { randomUUID } from 'node:crypto';
import { AppError, type Clock, sleep } from '@agent-wallet/kernel';
import { databaseError, type Queryable } from '@agent-wallet/platform';
import type { PriceEntry, PriceSource, ReadingOptions } from '@agent-wallet/prices';

/** Dependencies of the source. */
export interface SharedPriceSourceOptions {
  readonly pool: Queryable;
  /** The aggregator's price API. */
  readonly api: PriceSource;
  readonly clock: Clock;
  /** Mints that each read brings along, where they were wanted lately: fewer than 50. */
  readonly favored: readonly string[];
  /** Most reads of the API in any minute, by all replicas together; more than the burst. */
  readonly readsPerMinute: number;
  /** Waits; for tests. */
  readonly pause?: ((durationMs: number) => Promise<void>) | undefined;
}

interface EntryRow {
  readonly mint: string;
  readonly entry: string | null;
  readonly read_at_ms: string;
}

/** Reads ahead of the even pace that a decision may use, and that what is only shown may. */
const BURST = { decided: 4, shown: 2 } as const;
/** Least setting for the reads of a minute. */
export const LEAST_READS_PER_MINUTE = BURST.decided + 1;
/** Time that a caller waits for an entry that others read, or that the pace forbids to read yet. */
const PATIENCE_MS = { decided: 3_500, shown: 1_000 } as const;
const MINUTE_MS = 60_000;
const POLL_MS = 150;

/**
 * The aggregator's prices, read by all replicas of the service as if they were one: what one has read serves the others, and all
 * together keep to one pace (`prices.sql`).
 */
export class SharedPriceSource implements PriceSource {
  /** Time between two reads at the even pace: a burst and what is due meanwhile are a minute's reads. */
  readonly #intervalMs: number;

  constructor(private readonly options: SharedPriceSourceOptions) {
    this.#intervalMs = Math.ceil(MINUTE_MS / (options.readsPerMinute - BURST.decided));
  }

  async read(mints: readonly string[], options: Required<ReadingOptions>): Promise<ReadonlyMap<string, PriceEntry>> {
    const { pause = sleep } = this.options;
    const kind = options.isShown ? 'shown' : 'decided';
    const afterMs = Math.floor(Math.max(options.readAfterMs, 0));
    const own = new Map<string, PriceEntry>();
    for (let waitedMs = 0; ; waitedMs += POLL_MS) {
      const unread = mints.filter((mint) => !own.has(mint));
      const found = new Map([...own, ...(await this.#stored(unread, afterMs))]);
      const missing = mints.filter((mint) => !found.has(mint));
      if (missing.length === 0) return found;
      const claim = { id: randomUUID(), afterMs, burst: BURST[kind] };
      const claimed = await this.#claim(missing, claim);
      if (claimed.length > 0) {
        const read = await this.#readClaimed(claim.id, claimed, options);
        for (const mint of missing) if (read.has(mint)) own.set(mint, read.get(mint)!);
      } else if (waitedMs < PATIENCE_MS[kind]) await pause(POLL_MS);
      else if (options.isShown) return found;
      else throw new AppError('UPSTREAM_TIMEOUT', { cause: new Error('the aggregator has no room for more prices') });
    }
  }

  async #stored(mints: readonly string[], afterMs: number): Promise<Map<string, PriceEntry>> {
    const rows = await this.#query<EntryRow>({
      name: 'policy-price-entries',
      text: `select mint, entry, read_at_ms from (
        select mint, entry, price_read_at(e, $3) as read_at_ms from price_entries e where mint = any ($1)
      ) as read where read_at_ms > $2`,
      values: [[...mints], afterMs, this.options.clock.nowMs()],
    });
    return new Map(
      rows.map(({ mint, entry, read_at_ms: readAtMs }) => [
        mint,
        { readAtMs: Number(readAtMs), entry: entry ?? undefined },
      ]),
    );
  }

  async #claim(
    mints: readonly string[],
    { id, afterMs, burst }: { readonly id: string; readonly afterMs: number; readonly burst: number },
  ): Promise<readonly string[]> {
    const { favored, clock } = this.options;
    const rows = await this.#query<{ readonly claimed: readonly string[] }>({
      name: 'policy-claim-price-read',
      text: 'select claim_price_read($1, $2, $3, $4, $5, $6, $7) as claimed',
      values: [id, [...mints], [...favored], clock.nowMs(), afterMs, this.#intervalMs, burst],
    });
    return rows[0]!.claimed;
  }

  async #readClaimed(
    claim: string,
    mints: readonly string[],
    options: Required<ReadingOptions>,
  ): Promise<ReadonlyMap<string, PriceEntry>> {
    let read;
    try {
      read = await this.options.api.read(mints, options);
    } catch (error) {
      // A claim that cannot be released expires. The caller gets the upstream's error.
      await this.#store(claim, mints, undefined).catch(() => undefined);
      throw error;
    }
    await this.#store(claim, mints, read);
    return read;
  }

  async #store(
    claim: string,
    mints: readonly string[],
    read: ReadonlyMap<string, PriceEntry> | undefined,
  ): Promise<void> {
    const readAtMs = read?.get(mints[0]!)?.readAtMs ?? null;
    const entries = mints.map((mint) => read?.get(mint)?.entry ?? null);
    await this.#query({
      name: 'policy-store-price-read',
      text: 'select store_price_read($1, $2, $3, $4, $5)',
      values: [claim, [...mints], entries, readAtMs, this.options.clock.nowMs()],
    });
  }

  async #query<Row>(query: { name: string; text: string; values: unknown[] }): Promise<Row[]> {
    try {
      return (await this.options.pool.query(query)).rows as Row[];
    } catch (error) {
      throw databaseError(error);
    }
  }
}
