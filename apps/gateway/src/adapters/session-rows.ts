import type { Queryable } from '@agent-wallet/platform';
import type { Session } from '../domain/session.js';
import { query, timeParameter } from './query.js';

/** Rows of sessions. Times that are texts are parameters of the database, see `timeParameter`. */

interface SessionRow {
  readonly id: string;
  readonly agent_id: string;
  readonly family_id: string;
  readonly created_at: Date;
  readonly authenticated_at: Date;
  readonly expires_at: Date;
  readonly revoked_at: Date | null;
  readonly replaced_by: string | null;
  readonly last_used_at: Date | null;
  readonly network: string | null;
}

const COLUMNS = `id, agent_id, family_id, created_at,
  authenticated_at, expires_at, revoked_at, replaced_by, last_used_at, network`;

/**
 * Makes the transactions that open and end sessions of one agent wait for each other. Without it an end could overlook what
 * a refresh is about to open. It comes before every lock of a session.
 */
export async function lockAgent(tx: Queryable, agentId: string): Promise<void> {
  await query(tx, {
    name: 'lock-agent',
    text: 'select 1 from agents where id = $1 for update',
    values: [agentId],
  });
}

export async function findSession(on: Queryable, sessionId: string, agentId: string): Promise<Session | undefined> {
  const [row] = await query<SessionRow>(on, {
    name: 'find-session',
    text: `select ${COLUMNS} from sessions where id = $1 and agent_id = $2`,
    values: [sessionId, agentId],
  });
  return row && toSession(row);
}

/** Returns which of these sessions still stand. */
export async function findStanding(on: Queryable, sessionIds: readonly string[], now: string): Promise<Set<string>> {
  if (sessionIds.length === 0) return new Set();
  const rows = await query<{ id: string }>(on, {
    name: 'standing-sessions',
    text: 'select id from sessions where id = any($1::uuid[]) and revoked_at is null and expires_at > $2',
    values: [sessionIds, now],
  });
  return new Set(rows.map(({ id }) => id));
}

/** Returns the live sessions of an agent's logins, those of the newest login first. */
export async function listStanding(
  on: Queryable,
  { agentId, atMost, now }: { readonly agentId: string; readonly atMost: number; readonly now: string },
): Promise<Session[]> {
  const rows = await query<SessionRow>(on, {
    name: 'list-sessions',
    text: `select ${COLUMNS} from sessions
           where agent_id = $1 and token_id is null and revoked_at is null and expires_at > $2
           order by authenticated_at desc, id desc limit $3`,
    values: [agentId, now, atMost],
  });
  return rows.map(toSession);
}

/** Returns the live scoped tokens that the sessions of a login have made. */
export async function listTokens(
  on: Queryable,
  { agentId, familyId, now }: { readonly agentId: string; readonly familyId: string; readonly now: string },
): Promise<string[]> {
  const rows = await query<{ tokenId: string }>(on, {
    name: 'list-tokens-of-login',
    text: `select token_id as "tokenId" from sessions
           where agent_id = $1 and family_id = $2 and token_id is not null and revoked_at is null and expires_at > $3`,
    values: [agentId, familyId, now],
  });
  return rows.map(({ tokenId }) => tokenId);
}

export async function insertSession(tx: Queryable, session: Session): Promise<void> {
  const { id, agentId, familyId, createdAtMs, authenticatedAtMs, expiresAtMs, network, token } = session;
  await query(tx, {
    name: 'open-session',
    text: `insert into sessions (id, agent_id, family_id, created_at, authenticated_at, expires_at, network, token_id)
           values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    values: [
      id,
      agentId,
      familyId,
      timeParameter(createdAtMs),
      timeParameter(authenticatedAtMs),
      timeParameter(expiresAtMs),
      network,
      token?.id ?? null,
    ],
  });
}

/** Marks a session as replaced; false when it had ended already. */
export async function replaceSession(
  tx: Queryable,
  oldSessionId: string,
  successor: Session,
  now: string,
): Promise<boolean> {
  const replaced = await query(tx, {
    name: 'replace-session',
    text: `update sessions set revoked_at = $3, replaced_by = $4
           where id = $1 and agent_id = $2 and revoked_at is null and expires_at > $3 returning id`,
    values: [oldSessionId, successor.agentId, now, successor.id],
  });
  return replaced.length > 0;
}

/** Sessions of an agent that are to end. */
interface Ending {
  readonly agentId: string;
  /** Login whose sessions end; every one when undefined. */
  readonly familyId?: string | undefined;
  /** Scoped token whose sessions end. */
  readonly tokenId?: string | undefined;
  readonly now: string;
}

/** A session that ended. */
export interface EndedSession {
  readonly id: string;
  readonly tokenId: string | null;
}

/** Ends sessions that stand, and returns them. */
export async function endStanding(tx: Queryable, { agentId, familyId, tokenId, now }: Ending): Promise<EndedSession[]> {
  return query<{ id: string; tokenId: string | null }>(tx, {
    name: 'end-sessions',
    text: `update sessions set revoked_at = $3
           where agent_id = $1 and ($2::uuid is null or family_id = $2) and ($4::uuid is null or token_id = $4)
             and revoked_at is null and expires_at > $3
           returning id, token_id as "tokenId"`,
    values: [agentId, familyId ?? null, now, tokenId ?? null],
  });
}

function toSession(row: SessionRow): Session {
  return {
    id: row.id,
    agentId: row.agent_id,
    familyId: row.family_id,
    createdAtMs: row.created_at.getTime(),
    authenticatedAtMs: row.authenticated_at.getTime(),
    expiresAtMs: row.expires_at.getTime(),
    revokedAtMs: row.revoked_at?.getTime(),
    replacedBy: row.replaced_by ?? undefined,
    lastUsedAtMs: row.last_used_at?.getTime(),
    network: row.network ?? undefined,
  };
}
