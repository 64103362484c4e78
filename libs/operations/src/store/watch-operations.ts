import { type Database, watchRows } from '@agent-wallet/platform';
import { ATTRIBUTES, METRICS } from '@agent-wallet/telemetry';

interface Row {
  readonly action: string;
  readonly state: string;
  readonly open: string;
  readonly unreadable: string;
  readonly age_seconds: string;
}

/** Measures the operations with remaining work, by handler and state: their number, and the age of the oldest. */
export function watchOperations(database: Database): { stop(): void } {
  return watchRows<Row>(database, {
    name: 'operation-gauges',
    // Over the index of what is due at some time: what has its outcome for good is not in it.
    text: `select action, state, count(*) as open, count(*) filter (where is_unreadable) as unreadable,
             extract(epoch from clock_timestamp()) - min(created_at_ms) / 1000.0 as age_seconds
           from operations where due_at is not null group by action, state`,
    read: (rows) =>
      rows.flatMap(({ action, state, open, unreadable, age_seconds: age }) => {
        const attributes = { [ATTRIBUTES.action.name]: action, [ATTRIBUTES.state.name]: state };
        return [
          { metric: METRICS.operationsOpen, value: Number(open), attributes },
          { metric: METRICS.operationsOldest, value: Number(age), attributes },
          { metric: METRICS.operationsUnreadable, value: Number(unreadable), attributes },
        ];
      }),
  });
}
