import type { Outbox } from '@agent-wallet/events';
import { AppError } from '@agent-wallet/kernel';
import type { Database, DatabaseTransaction } from '@agent-wallet/platform';
import type { VersionedPolicy } from '../../domain/policy.js';
import type { ChallengeUse, Owned, OwnedAgent, OwnerStore, Passkey } from '../../ports/owner-store.js';
import type { Assertion, Registration } from '../../ports/passkey-verifier.js';
import type { PolicyEdit } from '../../ports/policy-store.js';
import { isOwner } from './owned-agents.js';
import { lockPolicy, storePolicy } from '../policy-rows.js';
import { withStoreErrors } from '../store-error.js';
import { findPasskey, insertPasskey, lockOwner, passkeysOf, useCounter } from './passkey-rows.js';

const MAX_CHALLENGES = 5;
/** Anyone may ask for one: the table must not grow with that. */
const MAX_LOGIN_CHALLENGES = 1_000;
const BATCH = 500;

interface AgentRow {
  readonly agent_id: string;
  readonly role: string;
  readonly since: Date;
}

/** Owners in the schema `policy`. */
export class PostgresOwnerStore implements OwnerStore {
  constructor(
    private readonly database: Database,
    private readonly outbox: Outbox,
  ) {}

  nowMs(): Promise<number> {
    return withStoreErrors(async () => {
      const { rows } = await this.database.pool.query<{ now: Date }>('select policy.now() as now');
      return rows[0]!.now.getTime();
    });
  }

  keepChallenge(challenge: Buffer, { purpose, ownerId }: ChallengeUse, expiresAtMs: number): Promise<void> {
    return this.#transaction(async (tx) => {
      if (ownerId !== undefined) await lockOwner(tx, ownerId);
      await tx.query('insert into challenges (challenge, purpose, owner_id, expires_at) values ($1, $2, $3, $4)', [
        challenge,
        purpose,
        ownerId,
        new Date(expiresAtMs),
      ]);
      await tx.query(
        `delete from challenges where challenge in (
           select challenge from challenges where purpose = $1 and owner_id is not distinct from $2
           order by expires_at desc, challenge offset $3)`,
        [purpose, ownerId, ownerId === undefined ? MAX_LOGIN_CHALLENGES : MAX_CHALLENGES],
      );
    });
  }

  takeChallenge(challenge: Buffer, { purpose, ownerId }: ChallengeUse): Promise<boolean> {
    return withStoreErrors(async () => {
      const { rowCount } = await this.database.pool.query(
        `delete from challenges where challenge = $1 and purpose = $2 and owner_id is not distinct from $3
           and expires_at > policy.now()`,
        [challenge, purpose, ownerId],
      );
      return rowCount === 1;
    });
  }

  passkeysOf(ownerId: string): Promise<Passkey[]> {
    return withStoreErrors(() => passkeysOf(this.database.pool, ownerId));
  }

  findPasskey(credentialId: Buffer): Promise<Passkey | undefined> {
    return withStoreErrors(() => findPasskey(this.database.pool, credentialId));
  }

  addFirstPasskey(ownerId: string, registration: Registration): Promise<boolean> {
    return this.#transaction(async (tx) => {
      await lockOwner(tx, ownerId);
      if ((await passkeysOf(tx, ownerId)).length > 0) return false;
      if (await insertPasskey(tx, this.outbox, { ownerId, registration })) return true;
      throw new AppError('ASSERTION_INVALID', { cause: 'the credential is registered already' });
    });
  }

  countSignature(ownerId: string, assertion: Assertion): Promise<void> {
    return withStoreErrors(() => useCounter(this.database.pool, ownerId, assertion));
  }

  changePolicy({ agentId, ownerId }: Owned, change: PolicyEdit): Promise<VersionedPolicy | undefined> {
    return this.#transaction(async (tx) => {
      const before = await lockPolicy(tx, agentId);
      if (!before || !(await isOwner(tx, { agentId, ownerId }))) return undefined;
      return storePolicy(tx, this.outbox, { agentId, before, after: change(before) });
    });
  }

  agentsOf(ownerId: string): Promise<OwnedAgent[]> {
    return withStoreErrors(async () => {
      const { rows } = await this.database.pool.query<AgentRow>(
        `select agent_id, role, since from agent_owners where owner_id = $1 and removed_at is null
         order by since, agent_id`,
        [ownerId],
      );
      return rows.map(({ agent_id: agentId, role, since }) => ({ agentId, role, sinceMs: since.getTime() }));
    });
  }

  removeExpiredChallenges(): Promise<boolean> {
    return withStoreErrors(async () => {
      const { rowCount } = await this.database.pool.query(
        `delete from challenges where challenge in (
           select challenge from challenges where expires_at <= policy.now() limit $1 for update skip locked)`,
        [BATCH],
      );
      return rowCount === BATCH;
    });
  }

  #transaction<T>(work: (tx: DatabaseTransaction) => Promise<T>): Promise<T> {
    return withStoreErrors(() => this.database.transaction(work));
  }
}
