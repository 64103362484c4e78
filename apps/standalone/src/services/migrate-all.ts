import { gatewayMigrations } from '@agent-wallet/gateway';
import { historyMigrations } from '@agent-wallet/history';
import { EVENT_LOG_MIGRATIONS, grantConsume, grantPublish, grantRead } from '@agent-wallet/events';
import { type Logger, migrate, openDatabase, type SchemaDirectory } from '@agent-wallet/platform';
import { policyMigrations } from '@agent-wallet/policy';
import { predictionMigrations } from '@agent-wallet/prediction';
import { signerMigrations } from '@agent-wallet/signer';
import { swapMigrations } from '@agent-wallet/swap';
import { walletMigrations } from '@agent-wallet/wallet';
import type { DatabaseRole, Infrastructure, Service } from '../infrastructure/infrastructure.js';

const PRODUCERS: readonly Service[] = ['gateway', 'wallet', 'swap', 'prediction', 'policy'];
/** A schema, and who owns it, where that is not the role of its name. */
interface Migrations {
  readonly schema: Exclude<DatabaseRole, `${string}_owner`>;
  readonly owner?: DatabaseRole;
  readonly directory: SchemaDirectory;
}

const MIGRATIONS: readonly Migrations[] = [
  gatewayMigrations,
  walletMigrations,
  swapMigrations,
  predictionMigrations,
  policyMigrations,
  signerMigrations,
  historyMigrations,
  EVENT_LOG_MIGRATIONS,
];

/** Brings every schema up to date, each by its owner, and opens the event log to those who use it. */
export async function migrateAll(infrastructure: Infrastructure, logger: Logger): Promise<void> {
  await Promise.all(
    MIGRATIONS.map(async ({ schema, owner = schema, directory }) => {
      const connection = infrastructure.databases[owner];
      const database = openDatabase({ connection, schema, logger, maxConnections: 2, responseTimeoutMs: 0 });
      try {
        const applied = await migrate(database, directory);
        if (applied.length > 0) logger.info({ event: 'schema.migrated', schema, applied }, 'Schema migrated');
        if (schema !== EVENT_LOG_MIGRATIONS.schema) return;
        const { databases } = infrastructure;
        const producers = PRODUCERS.map((service) => grantPublish(databases[service].user));
        const readers = [grantConsume(databases.history.user), grantRead(databases.gateway.user)];
        await database.pool.query([...producers, ...readers].join('\n'));
      } finally {
        await database.close();
      }
    }),
  );
}
