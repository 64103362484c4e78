import { gatewayMigrations } from '@agent-wallet/gateway';
import { historyMigrations } from '@agent-wallet/history';
import {
  EVENT_LOG_MIGRATIONS,
  grantConsume,
  grantPublish,
  type Logger,
  migrate,
  openDatabase,
} from '@agent-wallet/platform';
import { policyMigrations } from '@agent-wallet/policy';
import { signerMigrations } from '@agent-wallet/signer';
import { swapMigrations } from '@agent-wallet/swap';
import { walletMigrations } from '@agent-wallet/wallet';
import type { Infrastructure, Service } from '../infrastructure/infrastructure.js';

const PRODUCERS: readonly Service[] = ['gateway', 'wallet', 'swap', 'policy'];
const MIGRATIONS = [
  gatewayMigrations,
  walletMigrations,
  swapMigrations,
  policyMigrations,
  signerMigrations,
  historyMigrations,
];

/** Brings every schema up to date, each by its own role, and opens the event log to those who use it. */
export async function migrateAll(infrastructure: Infrastructure, logger: Logger): Promise<void> {
  await Promise.all(
    [...MIGRATIONS, EVENT_LOG_MIGRATIONS].map(async ({ schema, directory }) => {
      const connection = infrastructure.databases[schema];
      const database = openDatabase({ connection, schema, logger, maxConnections: 2 });
      try {
        const applied = await migrate(database, directory);
        if (applied.length > 0) logger.info({ schema, applied }, 'migrated');
        if (schema !== EVENT_LOG_MIGRATIONS.schema) return;
        await database.pool.query([...PRODUCERS.map(grantPublish), grantConsume('history')].join('\n'));
      } finally {
        await database.close();
      }
    }),
  );
}
