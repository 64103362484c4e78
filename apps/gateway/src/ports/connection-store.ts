import type { Connection, Granted } from '../domain/connection.js';
import type { Session } from '../domain/session.js';

/** The session and the code of a grant. */
export interface Grant {
  readonly session: Pick<Session, 'id' | 'agentId' | 'expiresAtMs' | 'token'>;
  readonly codeHash: Buffer;
}

/** A grant whose secret an app presents. */
export interface Presented {
  readonly granted: Granted;
  /** Whether the secret was used before, and may not be used again: somewhere is a copy. */
  readonly isReplay: boolean;
}

/** Connections of apps, and the secrets that they get, by their hashes. */
export interface ConnectionStore {
  open(connection: Connection): Promise<void>;
  /** Returns a connection that can still be decided. */
  pending(id: string): Promise<Connection | undefined>;
  /** Decides a connection, by a grant or by a rejection. Returns undefined when it was decided before, or is over. */
  decide(id: string, grant?: Grant): Promise<Connection | undefined>;
  /** Returns the grant of a code. Returns undefined for one that is unknown or over. */
  ofCode(codeHash: Buffer): Promise<Presented | undefined>;
  /** Uses up a code. Returns false when another request was first. */
  redeem(codeHash: Buffer): Promise<boolean>;
  /** Keeps the first refresh token of a connection. */
  keepRefresh(connectionId: string, tokenHash: Buffer): Promise<void>;
  /**
   * Uses a refresh token of a client, and keeps its successor. A use after `REFRESH_AGAIN_MS` from the first is a replay, and has
   * none. Returns undefined for a token that is unknown.
   */
  rotate(token: RefreshToken, successorHash: Buffer): Promise<Presented | undefined>;
  /** Returns the connection of a refresh token of a client. */
  ofRefresh(token: RefreshToken): Promise<Granted | undefined>;
}

/** A refresh token, and the client that presents it. */
export interface RefreshToken {
  readonly hash: Buffer;
  readonly clientId: string;
}
