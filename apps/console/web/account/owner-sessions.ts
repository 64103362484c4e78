import type { Owner, OwnerSession } from '../api/records.js';

/** Reports whether a session may end another one: a session by mail ends sessions by mail alone. */
export function mayEnd(
  by: Pick<OwnerSession, 'authenticatedBy'> | undefined,
  session: Pick<OwnerSession, 'authenticatedBy' | 'current'>,
): boolean {
  if (session.current || by === undefined) return false;
  return by.authenticatedBy === 'passkey' || session.authenticatedBy === 'mail';
}

/** Returns the number under which the console lists a passkey; undefined for one that was removed. */
export function passkeyNumber(passkeys: Owner['passkeys'], passkeyId: string | null): number | undefined {
  const sorted = passkeys.toSorted((one, other) => one.addedAt.localeCompare(other.addedAt));
  const index = sorted.findIndex(({ id }) => id === passkeyId);
  return index < 0 ? undefined : index + 1;
}
