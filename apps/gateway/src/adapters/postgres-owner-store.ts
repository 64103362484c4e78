import { type Clock, newId } from '@agent-wallet/kernel';
import type { Database, Queryable } from '@agent-wallet/platform';
import { type Owner, OWNER_IDLE_MS, OWNER_SESSION_MS, type OwnerSession } from '../domain/owner-session.js';
import type { ClaimedOtp } from '../ports/otp-store.js';
import type { ClaimEviction, NotedEviction, OwnerStore, PasskeyLogin } from '../ports/owner-store.js';
import { forgetRequests, useOtp } from './otp-rows.js';
import { guarded, query, timeParameter } from './query.js';

/** Longer than a vote can take, so that its outcome is final when a replica looks. */
const VOTED_WITHIN_MS = 30_000;
const BATCH = 10;

const OWNER_OF_EMAIL = { name: 'owner-of-email', text: 'select id, email from owners where email = $1' };

interface SessionRow {
  readonly id: string;
  readonly email: string;
  readonly authenticated_by: 'mail' | 'passkey';
  readonly authenticated_at: Date;
  readonly mail_proven_at: Date | null;
}

interface EvictionRow {
  readonly approval_id: string;
  readonly agent_id: string;
  readonly owner_id: string;
}

/** Owners, their sessions and the evictions of their claims in Postgres. */
export class PostgresOwnerStore implements OwnerStore {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  async idOf(email: string): Promise<string | undefined> {
    const [owner] = await query<Owner>(this.database.pool, { ...OWNER_OF_EMAIL, values: [email] });
    return owner?.id;
  }

  async emailOf(ownerId: string): Promise<string | undefined> {
    const [owner] = await query<Pick<Owner, 'email'>>(this.database.pool, {
      name: 'email-of-owner',
      text: 'select email from owners where id = $1',
      values: [ownerId],
    });
    return owner?.email;
  }

