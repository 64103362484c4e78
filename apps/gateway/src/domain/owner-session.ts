/** A person above agents. */
export interface Owner {
  readonly id: string;
  readonly email: string;
}

/** A session of an owner's browser. Times are Unix milliseconds. */
export interface OwnerSession {
  /** Not a secret. */
  readonly id: string;
  readonly owner: Owner;
  readonly authenticatedBy: 'mail' | 'passkey';
  readonly authenticatedAtMs: number;
  /** Time when a mailed code last proved the owner's address; undefined without one. */
  readonly mailProvenAtMs: number | undefined;
}

/** A session as its owner sees it in a list. Times are Unix milliseconds. */
export interface ListedOwnerSession extends Pick<OwnerSession, 'id' | 'authenticatedBy' | 'authenticatedAtMs'> {
  /** The passkey that opened it; undefined of a session by mail. */
  readonly credentialId: Buffer | undefined;
  readonly usedAtMs: number;
  /** Network of the login, see `sessionNetwork`. */
  readonly network: string;
}

/** Returns when a session ends unless it is used again. */
export function ownerSessionExpiry({ authenticatedAtMs, usedAtMs }: ListedOwnerSession): number {
  return Math.min(usedAtMs + OWNER_IDLE_MS, authenticatedAtMs + OWNER_SESSION_MS);
}

/** A session ends after so long without a request, and after so long in any case. */
export const OWNER_IDLE_MS = 30 * 60_000;
export const OWNER_SESSION_MS = 12 * 3_600_000;

const FRESH_MS = 10 * 60_000;

/** Reports whether a mailed code has proven the owner's address lately. */
export function isMailFresh({ mailProvenAtMs }: OwnerSession, nowMs: number): boolean {
  return mailProvenAtMs !== undefined && mailProvenAtMs > nowMs - FRESH_MS;
}
