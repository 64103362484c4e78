import { SettingsError } from '@agent-wallet/platform';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { silent } from '../../test/support.js';
import { VaultError } from '../ports/vault.js';
import { openVault } from './open-vault.js';
import { placeRootKey } from './root-key-file.js';
import { SoftwareVault } from './software-vault.js';

const secret = Buffer.from('the data key of this deployment!');
let directory: string;
let file: string;
beforeEach(async () => {
  directory = await mkdtemp(path.join(os.tmpdir(), 'vault-'));
  file = path.join(directory, 'vault', 'root.key');
});
afterEach(() => rm(directory, { recursive: true }));

describe('the software vault', () => {
  it('opens what it sealed, after a restart too', async () => {
    const sealed = await new SoftwareVault(file).seal(secret);
    expect(await new SoftwareVault(file).unseal(sealed)).toEqual(secret);
    expect(sealed.includes(secret)).toBe(false);
  });

  it('keeps its root key where only its user can read it, and leaves nothing else there', async () => {
    await new SoftwareVault(file).seal(secret);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readdir(path.dirname(file))).toEqual(['root.key']);
  });

  it('is one when twenty replicas make it at once', async () => {
    const sealed = await Promise.all(Array.from({ length: 20 }, () => new SoftwareVault(file).seal(secret)));
    const opened = await Promise.all(sealed.map((bytes) => new SoftwareVault(file).unseal(bytes)));
    expect(opened).toEqual(Array(20).fill(secret));
    expect(await readdir(path.dirname(file))).toEqual(['root.key']);
  });

  it('never replaces a root key, not even one that another replica made a moment ago', async () => {
    await new SoftwareVault(file).seal(secret);
    const before = await readFile(file);
    await placeRootKey(file);
    expect(await readFile(file)).toEqual(before);
    expect(await readdir(path.dirname(file))).toEqual(['root.key']);
  });

  it('does not open with another root key, nor what was changed', async () => {
    const sealed = await new SoftwareVault(file).seal(secret);
    const another = new SoftwareVault(path.join(directory, 'another'));
    await another.seal(secret);
    await expect(another.unseal(sealed)).rejects.toThrow(VaultError);
    for (const at of [0, 12, 28, sealed.length - 1]) {
      const changed = Buffer.from(sealed);
      changed[at]! ^= 1;
      await expect(new SoftwareVault(file).unseal(changed)).rejects.toThrow(VaultError);
    }
    await expect(new SoftwareVault(file).unseal(Buffer.alloc(3))).rejects.toThrow(VaultError);
  });

  it('makes no new root key for what another one sealed', async () => {
    const sealed = await new SoftwareVault(file).seal(secret);
    await rm(file);
    await expect(new SoftwareVault(file).unseal(sealed)).rejects.toThrow('is missing');
    await expect(stat(file)).rejects.toThrow('ENOENT');
  });

  it.each([0o640, 0o604, 0o660])('refuses a root key that others may touch (%o)', async (mode) => {
    await new SoftwareVault(file).seal(secret);
    await chmod(file, mode);
    await expect(new SoftwareVault(file).seal(secret)).rejects.toThrow('make it 0600');
  });

  it.each([0, 31, 33])('refuses a root key of %i bytes', async (size) => {
    const broken = path.join(directory, 'broken');
    await writeFile(broken, Buffer.alloc(size), { mode: 0o600 });
    await expect(new SoftwareVault(broken).seal(secret)).rejects.toThrow('does not hold 32 bytes');
  });
});

describe('in production', () => {
  const choice = { driver: 'software', path: '/nowhere', production: true, allowSoftware: false } as const;

  it('the software vault is refused, with what to do about it', () => {
    expect(() => openVault(choice, silent)).toThrow(SettingsError);
    expect(() => openVault(choice, silent)).toThrow('SIGNER_ALLOW_SOFTWARE_VAULT=true');
  });

  it('the software vault is opened when that was allowed', () => {
    expect(openVault({ ...choice, allowSoftware: true }, silent).describe().driver).toBe('software');
  });

  it('is what the refusal is about: elsewhere nothing need be allowed', () => {
    expect(openVault({ ...choice, production: false }, silent).describe().isolation).toBe('none');
  });
});
