import { gatewayMigrations, startGateway } from '@agent-wallet/gateway';
import { historyMigrations, startHistory } from '@agent-wallet/history';
import { Secret } from '@agent-wallet/kernel';
import { openMigratedDatabase, openTestSchema } from '@agent-wallet/platform/testing';
import { policyMigrations, startPolicy } from '@agent-wallet/policy';
import { predictionMigrations, startPrediction } from '@agent-wallet/prediction';
import { signerMigrations, startSigner } from '@agent-wallet/signer';
import { startSwap, swapMigrations } from '@agent-wallet/swap';
import { startWallet, walletMigrations } from '@agent-wallet/wallet';
import { describe, expect, it } from '@jest/globals';

/** A service starts with more settings; without the right schema it must not come to read them. */
type Start = (settings: never) => Promise<unknown>;

const STARTED_ALONE: ReadonlyArray<readonly [Start, Parameters<typeof openMigratedDatabase>[0][number]]> = [
  [startGateway, gatewayMigrations],
  [startWallet, walletMigrations],
  [startSwap, swapMigrations],
  [startPrediction, predictionMigrations],
  [startPolicy, policyMigrations],
  [startSigner, signerMigrations],
  [startHistory, historyMigrations],
];

describe('a service that is started alone', () => {
  it.each(STARTED_ALONE.map(([start, migrations]) => [migrations.schema, start, migrations] as const))(
    'refuses a schema that is not that of its program: %s',
    async (schema, start, migrations) => {
      const test = await openMigratedDatabase([migrations], { ownedApart: [schema] });
      const owner = openTestSchema(test.schemas[`${schema}_owner`]!, schema);
      // The signer has no functions.
      const isEdited = schema !== signerMigrations.schema;
      try {
        await owner.pool.query(
          isEdited ? 'create function by_hand() returns integer return 1' : 'delete from schema_migrations',
        );
        const login = test.schemas[schema]!;
        const database = { ...login, password: new Secret(login.password) };
        const settings = { database, logLevel: 'silent', production: false } as never;
        await expect(start(settings)).rejects.toThrow(
          `the schema ${schema} is not that of this program: ${isEdited ? 'functions (changed in the database)' : '0001_baseline'}`,
        );
      } finally {
        await owner.close();
        await test.close();
      }
    },
  );
});
