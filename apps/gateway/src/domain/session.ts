import type { TokenScope } from '@agent-wallet/kernel';

/** A session as it is stored. It may have ended. Times are Unix milliseconds. */
export interface Session {
  /** The token's jti. */
  readonly id: string;
  readonly agentId: string;
  /** Id of the first session of the login that this one goes back to. */
  readonly familyId: string;
  /** The token's iat. */
  readonly createdAtMs: number;
  /** Time when a mailed code last proved the agent's address. */
  readonly authenticatedAtMs: number;
  /** The token's exp. */
  readonly expiresAtMs: number;
  readonly revokedAtMs?: number | undefined;
  /** The session that a refresh put in its place, at `revokedAtMs`. */
  readonly replacedBy?: string | undefined;
  /** The first use exactly, later ones to the minute; undefined before the first. */
  readonly lastUsedAtMs?: number | undefined;
  /** Last network of its client, see `sessionNetwork`; undefined when none is stored. */
  readonly network?: string | undefined;
  /** The scoped token that it stands for; undefined for the session of a login. */
  readonly token?: ScopedToken | undefined;
}

/** A scoped token, as the bearer token of its session states it. */
export interface ScopedToken {
  /** Policy's id. */
  readonly id: string;
  readonly scopes: readonly TokenScope[];
}

/** For how long a client that lost the response to a refresh gets the same successor again. */
const LOST_RESPONSE_MS = 60_000;

/** Uses of a session are stored at most this often. */
export const USE_INTERVAL_MS = 60_000;

const SECOND_MS = 1_000;

export function stands({ revokedAtMs, expiresAtMs }: Session, nowMs: number): boolean {
  return revokedAtMs === undefined && expiresAtMs > nowMs;
}

/**
 * Reports whether a replaced token may come from a client that never received its successor. Everything else is a copy
 * in foreign hands: either the client uses the successor and another holds the old token, or the reverse.
 */
export function isLostResponse(replaced: Session, successor: Session, nowMs: number): boolean {
  const sinceMs = nowMs - (replaced.revokedAtMs ?? -Infinity);
  return sinceMs <= LOST_RESPONSE_MS && stands(successor, nowMs) && successor.lastUsedAtMs === undefined;
}

/**
 * Returns the time when the successor of a session ends. No refresh extends it past `maxAgeMs` after the last code. Nor
 * does one cut off the time that the code's own token had: a policy may allow a token more than `maxAgeMs`.
 */
export function successorEndMs(
  old: Session,
  issuedAtMs: number,
  bounds: { lengthMs: number; maxAgeMs: number },
): number {
  return Math.min(issuedAtMs + bounds.lengthMs, latestEndMs(old, bounds.maxAgeMs));
}

/**
 * Returns the time when what a session makes ends at the latest: a successor, or a scoped token. A thief with a session thus
 * gets nothing that outlives what the mailed code proves.
 */
export function latestEndMs({ authenticatedAtMs, expiresAtMs }: Session, maxAgeMs: number): number {
  return Math.max(wholeSeconds(authenticatedAtMs + maxAgeMs), expiresAtMs);
}

/**
 * Reports whether a session may end another of its agent: its own family, or one whose last code is as old as its own
 * or older. A thief with a token thus never ends a session that the holder of the mailbox opens later. That session can
 * end the thief's.
 */
export function mayEnd(caller: Session, other: Session): boolean {
  return other.familyId === caller.familyId || other.authenticatedAtMs <= caller.authenticatedAtMs;
}

/** Returns whole seconds, as tokens have them: the response, the token and the row name one instant. */
export function wholeSeconds(unixMs: number): number {
  return Math.floor(unixMs / SECOND_MS) * SECOND_MS;
}
