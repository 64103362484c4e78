import { createHash } from 'node:crypto';
import type { BootStore } from '../ports/boot-store.js';
import type { Attest } from './attest.js';

/**
 * Keeps this boot with evidence for its key, so that what it countersigns can be traced long after it has ended. The nonce
 * is SHA-256 of `boot` and the key: no caller asks for it, and any caller can make it again.
 * @throws AppError SERVICE_UNAVAILABLE, VaultError
 */
export async function recordBoot(attest: Attest, boots: BootStore): Promise<void> {
  const { key, buildDigest, startedAtMs } = attest.boot;
  const ephemeralKey = key.publicKey;
  const nonce = createHash('sha256').update('boot').update(ephemeralKey).digest();
  const { driver, statement, evidence } = await attest.execute(nonce);
  await boots.add({ ephemeralKey, driver, statement, evidence, buildDigest, startedAtMs });
}
