import { type Clock, isTokenScope } from '@agent-wallet/kernel';
import type { Database } from '@agent-wallet/platform';
import { type Connection, type Granted, REFRESH_AGAIN_MS, REDEEM_WITHIN_MS } from '../domain/connection.js';
import type { ConnectionStore, Grant, Presented, RefreshToken } from '../ports/connection-store.js';
import { query, timeParameter } from './query.js';

interface ConnectionRow {
  readonly id: string;
  readonly client_id: string;
  readonly client_name: string;
  readonly client_uri: string | null;
  readonly redirect_uri: string;
  readonly scopes: readonly string[];
  readonly state: string | null;
  readonly code_challenge: string;
  readonly expires_at: Date;
}

interface GrantedRow extends ConnectionRow {
  readonly agent_id: string;
  readonly token_id: string;
  readonly token_scopes: readonly string[];
  readonly session_id: string;
  readonly decided_at: Date;
}

const COLUMNS = 'id, client_id, client_name, client_uri, redirect_uri, scopes, state, code_challenge, expires_at';
const GRANTED = `${COLUMNS}, agent_id, token_id, token_scopes, session_id, decided_at`;

/** Connections in Postgres. */
export class PostgresConnectionStore implements ConnectionStore {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  async open({ id, client, ...connection }: Connection): Promise<void> {
    await query(this.database.pool, {
      name: 'open-connection',
      text: `insert into connections (id, client_id, client_name, client_uri, redirect_uri, scopes, state, code_challenge,
               expires_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
      values: [
        ...[id, client.id, client.name, client.uri, connection.redirectUri, connection.scopes],
        ...[connection.state, connection.codeChallenge, timeParameter(connection.expiresAtMs)],
      ],
    });
  }

  async pending(id: string): Promise<Connection | undefined> {
    const [row] = await query<ConnectionRow>(this.database.pool, {
      name: 'pending-connection',
      text: `select ${COLUMNS} from connections where id = $1 and decided_at is null and expires_at > $2`,
      values: [id, this.#now()],
    });
    return row && toConnection(row);
  }

  async decide(id: string, grant?: Grant): Promise<Connection | undefined> {
    const session = grant?.session;
    const codeEndsAtMs = this.clock.nowMs() + REDEEM_WITHIN_MS;
    const [row] = await query<ConnectionRow>(this.database.pool, {
      name: 'decide-connection',
      text: `update connections set decided_at = $2, agent_id = $3, token_id = $4, token_scopes = $5, session_id = $6,
               code_hash = $7, code_expires_at = $8, expires_at = coalesce($9, expires_at)
             where id = $1 and decided_at is null and expires_at > $2 returning ${COLUMNS}`,
      values: [
        ...[id, this.#now(), session?.agentId, session?.token?.id, session?.token?.scopes, session?.id],
        ...(grant ? [grant.codeHash, timeParameter(codeEndsAtMs), timeParameter(grant.session.expiresAtMs)] : NOTHING),
      ],
    });
    return row && toConnection(row);
  }

  async ofCode(codeHash: Buffer): Promise<Presented | undefined> {
    const [row] = await query<GrantedRow & { readonly is_replay: boolean }>(this.database.pool, {
      name: 'connection-of-code',
      text: `select ${GRANTED}, redeemed_at is not null as is_replay from connections
             where code_hash = $1 and (redeemed_at is not null or code_expires_at > $2)`,
      values: [codeHash, this.#now()],
    });
    return row && { granted: toGranted(row), isReplay: row.is_replay };
  }

  async redeem(codeHash: Buffer): Promise<boolean> {
    const redeemed = await query(this.database.pool, {
      name: 'redeem-code',
      text: 'update connections set redeemed_at = $2 where code_hash = $1 and redeemed_at is null returning 1',
      values: [codeHash, this.#now()],
    });
    return redeemed.length > 0;
  }

  async keepRefresh(connectionId: string, tokenHash: Buffer): Promise<void> {
    await query(this.database.pool, {
      name: 'keep-refresh-token',
      text: 'insert into refresh_tokens (token_hash, connection_id) values ($1, $2)',
      values: [tokenHash, connectionId],
    });
  }

  async rotate({ hash, clientId }: RefreshToken, successorHash: Buffer): Promise<Presented | undefined> {
    const nowMs = this.clock.nowMs();
    const [row] = await query<GrantedRow & { readonly is_replay: boolean }>(this.database.pool, {
      name: 'rotate-refresh-token',
      text: `with given as (
               update refresh_tokens set used_at = coalesce(used_at, $4)
               from connections where token_hash = $1 and id = connection_id and client_id = $3
               returning ${GRANTED}, used_at <= $5 as is_replay),
             successor as (
               insert into refresh_tokens (token_hash, connection_id) select $2, id from given where not is_replay)
             select * from given`,
      values: [hash, successorHash, clientId, timeParameter(nowMs), timeParameter(nowMs - REFRESH_AGAIN_MS)],
    });
    return row && { granted: toGranted(row), isReplay: row.is_replay };
  }

  async ofRefresh({ hash, clientId }: RefreshToken): Promise<Granted | undefined> {
    const [row] = await query<GrantedRow>(this.database.pool, {
      name: 'connection-of-refresh-token',
      text: `select ${GRANTED} from refresh_tokens join connections on id = connection_id
             where token_hash = $1 and client_id = $2`,
      values: [hash, clientId],
    });
    return row && toGranted(row);
  }

  #now(): string {
    return timeParameter(this.clock.nowMs());
  }
}

/** Columns of a grant in a rejection. */
const NOTHING = [undefined, undefined, undefined];

function toConnection(row: ConnectionRow): Connection {
  return {
    id: row.id,
    client: { id: row.client_id, name: row.client_name, uri: row.client_uri ?? undefined },
    redirectUri: row.redirect_uri,
    scopes: row.scopes.filter(isTokenScope),
    state: row.state ?? undefined,
    codeChallenge: row.code_challenge,
    expiresAtMs: row.expires_at.getTime(),
  };
}

function toGranted(row: GrantedRow): Granted {
  const { agent_id: agentId, session_id: sessionId } = row;
  const token = { id: row.token_id, scopes: row.token_scopes.filter(isTokenScope) };
  return { ...toConnection(row), agentId, sessionId, token, grantedAtMs: row.decided_at.getTime() };
}
