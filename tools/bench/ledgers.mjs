// What the product itself keeps of what moved, read from its database.
import { createLogger, openDatabase } from '@agent-wallet/platform';
import { eventually } from '@agent-wallet/testing';
import { closing } from '../measuring/closing.mjs';

const POLL_MS = 50;
const TIMEOUT_MS = 60_000;

const OPEN_WORK = `select
  (select count(*) from gateway.outbox) + (select count(*) from wallet.outbox) + (select count(*) from swap.outbox)
  + (select count(*) from prediction.outbox) + (select count(*) from policy.outbox)
  + (select count(*) from wallet.operations where due_at is not null)
  + (select count(*) from swap.operations where due_at is not null)
  + (select count(*) from prediction.operations where due_at is not null)
  + (select count(*) from policy.reservations where state = 'open')
  + (select coalesce(max(position), 0) from events.log)
  - (select coalesce(max(position), 0) from history.event_positions) as open`;

/** Opens it as the superuser, who sees every schema. */
export function openLedgers({ infrastructure: { postgres, databases } }) {
  const connection = { ...postgres, database: databases.wallet.database };
  const logger = createLogger('bench', 'silent');
  const database = openDatabase({ connection, schema: 'public', logger, maxConnections: 2 });
  closing(database, () => database.close());
  const number = async (text) => Number(Object.values((await database.pool.query(text)).rows[0])[0]);
  return {
    /** Resolves when nothing is left to do: all is settled, published and recorded. */
    quiet: () =>
      eventually(
        () => number(OPEN_WORK),
        (open) => open === 0,
        TIMEOUT_MS,
        POLL_MS,
      ),
    /** Statistics as of a database that has run for a while, so that no plan depends on when autovacuum came by. */
    analyze: () => database.pool.query('analyze'),
    number,
    /** Transfers or trades that agents can read as confirmed. */
    confirmed: (action) =>
      number(`select count(*) from history.transactions where action = '${action}' and status = 'confirmed'`),
  };
}
