import { AppError } from '@agent-wallet/kernel';
import { type DataKey, makeSealedKey } from '../domain/sealed-key.js';
import type { KeyStore } from '../ports/key-store.js';
import type { OpenedKey, OpenedKeys } from './opened-keys.js';

/** What making and opening keys needs. */
export interface KeyRing {
  readonly store: KeyStore;
  readonly opened: OpenedKeys;
  readonly dataKey: DataKey;
}

/** The one key of an owner, made now unless there is one. @throws AppError SERVICE_UNAVAILABLE; SealBroken */
export async function ensureKey(ownerId: string, { store, opened, dataKey }: KeyRing): Promise<OpenedKey> {
  const existing = await opened.get(ownerId);
  if (existing) return existing;
  await store.add(makeSealedKey(ownerId, dataKey));
  // Another call may have been first: what is stored counts.
  const stored = await opened.get(ownerId);
  if (!stored) throw new AppError('INTERNAL_ERROR', { cause: new Error('a key that was added is not there') });
  return stored;
}
