// What the product itself keeps, read from its database.
import { createLogger, openDatabase } from '@agent-wallet/platform';
import { quiet } from './quiet.mjs';

/** Opens it as the superuser, who sees every schema. */
export function openLedger({ infrastructure: { postgres, databases } }) {
  const connection = { ...postgres, database: databases.wallet.database };
  const logger = createLogger('soak', 'silent');
  const database = openDatabase({ connection, schema: 'public', logger, maxConnections: 2 });
  const query = async (text) => (await database.pool.query(text)).rows;
  return { query, quiet: () => quiet(query), close: () => database.close() };
}
