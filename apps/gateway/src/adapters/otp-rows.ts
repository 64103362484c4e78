import type { Queryable } from '@agent-wallet/platform';
import { sessionNetwork } from '../domain/client-network.js';
import { foldMailbox } from '../domain/mailbox.js';
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

/**
 * Notes that a client proved that it reads a mailbox: its network has an allowance of its own from now on, and requests for
 * codes of the address that were counted are forgotten.
 * @param now as text for the database
 */
export async function noteMailProof(
  on: Queryable,
  { email, client }: { readonly email: string; readonly client: string },
  now: string,
): Promise<void> {
  await noteNetwork(on, { email, network: sessionNetwork(client) }, now);
  await query(on, {
    name: 'forget-login-blocks',
    text: 'delete from login_blocks where email = $1 and client = $2',
    values: [email, client],
  });
  await query(on, { name: 'forget-login-pools', text: 'delete from login_pools where email = $1', values: [email] });
}

/** Notes that a network logged in to a mailbox. @param now as text for the database */
export async function noteNetwork(
  on: Queryable,
  { email, network }: { readonly email: string; readonly network: string },
  now: string,
): Promise<void> {
  await query(on, {
    name: 'note-login-network',
    text: `insert into login_networks (mailbox, network, seen_at) values ($1, $2, $3)
           on conflict (mailbox, network) do update set seen_at = excluded.seen_at`,
    values: [foldMailbox(email), network, now],
  });
}
