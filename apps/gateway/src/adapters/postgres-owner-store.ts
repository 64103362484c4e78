import { type Clock, newId } from '@agent-wallet/kernel';
import type { Database, Queryable } from '@agent-wallet/platform';
import {
  type ListedOwnerSession,
  type Owner,
  OWNER_IDLE_MS,
  OWNER_SESSION_MS,
  type OwnerSession,
} from '../domain/owner-session.js';
import type { ClaimedOtp } from '../ports/otp-store.js';
import type {
  ClaimEviction,
  EndingSession,
  NewOwnerSession,
  NotedEviction,
  OwnerStore,
  PasskeyLogin,
} from '../ports/owner-store.js';
import { noteMailProof, noteNetwork, useOtp } from './otp-rows.js';
import { guarded, query, timeParameter } from './query.js';

/** Longer than a vote can take, so that its outcome is final when a replica looks. */
const VOTED_WITHIN_MS = 30_000;
const BATCH = 10;

const OWNER_OF_EMAIL = { name: 'owner-of-email', text: 'select id, email from owners where email = $1' };

interface SessionRow {
  readonly session_id: string;
  readonly id: string;
  readonly email: string;
  readonly authenticated_by: 'mail' | 'passkey';
  readonly authenticated_at: Date;
  readonly mail_proven_at: Date | null;
}

interface ListedRow {
  readonly id: string;
  readonly authenticated_by: 'mail' | 'passkey';
  readonly authenticated_at: Date;
  readonly credential_id: Buffer | null;
  readonly used_at: Date;
  readonly network: string;
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

  openByMail(opening: NewOwnerSession, otp: ClaimedOtp): Promise<Owner | undefined> {
    const now = this.#in(0);
    return this.#transaction(async (tx) => {
      if (!(await useOtp(tx, otp, now))) return undefined;
      await query(tx, {
        name: 'make-owner',
        text: 'insert into owners (id, email, created_at) values ($1, $2, $3) on conflict (email) do nothing',
        values: [newId(), otp.email, now],
      });
      const [owner] = await query<Owner>(tx, { ...OWNER_OF_EMAIL, values: [otp.email] });
      await this.#open(tx, { ...opening, ownerId: owner!.id, credentialId: null, by: 'mail', mailProvenAt: now });
      await noteMailProof(tx, otp, now);
      return owner;
    });
  }

  openByPasskey(
    opening: NewOwnerSession,
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
      await this.#open(tx, { ...opening, ownerId, credentialId, by: 'passkey', mailProvenAt });
      await noteNetwork(tx, { email: owner.email, network: opening.network }, this.#in(0));
      return owner;
    });
  }

  async use(tokenHash: Buffer): Promise<OwnerSession | undefined> {
    const [row] = await query<SessionRow>(this.database.pool, {
      name: 'use-owner-session',
      text: `update owner_sessions s set used_at = $2 from owners o
             where s.token_hash = $1 and o.id = s.owner_id and s.used_at > $3 and s.authenticated_at > $4
             returning s.id as session_id, o.id, o.email, s.authenticated_by, s.authenticated_at, s.mail_proven_at`,
      values: [tokenHash, this.#in(0), this.#in(-OWNER_IDLE_MS), this.#in(-OWNER_SESSION_MS)],
    });
    return (
      row && {
        id: row.session_id,
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

  async list(ownerId: string, limit: number): Promise<ListedOwnerSession[]> {
    const rows = await query<ListedRow>(this.database.pool, {
      name: 'list-owner-sessions',
      text: `select id, authenticated_by, authenticated_at, credential_id, used_at, network from owner_sessions
             where owner_id = $1 and used_at > $2 and authenticated_at > $3
             order by authenticated_at desc, id desc limit $4`,
      values: [ownerId, this.#in(-OWNER_IDLE_MS), this.#in(-OWNER_SESSION_MS), limit],
    });
    return rows.map((row) => ({
      id: row.id,
      authenticatedBy: row.authenticated_by,
      authenticatedAtMs: row.authenticated_at.getTime(),
      credentialId: row.credential_id ?? undefined,
      usedAtMs: row.used_at.getTime(),
      network: row.network,
    }));
  }

  async endById({ owner, authenticatedBy }: EndingSession, sessionId: string) {
    const [row] = await query<{ ended: boolean; is_barred: boolean }>(this.database.pool, {
      name: 'end-owner-session-by-id',
      text: `with found as (
               select id, used_at > $4 and authenticated_at > $5 as stands,
                 $3 = 'mail' and authenticated_by = 'passkey' as is_barred
               from owner_sessions where id = $1 and owner_id = $2),
             ended as (delete from owner_sessions s using found f where s.id = f.id and not f.is_barred returning s.id)
             select exists (select from ended) as ended, is_barred from found where stands`,
      values: [sessionId, owner.id, authenticatedBy, this.#in(-OWNER_IDLE_MS), this.#in(-OWNER_SESSION_MS)],
    });
    if (row?.is_barred) return 'by_passkey';
    return row?.ended ? 'ended' : 'unknown';
  }

  async endOthers({ id, owner, authenticatedBy }: EndingSession): Promise<number> {
    const [row] = await query<{ ended: number }>(this.database.pool, {
      name: 'end-other-owner-sessions',
      text: `with ended as (
               delete from owner_sessions
               where owner_id = $1 and id <> $2 and ($3 = 'passkey' or authenticated_by = 'mail')
               returning used_at > $4 and authenticated_at > $5 as stood)
             select count(*) filter (where stood)::int as ended from ended`,
      values: [owner.id, id, authenticatedBy, this.#in(-OWNER_IDLE_MS), this.#in(-OWNER_SESSION_MS)],
    });
    return row!.ended;
  }

  endSessionsOfPasskey(credentialId: Buffer): Promise<void> {
    return endSessionsOfPasskey(this.database.pool, credentialId);
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
      readonly network: string;
      readonly ownerId: string;
      readonly credentialId: Buffer | null;
      readonly by: 'mail' | 'passkey';
      readonly mailProvenAt: string | null;
    },
  ): Promise<void> {
    const { tokenHash, network, ownerId, credentialId, by, mailProvenAt } = session;
    await query(tx, {
      name: 'open-owner-session',
      text: `insert into owner_sessions (token_hash, owner_id, authenticated_by, authenticated_at, mail_proven_at, used_at,
               credential_id, id, network)
             values ($1, $2, $3, $4, $5, $4, $6, $7, $8)`,
      values: [tokenHash, ownerId, by, this.#in(0), mailProvenAt, credentialId, newId(), network],
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

/** Ends the sessions that a passkey opened. */
export async function endSessionsOfPasskey(on: Queryable, credentialId: Buffer): Promise<void> {
  await query(on, {
    name: 'end-sessions-of-passkey',
    text: 'delete from owner_sessions where credential_id = $1',
    values: [credentialId],
  });
}
