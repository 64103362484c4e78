import { databaseError, type Queryable } from '@agent-wallet/platform';
import type { QueryResultRow } from 'pg';
import type { Replica, ReplicaStore } from '../ports/replica-store.js';

/** A replica that was not seen for so long is not up. */
const SEEN_WITHIN = "interval '15 seconds'";

interface ReplicaRow {
  readonly ephemeral_key: Buffer;
  readonly vault_driver: string;
  readonly vault_id: string;
  readonly versions: number[];
  readonly seen_at: Date;
}

/** The table `replicas`, by the database's clock. */
export class PostgresReplicaStore implements ReplicaStore {
  constructor(private readonly database: Queryable) {}

  async heartbeat({ ephemeralKey, vault, versions }: Omit<Replica, 'seenAtMs'>): Promise<void> {
    await this.#rows(
      `with old as (delete from replicas where seen_at < clock_timestamp() - interval '1 hour')
       insert into replicas values ($1, $2, $3, $4, clock_timestamp())
       on conflict (ephemeral_key) do update set vault_id = $3, versions = $4, seen_at = clock_timestamp()`,
      [ephemeralKey, vault.driver, vault.id, versions],
    );
  }

  async list(): Promise<readonly Replica[]> {
    const rows = await this.#rows<ReplicaRow>(
      `select ephemeral_key, vault_driver, vault_id, versions, seen_at from replicas where seen_at > clock_timestamp() - ${SEEN_WITHIN} order by ephemeral_key`,
    );
    return rows.map((row) => ({
      ephemeralKey: row.ephemeral_key,
      vault: { driver: row.vault_driver, id: row.vault_id },
      versions: row.versions,
      seenAtMs: row.seen_at.getTime(),
    }));
  }

  async leave(ephemeralKey: Buffer): Promise<void> {
    await this.#rows('delete from replicas where ephemeral_key = $1', [ephemeralKey]);
  }

  async #rows<Row extends QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    try {
      return (await this.database.query<Row>(text, values)).rows;
    } catch (error) {
      throw databaseError(error);
    }
  }
}
