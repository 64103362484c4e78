import type { Trust } from '../domain/owners/document.js';
import type { Owned } from '../domain/owners/owned.js';
import type { VersionedPolicy } from '../domain/policy.js';
import type { Freeze } from './freeze-store.js';
import type { Assertion, Registration } from './passkey-verifier.js';
import type { PolicyEdit } from './policy-store.js';

/** A passkey that may sign for its owner. */
export interface Passkey {
  readonly credentialId: Buffer;
  readonly ownerId: string;
  readonly coseKey: Buffer;
  readonly signCount: number;
  readonly addedAtMs: number;
}

/** An agent of an owner. */
export interface OwnedAgent {
  readonly agentId: string;
  readonly role: string;
  readonly sinceMs: number;
}

/** An agent of an owner, with all that its page shows of policy. Times are Unix milliseconds. */
export interface AgentOverview {
  readonly agent: OwnedAgent;
  /** Freezes in force: its owner's, its operator's, and the operator's of every agent. */
  readonly freezes: readonly Freeze[];
  /** At most 500, the latest first. */
  readonly recipients: readonly Recipient[];
  /** Settled value that counts to the daily limit, the oldest first. */
  readonly counted: readonly CountedValue[];
  /** The first first. */
  readonly owners: ReadonlyArray<{ readonly ownerId: string; readonly sinceMs: number }>;
}

/** A recipient that is known for a payment or for a signature, or will be after the cool-down. */
export interface Recipient {
  readonly address: string;
  readonly firstSettledAtMs: number | undefined;
  /** Time at which an owner's signature listed it. */
  readonly trustedAtMs: number | undefined;
  /** Meaning of a signed approval for later payments. */
  readonly signed: SignedTrust | undefined;
}

export interface SignedTrust {
  readonly trust: Exclude<Trust, 'once'>;
  /** Time at which its payment was permitted. */
  readonly atMs: number;
  /** Limit of `daily_amount`: base units, as text, of a token in any 24 hours. */
  readonly daily: { readonly mint: string; readonly amount: string } | undefined;
}

/** Value that was settled within five minutes. */
export interface CountedValue {
  readonly countedSinceMs: number;
  /** The time at which all of it has left the rolling window. */
  readonly leavesAtMs: number;
  readonly usdMicros: bigint;
}

/** A login whose signature was verified. */
export interface VerifiedLogin {
  readonly challenge: Buffer;
  readonly expiresAtMs: number;
  readonly assertion: Assertion;
}

/** Store of owners' passkeys and challenges. */
export interface OwnerStore {
  /** Returns policy's own time, in Unix milliseconds. */
  nowMs(): Promise<number>;
  /** Keeps a registration's challenge until it is taken or expires; of an owner only the latest few. */
  keepChallenge(challenge: Buffer, ownerId: string, expiresAtMs: number): Promise<void>;
  /** Takes a registration's challenge out, once: false when it is not there, of another owner, or expired. */
  takeChallenge(challenge: Buffer, ownerId: string): Promise<boolean>;
  /** Returns the key that authenticates login documents: the same for every replica, created at the first need. */
  loginKey(): Promise<Buffer>;
  /**
   * Uses a login up and notes the counter of its signature, in one step.
   * @throws AppError ASSERTION_INVALID when it was used or has expired, or unless the counter fits the one before
   */
  useLogin(ownerId: string, login: VerifiedLogin): Promise<void>;
  /** Lists an owner's passkeys, the oldest first. */
  passkeysOf(ownerId: string): Promise<Passkey[]>;
  findPasskey(credentialId: Buffer): Promise<Passkey | undefined>;
  /**
   * Stores an owner's first passkey and publishes it. False when the owner has one already.
   * @throws AppError ASSERTION_INVALID when another owner has, or had, this credential
   */
  addFirstPasskey(ownerId: string, registration: Registration): Promise<boolean>;
  /**
   * Changes the policy of an agent under its lock, and publishes what changed. Undefined when the agent is not the owner's.
   * What `change` throws is thrown on, and nothing is changed.
   */
  changePolicy(owned: Owned, change: PolicyEdit): Promise<VersionedPolicy | undefined>;
  /** Forgets a recipient. False when there is none to forget, undefined when the agent is not the owner's. */
  forgetRecipient(owned: Owned, address: string): Promise<boolean | undefined>;
  /** Lists an owner's agents, the oldest first. */
  agentsOf(ownerId: string): Promise<OwnedAgent[]>;
  /** Reads an agent of an owner; undefined when it is not the owner's. */
  agent(owned: Owned): Promise<AgentOverview | undefined>;
  /** Removes expired challenges and used logins. True when there may be more. */
  removeExpiredChallenges(): Promise<boolean>;
}
