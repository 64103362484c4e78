import { silent } from '@agent-wallet/platform/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { VaultError } from '../../../ports/vault.js';
import { openSoftwareVault } from './index.js';
import { placeRootKey } from './root-key-file.js';
import { SoftwareVault } from './software-vault.js';

const secret = Buffer.from('the data key of this deployment!');
/** A vault that is opened again for each use, as after a restart. */
const vaultAt = (at: string) => ({
  seal: async (bytes: Uint8Array) => (await SoftwareVault.open(at)).seal(bytes),
  unseal: async (bytes: Uint8Array) => (await SoftwareVault.open(at)).unseal(bytes),
});
let directory: string;
let file: string;
beforeEach(async () => {
  directory = await mkdtemp(path.join(os.tmpdir(), 'vault-'));
  file = path.join(directory, 'vault', 'root.key');
});
afterEach(() => rm(directory, { recursive: true }));

describe('the software vault', () => {
  it('opens what it sealed, after a restart too', async () => {
    const sealed = await vaultAt(file).seal(secret);
    expect(await vaultAt(file).unseal(sealed)).toEqual(secret);
    expect(sealed.includes(secret)).toBe(false);
  });

  it('keeps its root key where only its user can read it, and leaves nothing else there', async () => {
    await vaultAt(file).seal(secret);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readdir(path.dirname(file))).toEqual(['root.key']);
  });

  it('is one when twenty replicas make it at once', async () => {
    const sealed = await Promise.all(Array.from({ length: 20 }, () => vaultAt(file).seal(secret)));
    const opened = await Promise.all(sealed.map((bytes) => vaultAt(file).unseal(bytes)));
    expect(opened).toEqual(Array(20).fill(secret));
    expect(await readdir(path.dirname(file))).toEqual(['root.key']);
  });

  it('never replaces a root key, not even one that another replica made a moment ago', async () => {
    await vaultAt(file).seal(secret);
    const before = await readFile(file);
    await placeRootKey(file);
    expect(await readFile(file)).toEqual(before);
    expect(await readdir(path.dirname(file))).toEqual(['root.key']);
  });

  it('does not open with another root key, nor what was changed', async () => {
    const sealed = await vaultAt(file).seal(secret);
    const another = vaultAt(path.join(directory, 'another'));
    await another.seal(secret);
    await expect(another.unseal(sealed)).rejects.toThrow(VaultError);
    for (const at of [0, 12, 28, sealed.length - 1]) {
      const changed = Buffer.from(sealed);
      changed[at]! ^= 1;
      await expect(vaultAt(file).unseal(changed)).rejects.toThrow(VaultError);
    }
    await expect(vaultAt(file).unseal(Buffer.alloc(3))).rejects.toThrow(VaultError);
  });

  it('makes no new root key for what another one sealed', async () => {
    const sealed = await vaultAt(file).seal(secret);
    await rm(file);
    await expect(vaultAt(file).unseal(sealed)).rejects.toThrow('is missing');
    await expect(stat(file)).rejects.toThrow('ENOENT');
  });

  it.each([0o640, 0o604, 0o660])('refuses a root key that others may touch (%o)', async (mode) => {
    await vaultAt(file).seal(secret);
    await chmod(file, mode);
    await expect(vaultAt(file).seal(secret)).rejects.toThrow('make it 0600');
  });

  it.each([0, 31, 33])('refuses a root key of %i bytes', async (size) => {
    const broken = path.join(directory, 'broken');
    await writeFile(broken, Buffer.alloc(size), { mode: 0o600 });
    await expect(vaultAt(broken).seal(secret)).rejects.toThrow('does not hold 32 bytes');
  });

  it('has a name that tells one root key from another, and none while there is no root key', async () => {
    const vault = await openSoftwareVault({ driver: 'software', path: file }, silent);
    expect(vault.describe()).toEqual({ driver: 'software', isolation: 'none', id: '' });
    await vault.seal(secret);
    const { id } = vault.describe();
    expect(id).toMatch(/^[0-9a-f]{16}$/);
    expect((await SoftwareVault.open(file)).describe().id).toBe(id);
    const another = await SoftwareVault.open(path.join(directory, 'another'));
    await another.seal(secret);
    expect(another.describe().id).not.toBe(id);
  });

  it('gives evidence that repeats what it was asked, and says that no key signs it', async () => {
    const binding = Buffer.alloc(32, 7);
    const vault = await SoftwareVault.open(file);
    expect(await vault.evidence(binding)).toEqual({ format: 'software/v1', keyId: 'none', document: binding });
  });
});
