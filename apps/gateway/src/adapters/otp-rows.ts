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
