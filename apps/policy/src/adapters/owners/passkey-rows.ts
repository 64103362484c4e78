import type { Outbox } from '@agent-wallet/events';
import type { Queryable } from '@agent-wallet/platform';
import { assertionInvalid } from '../../domain/owners/rejected-assertion.js';
import type { Passkey } from '../../ports/owner-store.js';
import type { Assertion, Registration } from '../../ports/passkey-verifier.js';

/** Rows of passkeys, for the transactions of votes, logins and registrations. */

interface PasskeyRow {
  readonly credential_id: Buffer;
  readonly owner_id: string;
  readonly cose_key: Buffer;
  readonly sign_count: string;
  readonly attestation: Buffer;
  readonly added_at: Date;
}

const COLUMNS = 'credential_id, owner_id, cose_key, sign_count, attestation, added_at';

const OWNER_LOCK = 7_214_014;

/** Holds back every other change of an owner's passkeys until the transaction ends. An owner has no row to lock. */
export async function lockOwner(tx: Queryable, ownerId: string): Promise<void> {
  await tx.query('select pg_advisory_xact_lock($1, hashtext($2))', [OWNER_LOCK, ownerId]);
}

/** Passkeys that may sign, the oldest first. */
export async function passkeysOf(on: Queryable, ownerId: string): Promise<Passkey[]> {
  const { rows } = await on.query<PasskeyRow>(
    `select ${COLUMNS} from passkeys where owner_id = $1 and removed_at is null order by added_at, credential_id`,
    [ownerId],
  );
  return rows.map(passkeyOf);
}

/** Returns a passkey; undefined also when it was removed. */
export async function findPasskey(on: Queryable, credentialId: Buffer): Promise<Passkey | undefined> {
  const { rows } = await on.query<PasskeyRow>(
    `select ${COLUMNS} from passkeys where credential_id = $1 and removed_at is null`,
    [credentialId],
  );
  return rows[0] && passkeyOf(rows[0]);
}

function passkeyOf(row: PasskeyRow): Passkey {
  return {
    credentialId: row.credential_id,
    ownerId: row.owner_id,
    coseKey: row.cose_key,
    signCount: Number(row.sign_count),
    addedAtMs: row.added_at.getTime(),
  };
}

/** Stores a passkey and publishes it. False when the credential is stored, removed or not. */
export async function insertPasskey(
  tx: Queryable,
  outbox: Outbox,
  { ownerId, registration }: { readonly ownerId: string; readonly registration: Registration },
): Promise<boolean> {
  const { credentialId, coseKey, signCount, attestation, clientData } = registration;
  const { rowCount } = await tx.query(
    `insert into passkeys (credential_id, owner_id, cose_key, sign_count, attestation, added_at)
     values ($1, $2, $3, $4, $5, policy.now()) on conflict do nothing`,
    [credentialId, ownerId, coseKey, signCount, attestation],
  );
  if (rowCount === 0) return false;
  const key = { ownerId, credentialId, coseKey, attestationObject: attestation, clientDataJson: clientData };
  await outbox.write(tx, ownerId, { $case: 'passkeyChanged', value: { ...key, action: 'added' } });
  return true;
}

/** Removes a passkey and publishes that. False when the owner does not use it. */
export async function removePasskey(
  tx: Queryable,
  outbox: Outbox,
  { ownerId, credentialId }: { readonly ownerId: string; readonly credentialId: Buffer },
): Promise<boolean> {
  const { rows } = await tx.query<PasskeyRow>(
    `update passkeys set removed_at = policy.now() where credential_id = $1 and owner_id = $2 and removed_at is null
     returning ${COLUMNS}`,
    [credentialId, ownerId],
  );
  if (!rows[0]) return false;
  const { cose_key: coseKey, attestation: attestationObject } = rows[0];
  const key = { ownerId, credentialId, coseKey, attestationObject, clientDataJson: Buffer.alloc(0) };
  await outbox.write(tx, ownerId, { $case: 'passkeyChanged', value: { ...key, action: 'removed' } });
  return true;
}

/**
 * Locks a passkey and notes the counter of its signature: of two signatures that were verified at the same time with one
 * counter, one fails. @throws AppError ASSERTION_INVALID
 */
export async function useCounter(
  tx: Queryable,
  ownerId: string,
  { credentialId, signCount }: Assertion,
): Promise<void> {
  const { rowCount } = await tx.query(
    `update passkeys set sign_count = $3::bigint where credential_id = $1 and owner_id = $2 and removed_at is null
       and (sign_count < $3::bigint or (sign_count = 0 and $3::bigint = 0))`,
    [credentialId, ownerId, signCount],
  );
  if (rowCount === 0) {
    const message = 'The passkey was removed, or its signature was used. Request a new challenge and sign again.';
    throw assertionInvalid('replay', message);
  }
}
