import { type Reading, watch } from '@agent-wallet/telemetry';
import type { Database } from './database.js';

/** A statement whose rows are gauges. */
export interface WatchedRows<Row> {
  /** Name of the prepared statement. */
  readonly name: string;
  /** One cheap statement: it reads what an index holds together, or what is small. */
  readonly text: string;
  readonly values?: readonly unknown[];
  readonly read: (rows: readonly Row[]) => readonly Reading[];
}

/** Reads gauges from a service's database whenever metrics are asked for, until stopped. Its schema names the service. */
export function watchRows<Row extends object>(database: Database, watched: WatchedRows<Row>): { stop(): void } {
  const { name, text, values = [], read } = watched;
  return watch({
    service: database.schema,
    look: async () => read((await database.pool.query<Row>({ name, text, values: [...values] })).rows),
  });
}
