import { databaseError, type Queryable } from '@agent-wallet/platform';
import type { BootStore, RecordedBoot } from '../ports/boot-store.js';
import type { Evidence } from '../ports/vault.js';

interface BootRow {
  readonly ephemeral_key: Buffer;
  readonly driver: string;
  readonly statement: Buffer;
  readonly format: Evidence['format'];
  readonly key_id: string;
  readonly evidence: Buffer;
  readonly build_digest: Buffer;
  /** int8 comes as text. */
  readonly started_at_ms: string;
}

const COLUMNS = 'ephemeral_key, driver, statement, format, key_id, evidence, build_digest, started_at_ms';

/** The table `boots`. */
export class PostgresBootStore implements BootStore {
  constructor(private readonly database: Queryable) {}

  async add({ ephemeralKey, driver, statement, evidence, buildDigest, startedAtMs }: RecordedBoot): Promise<void> {
    const { format, keyId, document } = evidence;
    await this.database
      .query(
        `insert into boots (${COLUMNS})
         values ($1, $2, $3, $4, $5, $6, $7, $8)`,
        [ephemeralKey, driver, statement, format, keyId, document, buildDigest, startedAtMs],
      )
      .catch(throwDatabaseError);
  }

  async find(ephemeralKey: Uint8Array): Promise<RecordedBoot | undefined> {
    const { rows } = await this.database
      .query<BootRow>(`select ${COLUMNS} from boots where ephemeral_key = $1`, [ephemeralKey])
      .catch(throwDatabaseError);
    return rows[0] && toBoot(rows[0]);
  }
}

function toBoot({ ephemeral_key, driver, statement, format, key_id, evidence, ...row }: BootRow): RecordedBoot {
  return {
    ephemeralKey: ephemeral_key,
    driver,
    statement,
    evidence: { format, keyId: key_id, document: evidence },
    buildDigest: row.build_digest,
    startedAtMs: Number(row.started_at_ms),
  };
}

function throwDatabaseError(error: unknown): never {
  throw databaseError(error);
}
