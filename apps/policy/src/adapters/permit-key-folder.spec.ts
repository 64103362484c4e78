import { silent } from '@agent-wallet/platform/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { generateKeyPairSync, type KeyObject, verify } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openPermitKeys } from './permit-key-folder.js';

const input = Buffer.from('claims');
const openPermitKey = async (at: string, keyId: string | undefined) => (await openPermitKeys(at, keyId, silent)).signer;
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'permit-keys-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function writeKey(name: string): Promise<KeyObject> {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  await writeFile(path.join(folder, name), privateKey.export({ format: 'pem', type: 'pkcs8' }));
  return publicKey;
}

describe('a folder of permit keys', () => {
  it('gives the last key by name', async () => {
    await writeKey('2026-01.pem');
    const last = await writeKey('2026-02.pem');
    await writeFile(path.join(folder, 'notes.txt'), 'not a key');
    const { keyId, signature } = (await openPermitKey(folder, undefined)).sign(input);
    expect(keyId).toBe('2026-02');
    expect(verify(null, input, last, signature)).toBe(true);
  });

  it('gives the key that is named, while the next one lies ready', async () => {
    const current = await writeKey('2026-01.pem');
    await writeKey('2026-02.pem');
    const { keyId, signature } = (await openPermitKey(folder, '2026-01')).sign(input);
    expect(keyId).toBe('2026-01');
    expect(verify(null, input, current, signature)).toBe(true);
  });

  it('stops the start when there is no usable key, and quotes nothing of a file', async () => {
    await expect(openPermitKey(folder, undefined)).rejects.toThrow('has no .pem file');
    await expect(openPermitKey(path.join(folder, 'none'), undefined)).rejects.toThrow('cannot be read');
    await expect(openPermitKey(folder, 'other')).rejects.toThrow('other.pem is not an Ed25519 private key');
    await writeFile(path.join(folder, 'a.pem'), 'hush');
    await expect(openPermitKey(folder, undefined)).rejects.toThrow(/^(?!.*hush)[^]*a\.pem is not an Ed25519/);
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    await writeFile(path.join(folder, 'a.pem'), privateKey.export({ format: 'pem', type: 'pkcs8' }));
    await expect(openPermitKey(folder, undefined)).rejects.toThrow('a.pem is not an Ed25519');
  });

  it('is read again, and keeps its last key while it has none that can be read', async () => {
    await writeKey('1.pem');
    const { signer, refresh } = await openPermitKeys(folder, undefined, silent);
    const next = await writeKey('2.pem');
    expect(signer.sign(input).keyId).toBe('1');
    await refresh();
    expect(signer.sign(input).keyId).toBe('2');
    await writeFile(path.join(folder, '3.pem'), 'half of a k');
    await refresh();
    expect(verify(null, input, next, Buffer.from(signer.sign(input).signature))).toBe(true);
    await rm(folder, { recursive: true });
    await refresh();
    expect(signer.sign(input).keyId).toBe('2');
    await mkdir(folder);
    await writeKey('4.pem');
    await refresh();
    expect(signer.sign(input).keyId).toBe('4');
  });
});
