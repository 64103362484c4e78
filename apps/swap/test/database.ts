import { Secret } from '@agent-wallet/kernel';
import { openMigratedDatabase, openTestSchema } from '@agent-wallet/platform/testing';
import { swapMigrations } from '../src/index.js';

/** The migrated schema of the swap service in a database of its own. */
export async function openSwapDatabase() {
  const test = await openMigratedDatabase([swapMigrations]);
  const connection = { ...test.schemas.swap, password: new Secret(test.schemas.swap.password) };
  const database = openTestSchema(test.schemas.swap, 'swap');
  const close = async () => {
    await database.close();
    await test.close();
  };
  return { connection, database, close };
}
