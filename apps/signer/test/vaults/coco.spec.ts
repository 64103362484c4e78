import { readSettings, SettingsError } from '@agent-wallet/platform';
import { silent } from '@agent-wallet/platform/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { type CocoChoice, cocoChoice, COCO_VARIABLES, openCocoVault } from '../../src/adapters/vaults/coco/index.js';
import { VaultError } from '../../src/ports/vault.js';
import { type CocoEmulator, startCocoEmulator } from './coco-emulator.js';
import type { EmulatorResponse } from './emulator-server.js';

// Run against an emulator of the guest's API server.

const RESOURCE = 'default/agent-wallet/data-key';
const secret = randomBytes(32);
const binding = randomBytes(32);

let guest: CocoEmulator;
beforeEach(async () => {
  guest = await startCocoEmulator();
  guest.resources.set(RESOURCE, randomBytes(32));
});
afterEach(() => guest.stop());

const choose = (environment: Record<string, string>, production = false) =>
  cocoChoice(readSettings(COCO_VARIABLES, environment), { production });
const open = (more: Partial<CocoChoice> = {}) =>
  openCocoVault(
    { ...choose({ SIGNER_COCO_BASE_URL: guest.url, SIGNER_COCO_RESOURCE: RESOURCE }), timeoutMs: 2_000, ...more },
    silent,
  );

describe('the vault of confidential containers, on an emulated guest', () => {
  it('opens what it sealed, also after a restart', async () => {
    const sealed = await (await open()).seal(secret);
    expect(sealed.includes(secret)).toBe(false);
    expect(await (await open()).unseal(sealed)).toEqual(secret);
  });

  it('does not open with another key at the broker, and opens again with the old one', async () => {
    const vault = await open();
    const sealed = await vault.seal(secret);
    const key = guest.resources.get(RESOURCE)!;
    guest.resources.set(RESOURCE, randomBytes(32));
    await expect(vault.unseal(sealed)).rejects.toThrow('put that one back');
    guest.resources.set(RESOURCE, key);
    expect(await vault.unseal(sealed)).toEqual(secret);
  });

  it('has evidence made over the binding, as hex that fits any report data', async () => {
    const { format, keyId, document } = await (await open()).evidence(binding);
    expect([format, keyId]).toEqual(['coco/v1', 'tee:tdx']);
    expect(guest.runtimeData).toBe(binding.toString('hex'));
    expect(document.length).toBeGreaterThan(0);
  });

  it('says which resource can unseal, and in what it runs', async () => {
    expect((await open()).describe()).toMatchObject({ driver: 'coco', id: `kbs:///${RESOURCE}` });
    guest.tee = undefined;
    expect((await open()).describe().isolation).toContain('unnamed');
  });
});

describe('a guest that misbehaves', () => {
  it.each<[string, EmulatorResponse, string]>([
    ['fails', { status: 500, body: 'rpc status: NOT_FOUND' }, 'was answered 500'],
    ['does not know the resource', { status: 404, body: '' }, 'was answered 404'],
    ['never answers', 'never', 'no whole answer within 300 ms'],
    ['never ends', 'endless', 'was not answered properly'],
    ['leads elsewhere', { status: 302, body: '', headers: { location: '/elsewhere' } }, 'not answered properly'],
    ['gives nothing', { body: '' }, 'has 0 bytes'],
    ['gives a short key', { body: Buffer.alloc(31, 7) }, 'has 31 bytes'],
    ['gives a long key', { body: Buffer.alloc(33, 7) }, 'has 33 bytes'],
    ['gives a key in hex', { body: '07'.repeat(32) }, 'has 64 bytes'],
  ])('and %s seals nothing', async (_, answer, why) => {
    const vault = await open({ timeoutMs: 300 });
    guest.instead = (asked) => (asked.startsWith('/cdh/') ? answer : undefined);
    const error = await vault.seal(secret).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(VaultError);
    expect(String(error)).toContain(why);
    expect(String(error)).not.toContain('0707');
  });

  it.each<[string, EmulatorResponse, string]>([
    ['fails', { status: 500, body: 'not a TEE' }, 'was answered 500'],
    ['gives nothing', { body: '' }, 'gave no evidence'],
    ['gives megabytes', { body: Buffer.alloc(2 << 20) }, 'not answered properly'],
    ['never ends', 'endless', 'not answered properly'],
  ])('and %s gives no evidence', async (_, answer, why) => {
    const vault = await open();
    guest.instead = (asked) => (asked === '/aa/evidence' ? answer : undefined);
    await expect(vault.evidence(binding)).rejects.toThrow(why);
  });
});

describe('in production', () => {
  it("only the guest's own API server is accepted", () => {
    const named = { SIGNER_COCO_RESOURCE: RESOURCE };
    expect(choose(named, true).baseUrl).toBe('http://127.0.0.1:8006');
    expect(choose({ ...named, SIGNER_COCO_BASE_URL: 'http://localhost:8006' }, true).production).toBe(true);
    for (const url of ['http://emulator:8006', 'https://10.0.0.5', 'http://127.0.0.1.example.com']) {
      expect(() => choose({ ...named, SIGNER_COCO_BASE_URL: url }, true)).toThrow('SIGNER_COCO_BASE_URL');
      expect(choose({ ...named, SIGNER_COCO_BASE_URL: url }).baseUrl).toBe(url);
    }
  });

  it('a guest without a TEE is refused, by its name and by its evidence, and accepted elsewhere', async () => {
    guest.tee = 'sample';
    await expect(open({ production: true })).rejects.toThrow('not a TEE');
    guest.tee = undefined;
    guest.sampleEvidence = true;
    await expect(open({ production: true })).rejects.toThrow('not a TEE');
    expect((await open()).describe().isolation).toContain('sample');
    guest.sampleEvidence = false;
    expect((await open({ production: true })).describe().driver).toBe('coco');
  });
});

describe('the settings', () => {
  it('need a resource of three parts, and nothing that leads elsewhere', () => {
    expect(() => choose({})).toThrow('SIGNER_COCO_RESOURCE is required');
    for (const resource of ['key', 'a/b', 'a/b/c/d', '../b/c', 'a/../c', 'a/b/c?d', 'a/b/']) {
      expect(() => choose({ SIGNER_COCO_RESOURCE: resource })).toThrow(SettingsError);
    }
  });
});
