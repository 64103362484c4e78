import { newId } from '@agent-wallet/kernel';
import type { Queryable } from '@agent-wallet/platform';
import { query } from './query.js';

/**
 * Creates the agent of an address unless it is there, with the owner that the login with this code names. That person
 * becomes an owner like any other, by a login.
 * @param now as text for the database
 */
export async function createAgent(
  tx: Queryable,
  { email, otpId, now }: { readonly email: string; readonly otpId: string; readonly now: string },
): Promise<void> {
  await query(tx, {
    name: 'name-owner',
    text: `insert into owners (id, email, created_at) select $1, owner_email, $3 from otps
           where otp_id = $2 and owner_email is not null on conflict (email) do nothing`,
    values: [newId(), otpId, now],
  });
  await query(tx, {
    name: 'create-agent',
    text: `insert into agents (id, email, created_at, named_owner_id) values ($1, $2, $3,
             (select o.id from otps c join owners o on o.email = c.owner_email where c.otp_id = $4))
           on conflict (email) do nothing`,
    values: [newId(), email, now, otpId],
  });
}
