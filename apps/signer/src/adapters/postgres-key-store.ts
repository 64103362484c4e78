import { databaseError, type Queryable } from '@agent-wallet/platform';
import type { SealedKey } from '../domain/sealed-key.js';
import type { KeyChange, KeyStore } from '../ports/key-store.js';

interface KeyRow {
  readonly agent_id: string;
  readonly key_version: number;
  readonly public_key: Buffer;
  readonly nonce: Buffer;
  readonly ciphertext: Buffer;
  readonly tag: Buffer;
}

const COLUMNS = 'agent_id, key_version, public_key, nonce, ciphertext, tag';
const FOREIGN_KEY_VIOLATION = '23503';

/** The table `keys`. */
export class PostgresKeyStore implements KeyStore {
  constructor(private readonly database: Queryable) {}

  async find(agentId: string): Promise<SealedKey | undefined> {
    const { rows } = await this.#query<KeyRow>({
      name: 'key-find',
      text: `select ${COLUMNS} from keys where agent_id = $1`,
      values: [agentId],
    });
    return rows[0] && toSealedKey(rows[0]);
  }

  async add(key: SealedKey): Promise<boolean> {
    try {
      await this.database.query({
        name: 'key-add',
        text: `insert into keys (${COLUMNS}) values ($1, $2, $3, $4, $5, $6) on conflict (agent_id) do nothing`,
        values: [key.agentId, key.keyVersion, key.publicKey, key.nonce, key.ciphertext, key.tag],
      });
      return true;
    } catch (error) {
      if ((error as { code?: string }).code === FOREIGN_KEY_VIOLATION) return false;
      throw databaseError(error);
    }
  }

  async listUnderOthers(version: number, { after, max }: { after: string; max: number }): Promise<SealedKey[]> {
    const { rows } = await this.#query<KeyRow>({
      text: `select ${COLUMNS} from keys where key_version <> $1 and agent_id > $2 order by agent_id limit $3`,
      values: [version, after, max],
    });
    return rows.map(toSealedKey);
  }

  async countUnderOthers(version: number): Promise<number> {
    const text = 'select count(*)::int as count from keys where key_version <> $1';
    return (await this.#query<{ count: number }>({ text, values: [version] })).rows[0]!.count;
  }

  /** Replaces keys that are as they were read. The nonce shows this: every encryption has another one. */
  async replace(changes: readonly KeyChange[]): Promise<number> {
    const { rowCount } = await this.#query({
      text: `update keys set key_version = new.key_version, nonce = new.nonce, ciphertext = new.ciphertext, tag = new.tag
               from unnest($1::uuid[], $2::bytea[], $3::int[], $4::bytea[], $5::bytea[], $6::bytea[])
                 as new (agent_id, old_nonce, key_version, nonce, ciphertext, tag)
              where keys.agent_id = new.agent_id and keys.nonce = new.old_nonce`,
      values: [
        changes.map(({ to }) => to.agentId),
        changes.map(({ from }) => from.nonce),
        changes.map(({ to }) => to.keyVersion),
        changes.map(({ to }) => to.nonce),
        changes.map(({ to }) => to.ciphertext),
        changes.map(({ to }) => to.tag),
      ],
    });
    return rowCount ?? 0;
  }

  async #query<Row extends object>(query: { name?: string; text: string; values: unknown[] }) {
    try {
      return await this.database.query<Row>(query);
    } catch (error) {
      throw databaseError(error);
    }
  }
}

function toSealedKey(row: KeyRow): SealedKey {
  const { nonce, ciphertext, tag } = row;
  return { agentId: row.agent_id, keyVersion: row.key_version, publicKey: row.public_key, nonce, ciphertext, tag };
}
