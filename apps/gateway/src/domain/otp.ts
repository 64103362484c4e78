import type { Secret } from '@agent-wallet/kernel';
import { createHmac, randomInt } from 'node:crypto';

/** How long a mailed code can be used. */
export const OTP_LIFETIME_MS = 10 * 60_000;

/** How many codes of one e-mail address can be used side by side. */
export const LIVE_OTPS = 3;

/** A code of six digits, from the system's random source. */
export function makeOtp(): string {
  return randomInt(1_000_000).toString().padStart(6, '0');
}

/**
 * What is stored instead of a code. Six digits are guessed in no time, so the hash is keyed, and bound to its id so that
 * equal codes do not look equal.
 */
export function hashOtp(pepper: Secret<string>, otpId: string, code: string): Buffer {
  return createHmac('sha256', pepper.reveal()).update(`${otpId}:${code}`).digest();
}
