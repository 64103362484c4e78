import { databaseError, type Queryable } from '@agent-wallet/platform';
import type { QueryResultRow } from 'pg';
import type { DataKeySeal, DataKeyStore, DataKeyUse } from '../ports/data-key-store.js';

/** The tables `data_keys` and `data_key_seals`. */
export class PostgresDataKeyStore implements DataKeyStore {
  constructor(private readonly database: Queryable) {}

  async seals(): Promise<readonly DataKeySeal[]> {
    return this.#rows<DataKeySeal>(
      `select version, vault_driver as driver, vault_id as "vaultId", sealed from data_key_seals
        order by version, created_at`,
    );
  }

  async add(seals: readonly [DataKeySeal, ...DataKeySeal[]]): Promise<void> {
    await this.#rows(
      `with made as (insert into data_keys (version) values ($1) on conflict (version) do nothing returning version)
       insert into data_key_seals (version, vault_driver, vault_id, sealed)
       select made.version, given.* from made, unnest($2::text[], $3::text[], $4::bytea[]) as given`,
      [
        seals[0].version,
        seals.map(({ driver }) => driver),
        seals.map(({ vaultId }) => vaultId),
        seals.map(({ sealed }) => sealed),
      ],
    );
  }

  async addSeal({ version, driver, vaultId, sealed }: DataKeySeal): Promise<void> {
    await this.#rows(
      `insert into data_key_seals (version, vault_driver, vault_id, sealed)
       select version, $2, $3, $4 from data_keys where version = $1 on conflict do nothing`,
      [version, driver, vaultId, sealed],
    );
  }

  async describe(): Promise<readonly DataKeyUse[]> {
    const rows = await this.#rows<{ version: number; created_at: Date; key_count: string }>(
      `select version, created_at, (select count(*) from keys where key_version = version) as key_count
         from data_keys order by version`,
    );
    return rows.map(({ version, created_at, key_count }) => ({
      version,
      createdAtMs: created_at.getTime(),
      keyCount: Number(key_count),
    }));
  }

  async retire(): Promise<readonly number[]> {
    const rows = await this.#rows<{ version: number }>(
      `delete from data_keys where version < (select max(version) from data_keys)
          and not exists (select from keys where key_version = version) returning version`,
    );
    return rows.map(({ version }) => version);
  }

  async #rows<Row extends QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    try {
      return (await this.database.query<Row>(text, values)).rows;
    } catch (error) {
      throw databaseError(error);
    }
  }
}
