import { clamp } from '@agent-wallet/kernel';
import { databaseError, type Queryable } from '@agent-wallet/platform';

/** A bucket of the exchange. */
type Bucket = 'read' | 'write';

/** Refill rate and capacity of a bucket. */
interface BucketSize {
  readonly tokensPerSecond: number;
  readonly capacity: number;
}

/** An order that wants its turn. */
export interface Entry {
  readonly operationId: string;
  readonly agentId: string;
  /** Tokens. */
  readonly cost: number;
  /** Place in the queue of an earlier turn; null without one. */
  readonly tag: string | null;
}

/** The result of a visit to the queue. */
interface Visit {
  /** Until there can be more to give; undefined when nothing waits. */
  readonly waitMs: number | undefined;
  /** Orders of the visitor whose turn it is, with their place in the queue. */
  readonly given: ReadonlyArray<{ readonly operationId: string; readonly tag: string }>;
}

/** Share of the exchange's own rate that is used, so that ours never runs ahead of it. */
const USED_RATE = 0.98;
/** Share of the exchange's capacity that is used: the other half absorbs requests that arrive late. */
const USED_CAPACITY = 0.5;
/** The dearest that anything costs, a few times. */
const LEAST_CAPACITY = 40;
/** No tier has less or more tokens in a second: a wrong tier would stop all requests, even those for the right one. */
const LEAST_RATE = 50;
const MOST_RATE = 100_000;

const TAKE = { name: 'take-token', text: 'select take_token($1, $2) as wait' };
const VISIT = { name: 'poll-queue', text: 'select wait_ms, given from poll_queue($1, $2, $3)' };
const PAUSE = { name: 'pause-bucket', text: 'select pause_bucket($1) as pause' };
const RESIZE = {
  name: 'resize-quota',
  text: 'update exchange_buckets set tokens_per_second = $2, capacity = $3 where bucket = $1',
};

/** The exchange's quota in Postgres, by its clock: all copies of the service ask as if they were one. */
export class PostgresExchangeQuota {
  constructor(private readonly pool: Queryable) {}

  /**
   * Takes tokens for a read unless less than a share of the bucket would be left.
   * @returns 0 when they are taken, otherwise the milliseconds after which that can be tried again
   * @throws AppError SERVICE_UNAVAILABLE when the database is away; so does everything here
   */
  async takeToken(cost: number, reservedShare: number): Promise<number> {
    const [row] = await this.#rows<{ wait: number }>(TAKE, [cost, reservedShare]);
    return row!.wait;
  }

  /** Enters new orders, removes those that nothing waits for any more, and takes the granted slots. */
  async visit(visitor: string, entered: readonly Entry[], gone: readonly string[]): Promise<Visit> {
    const values = [visitor, JSON.stringify(entered), gone];
    const [row] = await this.#rows<{ wait_ms: number | null; given: Visit['given'] }>(VISIT, values);
    return { waitMs: row!.wait_ms ?? undefined, given: row!.given };
  }

  /** Pauses a bucket for all replicas. @returns for how many milliseconds */
  async pause(bucket: Bucket): Promise<number> {
    const [row] = await this.#rows<{ pause: number }>(PAUSE, [bucket]);
    return row!.pause;
  }

  /** Keeps what the exchange says of a bucket of its own. */
  async resize(bucket: Bucket, { tokensPerSecond, capacity }: BucketSize): Promise<void> {
    const rate = clamp(tokensPerSecond, LEAST_RATE, MOST_RATE) * USED_RATE;
    const ours = clamp(capacity * USED_CAPACITY, LEAST_CAPACITY, MOST_RATE);
    await this.#rows(RESIZE, [bucket, rate, ours]);
  }

  async #rows<Row>(statement: { name: string; text: string }, values: unknown[]): Promise<Row[]> {
    try {
      return (await this.pool.query({ ...statement, values })).rows as Row[];
    } catch (error) {
      throw databaseError(error);
    }
  }
}
