import type { ListedOwnerSession, Owner, OwnerSession } from '../domain/owner-session.js';
import type { ClaimedOtp } from './otp-store.js';

/** A session that is about to be opened. */
export interface NewOwnerSession {
  readonly tokenHash: Buffer;
  /** Network of the login, see `sessionNetwork`. */
  readonly network: string;
}

/** The sessions that one of them may end: a session by mail ends none that a passkey opened. */
export type EndingSession = Pick<OwnerSession, 'id' | 'owner' | 'authenticatedBy'>;

/** A login by a passkey. */
export interface PasskeyLogin {
  readonly ownerId: string;
  /** The passkey, with whose removal the session ends. */
  readonly credentialId: Buffer;
  /** Time of the last mailed code of the session that it replaces. */
  readonly mailProvenAtMs: number | undefined;
}

/** A claim whose agent's sessions end when it is applied. */
export interface ClaimEviction {
  readonly approvalId: string;
  readonly agentId: string;
  readonly ownerId: string;
}

/** An eviction that is kept, as it was last noted or taken. */
export interface NotedEviction extends ClaimEviction {
  /** Unix milliseconds. */
  readonly dueAtMs: number;
}

/** Owners and their sessions, which are known by the hash of their token. */
export interface OwnerStore {
  /** Returns the owner of an address; undefined before the first login. */
  idOf(email: string): Promise<string | undefined>;
  /** Returns the address of an owner; undefined when it is not known. */
  emailOf(ownerId: string): Promise<string | undefined>;
  /** Uses a claimed code up and opens a session, in one step. Makes the owner of a new address. Undefined when the claim was lost. */
  openByMail(session: NewOwnerSession, otp: ClaimedOtp): Promise<Owner | undefined>;
  /** Ends the session of an earlier token and opens one, in one step. Undefined when the owner is not known. */
  openByPasskey(
    session: NewOwnerSession,
    login: PasskeyLogin,
    earlier: { readonly ends: 'one'; readonly tokenHash: Buffer | undefined } | { readonly ends: 'all' },
  ): Promise<Owner | undefined>;
  /** Returns the session of a token and notes its use. Undefined when it has ended. */
  use(tokenHash: Buffer): Promise<OwnerSession | undefined>;
  /** Returns which of these tokens' sessions still stand, as hexadecimal hashes. Their idle time goes on. */
  standing(tokenHashes: readonly Buffer[]): Promise<ReadonlySet<string>>;
  end(tokenHash: Buffer): Promise<void>;
  /** Returns the sessions of an owner that stand, those of the newest login first. */
  list(ownerId: string, limit: number): Promise<ListedOwnerSession[]>;
  /** Ends a session of the caller's owner. Says when it is by passkey and the caller is not, or is not there. */
  endById(caller: EndingSession, sessionId: string): Promise<'ended' | 'by_passkey' | 'unknown'>;
  /** Ends the other sessions of the owner that the caller may end. @returns how many this ended */
  endOthers(caller: EndingSession): Promise<number>;
  /** Ends the sessions that a passkey opened. */
  endSessionsOfPasskey(credentialId: Buffer): Promise<void>;

  /** Keeps an eviction until it is done, or is found not to be due. */
  noteEviction(eviction: ClaimEviction): Promise<NotedEviction>;
  /** Evictions whose vote has long ended, each for one caller. */
  takeDueEvictions(): Promise<NotedEviction[]>;
  /** Keeps it until a later time, unless another vote has noted it again. */
  postponeEviction(eviction: NotedEviction, dueAtMs: number): Promise<void>;
  /** Removes it, unless another vote has noted it again. */
  forgetEviction(eviction: NotedEviction): Promise<void>;
}
