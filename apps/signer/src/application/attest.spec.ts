import { describe, expect, it } from '@jest/globals';
import type { Evidence, Vault } from '../ports/vault.js';
import { Attest } from './attest.js';
import type { Boot } from './boot.js';

const NONCE = Buffer.alloc(32, 7);
const BUSY = { code: 'SERVICE_UNAVAILABLE' };

/** A vault that takes its time. */
function slowVault() {
  const waiting: Array<() => void> = [];
  const evidence = () => new Promise<Evidence>((resolve) => waiting.push(() => resolve({} as Evidence)));
  const vault = { describe: () => ({ driver: 'software', isolation: 'none' }), evidence } as unknown as Vault;
  const boot = { buildDigest: Buffer.alloc(32), key: { publicKey: Buffer.alloc(32) } } as unknown as Boot;
  return { attest: new Attest(boot, vault, new Map()), answerAll: () => waiting.splice(0).forEach((give) => give()) };
}

describe('questions for an attestation', () => {
  it('of strangers leave room for those of services', async () => {
    const { attest, answerAll } = slowVault();
    const asked = [attest.execute(NONCE, true), attest.execute(NONCE, true)];
    await expect(attest.execute(NONCE, true)).rejects.toMatchObject(BUSY);
    asked.push(attest.execute(NONCE), attest.execute(NONCE));
    await expect(attest.execute(NONCE)).rejects.toMatchObject(BUSY);
    answerAll();
    await Promise.all(asked);
    const next = attest.execute(NONCE, true);
    answerAll();
    expect(await next).toMatchObject({ driver: 'software' });
  });
});
