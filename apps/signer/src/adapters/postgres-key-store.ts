import { databaseError, type Queryable } from '@agent-wallet/platform';
import type { SealedKey } from '../domain/sealed-key.js';
import type { KeyStore } from '../ports/key-store.js';

interface KeyRow {
  readonly agent_id: string;
  readonly key_version: number;
  readonly public_key: Buffer;
  readonly nonce: Buffer;
  readonly ciphertext: Buffer;
  readonly tag: Buffer;
}

/** The table `keys`. */
export class PostgresKeyStore implements KeyStore {
  constructor(private readonly database: Queryable) {}

  async find(agentId: string): Promise<SealedKey | undefined> {
    try {
      const { rows } = await this.database.query<KeyRow>({
        name: 'key-find',
        text: `select agent_id, key_version, public_key, nonce, ciphertext, tag from keys where agent_id = $1`,
        values: [agentId],
      });
      return rows[0] && toSealedKey(rows[0]);
    } catch (error) {
      throw databaseError(error);
    }
  }

  async add(key: SealedKey): Promise<void> {
    try {
      await this.database.query({
        name: 'key-add',
        text: `insert into keys (agent_id, key_version, public_key, nonce, ciphertext, tag)
               values ($1, $2, $3, $4, $5, $6) on conflict (agent_id) do nothing`,
        values: [key.agentId, key.keyVersion, key.publicKey, key.nonce, key.ciphertext, key.tag],
      });
    } catch (error) {
      throw databaseError(error);
    }
  }
}

function toSealedKey(row: KeyRow): SealedKey {
  const { nonce, ciphertext, tag } = row;
  return { agentId: row.agent_id, keyVersion: row.key_version, publicKey: row.public_key, nonce, ciphertext, tag };
}
