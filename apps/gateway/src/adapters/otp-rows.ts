import type { Queryable } from '@agent-wallet/platform';
import { query } from './query.js';

/** Rows of codes, for the transactions that open sessions. */

/** Uses a claimed code up. False when the claim was lost. @param now as text for the database */
export async function useOtp(
  on: Queryable,
  { otpId, claimId }: { readonly otpId: string; readonly claimId: string },
  now: string,
): Promise<boolean> {
  const used = await query(on, {
    name: 'use-otp',
    text: `update otps set used_at = $3 where otp_id = $1 and claimed_by = $2 and used_at is null
           returning otp_id`,
    values: [otpId, claimId, now],
  });
  return used.length > 0;
}

/** Uses up the login codes of an agent that are under way: who has one must not come back after an eviction. */
export async function expireLoginCodes(on: Queryable, agentId: string, now: string): Promise<void> {
  await query(on, {
    name: 'expire-login-codes',
    text: `update otps set used_at = $2 where email = (select email from agents where id = $1)
           and purpose = 'login' and used_at is null and expires_at > $2`,
    values: [agentId, now],
  });
}

/** Clears the login block of an address and client after a successful login. */
export async function forgetRequests(
  on: Queryable,
  { email, client }: { readonly email: string; readonly client: string },
): Promise<void> {
  await query(on, {
    name: 'forget-login-block',
    text: 'delete from login_blocks where email = $1 and client = $2',
    values: [email, client],
  });
  await query(on, {
    name: 'forget-otp-window',
    text: `delete from rate_windows where key = 'start:' || $1`,
    values: [email],
  });
}