  openByMail(tokenHash: Buffer, otp: ClaimedOtp): Promise<Owner | undefined> {
    const now = this.#in(0);
    return this.#transaction(async (tx) => {
      if (!(await useOtp(tx, otp, now))) return undefined;
      await query(tx, {
        name: 'make-owner',
        text: 'insert into owners (id, email, created_at) values ($1, $2, $3) on conflict (email) do nothing',
        values: [newId(), otp.email, now],
      });
      const [owner] = await query<Owner>(tx, { ...OWNER_OF_EMAIL, values: [otp.email] });
      await this.#open(tx, { tokenHash, ownerId: owner!.id, credentialId: null, by: 'mail', mailProvenAt: now });
      await forgetRequests(tx, otp);
      return owner;
    });
  }

  openByPasskey(
    tokenHash: Buffer,
    { ownerId, credentialId, mailProvenAtMs }: PasskeyLogin,
    earlier: { readonly ends: 'one'; readonly tokenHash: Buffer | undefined } | { readonly ends: 'all' },
  ): Promise<Owner | undefined> {
    return this.#transaction(async (tx) => {
      const [owner] = await query<Owner>(tx, {
        name: 'owner-by-id',
        text: 'select id, email from owners where id = $1',
        values: [ownerId],
      });
      if (!owner) return undefined;
      if (earlier.ends === 'one') await endSession(tx, earlier.tokenHash);
      else
        await query(tx, {
          name: 'end-owner-sessions',
          text: 'delete from owner_sessions where owner_id = $1',
          values: [ownerId],
        });
      const mailProvenAt = mailProvenAtMs === undefined ? null : timeParameter(mailProvenAtMs);
      await this.#open(tx, { tokenHash, ownerId, credentialId, by: 'passkey', mailProvenAt });
      return owner;
    });
  }

  async use(tokenHash: Buffer): Promise<OwnerSession | undefined> {
    const [row] = await query<SessionRow>(this.database.pool, {
      name: 'use-owner-session',
      text: `update owner_sessions s set used_at = $2 from owners o
             where s.token_hash = $1 and o.id = s.owner_id and s.used_at > $3 and s.authenticated_at > $4
             returning o.id, o.email, s.authenticated_by, s.authenticated_at, s.mail_proven_at`,
      values: [tokenHash, this.#in(0), this.#in(-OWNER_IDLE_MS), this.#in(-OWNER_SESSION_MS)],
    });
    return (
      row && {
        owner: { id: row.id, email: row.email },
        authenticatedBy: row.authenticated_by,
        authenticatedAtMs: row.authenticated_at.getTime(),
        mailProvenAtMs: row.mail_proven_at?.getTime(),
      }
    );
  }

  async standing(tokenHashes: readonly Buffer[]): Promise<ReadonlySet<string>> {
    if (tokenHashes.length === 0) return new Set();
    const rows = await query<{ token_hash: Buffer }>(this.database.pool, {
      name: 'standing-owner-sessions',
      text: `select token_hash from owner_sessions
             where token_hash = any($1::bytea[]) and used_at > $2 and authenticated_at > $3`,
      values: [tokenHashes, this.#in(-OWNER_IDLE_MS), this.#in(-OWNER_SESSION_MS)],
    });
    return new Set(rows.map((row) => row.token_hash.toString('hex')));
  }

  end(tokenHash: Buffer): Promise<void> {
    return endSession(this.database.pool, tokenHash);
  }

  async noteEviction(eviction: ClaimEviction): Promise<NotedEviction> {
    const { approvalId, agentId, ownerId } = eviction;
    const dueAtMs = this.clock.nowMs() + VOTED_WITHIN_MS;
    await query(this.database.pool, {
      name: 'note-eviction',
      text: `insert into claim_evictions (approval_id, agent_id, owner_id, due_at) values ($1, $2, $3, $4)
             on conflict (approval_id) do update set due_at = excluded.due_at`,
      values: [approvalId, agentId, ownerId, timeParameter(dueAtMs)],
    });
    return { ...eviction, dueAtMs };
  }

  async takeDueEvictions(): Promise<NotedEviction[]> {
    const nowMs = this.clock.nowMs();
    const dueAtMs = nowMs + VOTED_WITHIN_MS;
    const rows = await query<EvictionRow>(this.database.pool, {
      name: 'take-evictions',
      text: `update claim_evictions set due_at = $2 where approval_id in (
               select approval_id from claim_evictions where due_at <= $1 order by due_at limit ${BATCH}
               for update skip locked)
             returning approval_id, agent_id, owner_id`,
      values: [timeParameter(nowMs), timeParameter(dueAtMs)],
    });
    return rows.map(({ approval_id: approvalId, agent_id: agentId, owner_id: ownerId }) => ({
      approvalId,
      agentId,
      ownerId,
      dueAtMs,
    }));
  }

  async postponeEviction({ approvalId, dueAtMs }: NotedEviction, laterMs: number): Promise<void> {
    await query(this.database.pool, {
      name: 'postpone-eviction',
      text: 'update claim_evictions set due_at = $3 where approval_id = $1 and due_at = $2',
      values: [approvalId, timeParameter(dueAtMs), timeParameter(laterMs)],
    });
  }

  async forgetEviction({ approvalId, dueAtMs }: NotedEviction): Promise<void> {
    await query(this.database.pool, {
      name: 'forget-eviction',
      text: 'delete from claim_evictions where approval_id = $1 and due_at = $2',
      values: [approvalId, timeParameter(dueAtMs)],
    });
  }

  async #open(
    tx: Queryable,
    session: {
      readonly tokenHash: Buffer;
      readonly ownerId: string;
      readonly credentialId: Buffer | null;
      readonly by: 'mail' | 'passkey';
      readonly mailProvenAt: string | null;
    },
  ): Promise<void> {
    const { tokenHash, ownerId, credentialId, by, mailProvenAt } = session;
    await query(tx, {
      name: 'open-owner-session',
      text: `insert into owner_sessions (token_hash, owner_id, authenticated_by, authenticated_at, mail_proven_at, used_at,
               credential_id)
             values ($1, $2, $3, $4, $5, $4, $6)`,
      values: [tokenHash, ownerId, by, this.#in(0), mailProvenAt, credentialId],
    });
  }

  #transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T> {
    return guarded(() => this.database.transaction(work));
  }

  #in(delayMs: number): string {
    return timeParameter(this.clock.nowMs() + delayMs);
  }
}

async function endSession(on: Queryable, tokenHash: Buffer | undefined): Promise<void> {
  await query(on, {
    name: 'end-owner-session',
    text: 'delete from owner_sessions where token_hash = $1',
    values: [tokenHash ?? null],
  });
}
