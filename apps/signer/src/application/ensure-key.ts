import { AppError } from '@agent-wallet/kernel';
import { makeSealedKey } from '../domain/sealed-key.js';
import type { KeyStore } from '../ports/key-store.js';
import type { DataKeys } from './data-keys.js';
import type { OpenedKey, OpenedKeys } from './opened-keys.js';

/** Dependencies of creating and opening keys. */
export interface KeyRing {
  readonly store: KeyStore;
  readonly opened: OpenedKeys;
  readonly dataKeys: DataKeys;
}

/**
 * Returns the one key of an owner, created now unless there is one.
 * @throws AppError SERVICE_UNAVAILABLE; SealBroken
 */
export async function ensureKey(ownerId: string, { store, opened, dataKeys }: KeyRing): Promise<OpenedKey> {
  const existing = await opened.get(ownerId);
  if (existing) return existing;
  if (!(await store.add(makeSealedKey(ownerId, dataKeys.newest)))) {
    // The data key was retired a moment ago.
    await dataKeys.reload();
    await store.add(makeSealedKey(ownerId, dataKeys.newest));
  }
  // Another call may have been first: what is stored counts.
  const stored = await opened.get(ownerId);
  if (!stored) throw new AppError('INTERNAL_ERROR', { cause: new Error('a key that was added is not there') });
  return stored;
}
