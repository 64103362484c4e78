import type { Secret } from '@agent-wallet/kernel';
import { createHmac, randomInt } from 'node:crypto';

/** Lifetime of a mailed code. */
export const OTP_LIFETIME_MS = 10 * 60_000;

/** Lifetime of a long code. */
export const LONG_OTP_LIFETIME_MS = 60 * 60_000;

/**
 * Number of codes of one e-mail address and one purpose that can be used side by side: those of one network that has logged
 * in to the mailbox, and those of all other networks together.
 */
export const LIVE_OTPS = 3;

/** Returns a code of six digits, or of twelve, from the system's random source. */
export function makeOtp(isLong: boolean): string {
  const six = (): string => randomInt(1_000_000).toString().padStart(6, '0');
  return isLong ? six() + six() : six();
}

/**
 * The purpose of a mailed code. It works for nothing else, and the code of a claim only for the owner who requested it. A
 * login may name the owner of a new agent.
 */
export type CodeUse =
  | { readonly purpose: 'login'; readonly ownerEmail?: string | undefined }
  | { readonly purpose: 'evict' }
  | { readonly purpose: 'cancel_claim' }
  | { readonly purpose: 'owner_login' }
  | { readonly purpose: 'claim'; readonly ownerId: string; readonly ownerEmail: string };

/** The login of an agent. */
export const AGENT_LOGIN: CodeUse = { purpose: 'login' };

/** The end of all sessions of an agent. */
export const EVICTION: CodeUse = { purpose: 'evict' };

/** The end of an agent's claims that are not in effect yet. */
export const CLAIM_CANCELLATION: CodeUse = { purpose: 'cancel_claim' };

/** Returns the owner whom a code names: of a new agent, or who claims with it. */
export function ownerNamedBy(use: CodeUse): string | undefined {
  return use.purpose === 'login' || use.purpose === 'claim' ? use.ownerEmail : undefined;
}

/**
 * Hashes a code: the hash is stored instead of it. Six digits are guessed in no time, so the hash is keyed. It is bound
 * to its ID, so that equal codes do not look equal. It is bound to its use: elsewhere the right code is a wrong one.
 */
export function hashOtp(pepper: Secret<string>, use: CodeUse, { otpId, code }: OtpCode): Buffer {
  return createHmac('sha256', pepper.reveal())
    .update(`${prefixOf(use)}${otpId}:${code}`)
    .digest();
}

/** A code and its id. */
interface OtpCode {
  readonly otpId: string;
  readonly code: string;
}

/**
 * Returns the hash prefix of a use. It is empty for logins of agents: their codes were stored so before there were
 * other uses.
 */
function prefixOf(use: CodeUse): string {
  switch (use.purpose) {
    case 'login':
      return '';
    case 'evict':
      return 'evict:';
    case 'cancel_claim':
      return 'cancel_claim:';
    case 'owner_login':
      return 'owner_login:';
    case 'claim':
      return `claim:${use.ownerId}:`;
  }
}
