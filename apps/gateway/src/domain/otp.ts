import type { Secret } from '@agent-wallet/kernel';
import { createHmac, randomInt } from 'node:crypto';

/** How long a mailed code can be used. */
export const OTP_LIFETIME_MS = 10 * 60_000;

/** How many codes of one e-mail address and one purpose can be used side by side. */
export const LIVE_OTPS = 3;

/** A code of six digits, from the system's random source. */
export function makeOtp(): string {
  return randomInt(1_000_000).toString().padStart(6, '0');
}

/** What a code is mailed for. It works for nothing else, and the code of a claim only for the owner who asked. */
export type CodeUse =
  | { readonly purpose: 'login' }
  | { readonly purpose: 'evict' }
  | { readonly purpose: 'owner_login' }
  | { readonly purpose: 'claim'; readonly ownerId: string; readonly ownerEmail: string };

/** The login of an agent. */
export const AGENT_LOGIN: CodeUse = { purpose: 'login' };

/** The end of all sessions of an agent. */
export const EVICTION: CodeUse = { purpose: 'evict' };

/**
 * What is stored instead of a code. Six digits are guessed in no time, so the hash is keyed. It is bound to its id, so that
 * equal codes do not look equal, and to its use: elsewhere the right code is a wrong one.
 */
export function hashOtp(pepper: Secret<string>, use: CodeUse, { otpId, code }: OtpCode): Buffer {
  return createHmac('sha256', pepper.reveal())
    .update(`${prefixOf(use)}${otpId}:${code}`)
    .digest();
}

/** A code and its id. */
export interface OtpCode {
  readonly otpId: string;
  readonly code: string;
}

/** None for logins of agents: their codes were stored so before there were other uses. */
function prefixOf(use: CodeUse): string {
  switch (use.purpose) {
    case 'login':
      return '';
    case 'evict':
      return 'evict:';
    case 'owner_login':
      return 'owner_login:';
    case 'claim':
      return `claim:${use.ownerId}:`;
  }
}
