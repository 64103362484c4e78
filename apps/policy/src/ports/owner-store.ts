import type { VersionedPolicy } from '../domain/policy.js';
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

/** An agent, and the owner who claims to own it. */
export interface Owned {
  readonly agentId: string;
  readonly ownerId: string;
}

/** What a challenge is good for, and whose it is: a login's is of the owner whose passkey signs it. */
export type ChallengeUse =
  | { readonly purpose: 'passkey'; readonly ownerId: string }
  | { readonly purpose: 'login'; readonly ownerId?: undefined };

/** Where owners' passkeys and challenges are kept. */
export interface OwnerStore {
  /** Policy's own time, in Unix milliseconds. */
  nowMs(): Promise<number>;
  /** Keeps a challenge until it is taken or expires; of an owner only the latest few, of logins the latest 1,000. */
  keepChallenge(challenge: Buffer, use: ChallengeUse, expiresAtMs: number): Promise<void>;
  /** Takes a challenge out, once: false when it is not there, of another use or owner, or expired. */
  takeChallenge(challenge: Buffer, use: ChallengeUse): Promise<boolean>;
  /** The oldest first. */
  passkeysOf(ownerId: string): Promise<Passkey[]>;
  findPasskey(credentialId: Buffer): Promise<Passkey | undefined>;
  /**
   * Stores an owner's first passkey and publishes it. False when the owner has one already.
   * @throws AppError ASSERTION_INVALID when another owner has, or had, this credential
   */
  addFirstPasskey(ownerId: string, registration: Registration): Promise<boolean>;
  /** Notes the counter of a signature. @throws AppError ASSERTION_INVALID unless it fits the one before */
  countSignature(ownerId: string, assertion: Assertion): Promise<void>;
  /**
   * Changes the policy of an agent under its lock, and publishes what changed. Undefined when the agent is not the owner's.
   * What `change` throws is thrown on, and nothing is changed.
   */
  changePolicy(owned: Owned, change: PolicyEdit): Promise<VersionedPolicy | undefined>;
  /** The oldest first. */
  agentsOf(ownerId: string): Promise<OwnedAgent[]>;
  /** Removes expired challenges. True when there may be more. */
  removeExpiredChallenges(): Promise<boolean>;
}
