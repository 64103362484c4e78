import { type Database, type Logger, type Queryable, startLoop, stopInOrder } from '@agent-wallet/platform';
import { watchLag } from '../measure/watch-lag.js';
import type { EventConsumer, EventRecord, HandleEvents } from '../ports.js';
import { APPENDED_CHANNEL } from './event-log-schema.js';
import { ReadingTurn } from './reading-turn.js';

const BATCH_COUNT = 500;
/** Polling interval without a notification, as notifications are lost with a connection. */
const IDLE_MS = 1_000;
const PRUNE_EVERY_MS = 60_000;
const PRUNE_COUNT = 5_000;
const FOLLOWER_KEEPS_EVERY_MS = 60_000;
const DEFAULT_RETENTION_HOURS = 168;

/** Options of a Postgres consumer. */
export interface PostgresConsumerOptions {
  readonly database: Database;
  /** Names the position in the table of the consumer's own schema. */
  readonly consumer: string;
  readonly logger: Logger;
  /** Time that handled events stay in the log; 168 when omitted. Unhandled events stay at any age. */
  readonly retentionHours?: number | undefined;
  /**
   * Follows the stream beside the consumer whose record it is. It forgets nothing, looks once a second without being notified,
   * and keeps its place once a minute where the handler does not: after a restart it reads that minute again.
   */
  readonly isFollower?: boolean;
  readonly pruneEveryMs?: number;
  readonly idleMs?: number;
}

interface LogRow {
  readonly position: string;
  readonly event_id: string;
  readonly agent_id: string;
  readonly payload: Buffer;
}

/**
 * Consumes from `events.log`. The position reached is kept in the consumer's own schema, in the table
 * `event_positions(consumer text primary key, position bigint)`, and moves with the batch or after it was handled. It is
 * notified of new events by NOTIFY, and polls once a second. Of the replicas of a consumer one reads.
 */
export function createPostgresConsumer(options: PostgresConsumerOptions): EventConsumer {
  let running: { wake(): void; stop(): Promise<void> } | undefined;
  return {
    start: (handle) => void (running ??= startConsuming(options, handle)),
    wake: () => running?.wake(),
    stop: async () => running?.stop(),
  };
}

function startConsuming(options: PostgresConsumerOptions, handle: HandleEvents) {
  const { database, logger, pruneEveryMs = PRUNE_EVERY_MS, idleMs = IDLE_MS } = options;
  const place: Place = { reached: '0', isKept: true, keptAtMs: performance.now() };
  const turn = new ReadingTurn(database);
  const consume = async () => {
    if (!(await turn.take())) return false;
    // What fails here may succeed at another replica.
    return consumeBatch(options, handle, place).catch((error: unknown) => {
      turn.giveBack();
      throw error;
    });
  };
  const consuming = startLoop({ name: 'events', logger, idleMs, round: consume });
  const beside = options.isFollower
    ? []
    : [
        startLoop({ name: 'prune events', logger, idleMs: pruneEveryMs, round: () => prune(options) }),
        database.listen(APPENDED_CHANNEL, () => consuming.wake()),
      ];
  const gauges = watchLag(database, {
    consumer: options.consumer,
    reached: () => (turn.isOurs ? place.reached : undefined),
  });
  const stop = () =>
    stopInOrder(
      () => gauges.stop(),
      () => Promise.all([consuming, ...beside].map((each) => each.stop())),
      () => turn.giveBack(),
    );
  return { wake: () => consuming.wake(), stop };
}

/** Position that this process has reached. */
interface Place {
  /** The position behind which it reads on; that of the table when it is further. */
  reached: string;
  /** Whether the table has it. */
  isKept: boolean;
  /** By the monotonic clock. */
  keptAtMs: number;
}

async function consumeBatch(options: PostgresConsumerOptions, handle: HandleEvents, place: Place): Promise<boolean> {
  const { database, consumer, isFollower } = options;
  const { rows } = await database.pool.query<LogRow>({
    name: 'events-read',
    text: `select position, event_id, agent_id, payload from events.log
           where position > greatest($3::bigint, (select position from event_positions where consumer = $1))
           order by position limit $2`,
    values: [consumer, BATCH_COUNT, isFollower ? place.reached : '0'],
  });
  const last = rows.at(-1)?.position ?? place.reached;
  const keepPlace = async (on: Queryable): Promise<void> => {
    await on.query({
      name: 'events-advance',
      text: `insert into event_positions as p (consumer, position) values ($1, $2)
             on conflict (consumer) do update set position = greatest(p.position, excluded.position)`,
      values: [consumer, last],
    });
    place.isKept = true;
  };
  if (rows.length > 0) {
    place.isKept = false;
    await handle(rows.map(recordOf), keepPlace);
    place.reached = last;
  }
  const isDue = !isFollower || performance.now() - place.keptAtMs >= FOLLOWER_KEEPS_EVERY_MS;
  if (!place.isKept && isDue) await keepPlace(database.pool);
  if (place.isKept) place.keptAtMs = performance.now();
  // The next append wakes the loop.
  return rows.length === BATCH_COUNT;
}

function recordOf(row: LogRow): EventRecord {
  return { eventId: row.event_id, agentId: row.agent_id, payload: row.payload };
}

/** Forgets what this consumer has handled and is older than the retention. @returns whether there may be more */
async function prune({ database, consumer, retentionHours }: PostgresConsumerOptions): Promise<boolean> {
  const { rows } = await database.pool.query<{ forgotten: number }>({
    name: 'events-prune',
    text: `select events.prune(position, $2::integer * interval '1 hour', $3) as forgotten
           from event_positions where consumer = $1`,
    values: [consumer, retentionHours ?? DEFAULT_RETENTION_HOURS, PRUNE_COUNT],
  });
  return rows[0]?.forgotten === PRUNE_COUNT;
}
