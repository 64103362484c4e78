import type { Owned } from '../../domain/owners/owned.js';
import type { Outbox } from '@agent-wallet/events';
import type { Database, DatabaseTransaction } from '@agent-wallet/platform';
import { randomBytes } from 'node:crypto';
import { assertionInvalid } from '../../domain/owners/rejected-assertion.js';
import type { VersionedPolicy } from '../../domain/policy.js';
import type { AgentOverview, OwnedAgent, OwnerStore, Passkey, VerifiedLogin } from '../../ports/owner-store.js';
import type { Registration } from '../../ports/passkey-verifier.js';
import type { PolicyEdit } from '../../ports/policy-store.js';
import { forgetRecipients, forgetUnlisted } from './known-recipients.js';
import { isOwner, noteOf } from './owned-agents.js';
import { readAgent } from './read-agent.js';
import { lockPolicy, storePolicy } from '../policy-rows.js';
import { withStoreErrors } from '../store-error.js';
import { findPasskey, insertPasskey, lockOwner, passkeysOf, useCounter } from './passkey-rows.js';

const MAX_CHALLENGES = 5;
/** Agents in an owner's list. */
const MAX_AGENTS = 1_000;
const LOGIN_KEY_BYTES = 32;
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

  keepChallenge(challenge: Buffer, ownerId: string, expiresAtMs: number): Promise<void> {
    return this.#transaction(async (tx) => {
      await lockOwner(tx, ownerId);
      await tx.query(
        `insert into challenges (challenge, purpose, owner_id, expires_at) values ($1, 'passkey', $2, $3)`,
        [challenge, ownerId, new Date(expiresAtMs)],
      );
      await tx.query(
        `delete from challenges where challenge in (
           select challenge from challenges where owner_id = $1 order by expires_at desc, challenge offset $2)`,
        [ownerId, MAX_CHALLENGES],
      );
    });
  }

  takeChallenge(challenge: Buffer, ownerId: string): Promise<boolean> {
    return withStoreErrors(async () => {
      const { rowCount } = await this.database.pool.query(
        'delete from challenges where challenge = $1 and owner_id = $2 and expires_at > policy.now()',
        [challenge, ownerId],
      );
      return rowCount === 1;
    });
  }

  loginKey(): Promise<Buffer> {
    return withStoreErrors(async () => {
      const kept = await this.#keptLoginKey();
      if (kept) return kept;
      const made = [randomBytes(LOGIN_KEY_BYTES)];
      await this.database.pool.query('insert into login_key (key) values ($1) on conflict do nothing', made);
      // Another replica may have been first.
      return (await this.#keptLoginKey())!;
    });
  }

  useLogin(ownerId: string, { challenge, expiresAtMs, assertion }: VerifiedLogin): Promise<void> {
    return this.#transaction(async (tx) => {
      const { rowCount } = await tx.query(
        `insert into used_logins (document_hash, expires_at)
         select $1, $2::timestamptz where $2::timestamptz > policy.now() on conflict do nothing`,
        [challenge, new Date(expiresAtMs)],
      );
      if (rowCount === 0) throw assertionInvalid('replay', 'The login was used, or has expired. Start a new login.');
      await useCounter(tx, ownerId, assertion);
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
      throw assertionInvalid(
        'registered',
        'This passkey is registered already. Log in with it, or create another one.',
      );
    });
  }

  changePolicy({ agentId, ownerId }: Owned, change: PolicyEdit): Promise<VersionedPolicy | undefined> {
    return this.#transaction(async (tx) => {
      const before = await lockPolicy(tx, agentId);
      if (!before || !(await isOwner(tx, { agentId, ownerId }))) return undefined;
      const after = await storePolicy(tx, this.outbox, {
        agentId,
        before,
        after: change(before, false),
        actor: 'owner',
      });
      await forgetUnlisted(tx, agentId, { before, after });
      return after;
    });
  }

  forgetRecipient({ agentId, ownerId }: Owned, address: string): Promise<boolean | undefined> {
    return this.#transaction(async (tx) => {
      // A settlement that makes it known holds this lock, too.
      await lockPolicy(tx, agentId);
      if (!(await isOwner(tx, { agentId, ownerId }))) return undefined;
      if ((await forgetRecipients(tx, agentId, [address])) === 0) return false;
      const value = { ...noteOf(ownerId), action: 'forget_recipient', reason: address, operationId: '' };
      await this.outbox.write(tx, agentId, { $case: 'operatorActed', value });
      return true;
    });
  }

  agentsOf(ownerId: string): Promise<OwnedAgent[]> {
    return withStoreErrors(async () => {
      const { rows } = await this.database.pool.query<AgentRow>(
        `select agent_id, role, since from agent_owners where owner_id = $1 and removed_at is null
         order by since, agent_id limit $2`,
        [ownerId, MAX_AGENTS],
      );
      return rows.map(({ agent_id: agentId, role, since }) => ({ agentId, role, sinceMs: since.getTime() }));
    });
  }

  agent(owned: Owned): Promise<AgentOverview | undefined> {
    return withStoreErrors(() => readAgent(this.database.pool, owned));
  }

  removeExpiredChallenges(): Promise<boolean> {
    return withStoreErrors(async () => {
      const { rowCount: challenges } = await this.database.pool.query(
        `delete from challenges where challenge in (
           select challenge from challenges where expires_at <= (select policy.now()) limit $1 for update skip locked)`,
        [BATCH],
      );
      // Later than they expire, so that a slow second use still meets the row.
      const { rowCount: logins } = await this.database.pool.query(
        `delete from used_logins where document_hash in (
           select document_hash from used_logins where expires_at <= (select policy.now()) - interval '1 minute' limit $1
           for update skip locked)`,
        [BATCH],
      );
      return challenges === BATCH || logins === BATCH;
    });
  }

  async #keptLoginKey(): Promise<Buffer | undefined> {
    const { rows } = await this.database.pool.query<{ key: Buffer }>('select key from login_key');
    return rows[0]?.key;
  }

  #transaction<T>(work: (tx: DatabaseTransaction) => Promise<T>): Promise<T> {
    return withStoreErrors(() => this.database.transaction(work));
  }
}
