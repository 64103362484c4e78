import { SettingsError } from '@agent-wallet/platform';
import { silent } from '@agent-wallet/platform/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { openPermitKeys, readPermitKeys } from './permit-key-folder.js';

const ed25519 = generateKeyPairSync('ed25519');
const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const spki = (key: KeyObject) => key.export({ format: 'pem', type: 'spki' }).toString();
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'permit-keys-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('the folder of permit keys', () => {
  it('gives each key under the name of its file, and leaves other files alone', async () => {
    const next = generateKeyPairSync('ed25519').publicKey;
    await writeFile(path.join(folder, 'current.pem'), spki(ed25519.publicKey));
    await writeFile(path.join(folder, 'next.v2.pem'), spki(next));
    await writeFile(path.join(folder, 'README'), 'not a key');
    const keys = await readPermitKeys(folder);
    expect([...keys.keys()].sort()).toEqual(['current', 'next.v2']);
    expect(keys.get('next.v2')?.equals(next)).toBe(true);
  });

  it.each([
    ['a private key', ed25519.privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(), 'is a private key'],
    ['a key of another kind', spki(p256.publicKey), 'is not an Ed25519 public key'],
    ['no key at all', 'nonsense', 'is not an Ed25519 public key'],
  ])('is refused with %s in it, without a word of what is there', async (_, pem, why) => {
    await writeFile(path.join(folder, 'bad.pem'), pem);
    const error = await readPermitKeys(folder).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(SettingsError);
    expect(String(error)).toContain(why);
    expect(String(error)).not.toContain(pem.split('\n')[1] ?? pem);
  });

  it('is refused when it is empty or not there', async () => {
    await expect(readPermitKeys(folder)).rejects.toThrow('holds no .pem file');
    await expect(readPermitKeys(path.join(folder, 'away'))).rejects.toThrow('cannot be read');
  });

  it('is read again into one map: keys come and go, and an unreadable one changes nothing', async () => {
    const pem = () => spki(generateKeyPairSync('ed25519').publicKey);
    await writeFile(path.join(folder, '1.pem'), pem());
    const { keys, refresh } = await openPermitKeys(folder, silent);
    const after = async () => {
      await refresh();
      return [...keys.keys()].sort();
    };
    await writeFile(path.join(folder, '2.pem'), pem());
    expect(await after()).toEqual(['1', '2']);
    await writeFile(path.join(folder, '3.pem'), 'half of a k');
    await rm(path.join(folder, '1.pem'));
    expect(await after()).toEqual(['1', '2']);
    await writeFile(path.join(folder, '3.pem'), pem());
    expect(await after()).toEqual(['2', '3']);
    const [before] = [keys.get('2')!];
    await writeFile(path.join(folder, '2.pem'), pem());
    await refresh();
    expect(keys.get('2')!.equals(before)).toBe(false);
    await rm(folder, { recursive: true });
    expect(await after()).toEqual(['2', '3']);
  });
});
