import { Secret } from '@agent-wallet/kernel';
import { createLogger, migrate, openDatabase } from '@agent-wallet/platform';
import { openTestDatabase } from '@agent-wallet/testing';
import { swapMigrations } from '../src/index.js';

/** The migrated schema of the swap service in a database of its own. */
export async function openSwapDatabase() {
  const test = await openTestDatabase(['swap']);
  const connection = { ...test.schemas.swap, password: new Secret(test.schemas.swap.password) };
  const logger = createLogger('test', 'silent');
  const database = openDatabase({ connection, schema: 'swap', logger, maxConnections: 10 });
  await migrate(database, swapMigrations.directory);
  const close = async () => {
    await database.close();
    await test.close();
  };
  return { connection, database, close };
}
