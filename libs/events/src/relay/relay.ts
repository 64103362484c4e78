import { type BackgroundLoop, type Database, type Logger, startLoop } from '@agent-wallet/platform';
import { isTracing } from '@agent-wallet/telemetry';
import { onOutboxWritten } from '../outbox/written.js';
import { watchOutbox } from '../measure/outbox-gauges.js';
import type { EventPublisher } from '../ports.js';
import { AwaitedPublisher } from './awaited-publisher.js';
import { publishOutbox } from './publish-outbox.js';

/** For what a process wrote that died before its own relay could bring it; commits of this process wake the relay. */
const IDLE_MS = 1_000;
/** Well below the time for which a session may be idle in a transaction. */
const PUBLISH_WITHIN_MS = 20_000;

/** Parts that a test may replace. */
export interface RelayOverrides {
  readonly publishWithinMs?: number;
  readonly idleMs?: number;
  /** Passed before each batch. */
  readonly beforeBatch?: () => Promise<void>;
}

/**
 * Brings a service's outbox to the event stream, in the order of the outbox, one awaited batch at a time: at most 500
 * events and 1 MiB. It is woken by every commit that wrote to the outbox through this database. Of several replicas one
 * at a time has the lock.
 */
export function startRelay(
  database: Database,
  publisher: EventPublisher,
  logger: Logger,
  { publishWithinMs = PUBLISH_WITHIN_MS, idleMs = IDLE_MS, beforeBatch }: RelayOverrides = {},
): BackgroundLoop {
  const awaited = new AwaitedPublisher(publisher, publishWithinMs);
  // A trace records each event by its bytes, and they do not pass here when they are moved.
  const relayBatch = (!isTracing() && publisher.moveOutbox) || (() => publishOutbox(database, awaited));
  /** @returns whether anything was brought: what came meanwhile is then looked for at once */
  const round = async () => {
    if (awaited.isBusy || !(await anythingDue(database))) return false;
    await beforeBatch?.();
    return relayBatch();
  };
  const loop = startLoop({ name: 'relay', logger, idleMs, round });
  const forget = onOutboxWritten(database.pool, () => loop.wake());
  const gauges = watchOutbox(database);
  const stop = () => {
    gauges.stop();
    forget();
    return loop.stop();
  };
  return { wake: () => loop.wake(), stop };
}

async function anythingDue(database: Database): Promise<boolean> {
  // By the index, which remembers what was published: the table's own pages are full of it until the next vacuum.
  const text = 'select 1 from outbox order by id limit 1';
  const { rowCount } = await database.pool.query({ name: 'relay-due', text });
  return (rowCount ?? 0) > 0;
}
