import type { Queryable } from '@agent-wallet/platform';
import type { DataKeyStore, SealedDataKey } from '../ports/data-key-store.js';

/** The table `data_keys`. */
export class PostgresDataKeyStore implements DataKeyStore {
  constructor(private readonly database: Queryable) {}

  async newest(): Promise<SealedDataKey | undefined> {
    const { rows } = await this.database.query<SealedDataKey>(
      'select version, driver, sealed from data_keys order by version desc limit 1',
    );
    return rows[0];
  }

  async add({ version, driver, sealed }: SealedDataKey): Promise<void> {
    await this.database.query(
      'insert into data_keys (version, driver, sealed) values ($1, $2, $3) on conflict (version) do nothing',
      [version, driver, sealed],
    );
  }
}
