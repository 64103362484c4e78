import { readSettings, SettingsError } from '@agent-wallet/platform';
import { silent } from '@agent-wallet/platform/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import {
  type DstackChoice,
  dstackChoice,
  DSTACK_VARIABLES,
  openDstackVault,
} from '../../src/adapters/vaults/dstack/index.js';
import { VaultError } from '../../src/ports/vault.js';
import { type DstackEmulator, emulatedQuote, startDstackEmulator } from './dstack-emulator.js';
import type { EmulatorResponse } from './emulator-server.js';

// Run against an emulator of the guest agent, through dstack's own SDK.

const APP = 'a0'.repeat(20);
const secret = randomBytes(32);
const binding = randomBytes(32);

let folder: string;
let agent: DstackEmulator;
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'dstack-'));
  agent = await startDstackEmulator(path.join(folder, 'dstack.sock'), { appId: APP });
});
afterEach(async () => {
  await agent.stop();
  await rm(folder, { recursive: true, force: true });
});

const choiceOf = (emulator: DstackEmulator, more: Partial<DstackChoice> = {}): DstackChoice => ({
  ...dstackChoice(readSettings(DSTACK_VARIABLES, { SIGNER_DSTACK_SOCKET_PATH: emulator.url }), { production: false }),
  timeoutMs: 2_000,
  ...more,
});
const open = (more?: Partial<DstackChoice>) => openDstackVault(choiceOf(agent, more), silent);

describe('the dstack vault, on an emulated guest agent', () => {
  it('opens what it sealed, also after a restart', async () => {
    const sealed = await (await open()).seal(secret);
    expect(sealed.includes(secret)).toBe(false);
    expect(await (await open()).unseal(sealed)).toEqual(secret);
  });

  it('does not open what another app sealed, nor what was changed', async () => {
    const sealed = await (await open()).seal(secret);
    const other = await startDstackEmulator(path.join(folder, 'other.sock'), { appId: 'b0'.repeat(20) });
    try {
      const vault = await openDstackVault(choiceOf(other), silent);
      await expect(vault.unseal(sealed)).rejects.toThrow('was not sealed by the dstack app b0b0');
    } finally {
      await other.stop();
    }
    sealed[20]! ^= 1;
    await expect((await open()).unseal(sealed)).rejects.toThrow(VaultError);
    await expect((await open()).unseal(Buffer.alloc(0))).rejects.toThrow(VaultError);
  });

  it('says which app can unseal', async () => {
    expect((await open()).describe()).toMatchObject({ driver: 'dstack', id: `app ${APP}` });
  });

  it('gives a quote over the binding, with zeros behind it', async () => {
    const { format, keyId, document } = await (await open()).evidence(binding);
    expect([format, keyId]).toEqual(['dstack-tdx/v1', 'ab'.repeat(64)]);
    const { quote, event_log: eventLog } = JSON.parse(document.toString());
    expect(Buffer.from(quote, 'hex').subarray(568, 632)).toEqual(Buffer.concat([binding, Buffer.alloc(32)]));
    expect(eventLog).toBe('[]');
  });
});

describe('a guest agent that misbehaves', () => {
  const json = (value: unknown): EmulatorResponse => ({ body: JSON.stringify(value) });
  const quoteOf = (quote: string) => json({ quote, event_log: '[]' });

  it.each<[string, EmulatorResponse, string]>([
    ['answers with something else', { body: 'no json' }, 'gave no key'],
    ['answers nothing', { body: '' }, 'gave no key'],
    ['never answers', 'never', 'no answer within'],
    ['answers with an error', json({ error: 'locked' }), 'gave no key'],
    ['gives a short key', json({ key: '00'.repeat(31), signature_chain: [] }), 'a key of 31 bytes'],
    ['gives a long key', json({ key: '00'.repeat(33), signature_chain: [] }), 'a key of 33 bytes'],
  ])('and %s seals nothing', async (_, answer, why) => {
    const vault = await open({ timeoutMs: 300 });
    agent.instead = (asked) => (asked === '/GetKey' ? answer : undefined);
    const error = await vault.seal(secret).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(VaultError);
    expect(String(error)).toContain(why);
    expect(String(error)).not.toContain('0000');
  });

  it.each<[string, EmulatorResponse, string]>([
    [
      'quotes something else',
      quoteOf(emulatedQuote('11'.repeat(64)).toString('hex')),
      'something else than it was asked',
    ],
    ['gives no quote', json({ event_log: '[]' }), 'too large, or none'],
    ['gives a short quote', quoteOf('0400'), 'something else than a TDX quote'],
    ['gives a quote of another version', quoteOf(`0300${'00'.repeat(1_000)}`), 'something else than a TDX quote'],
    ['gives a quote of megabytes', quoteOf('00'.repeat(1 << 20)), 'too large, or none'],
    ['gives a log of megabytes', json({ quote: '00', event_log: ' '.repeat(1 << 20) }), 'too large, or none'],
  ])('and %s gives no evidence', async (_, answer, why) => {
    const vault = await open();
    agent.instead = (asked) => (asked === '/GetQuote' ? answer : undefined);
    await expect(vault.evidence(binding)).rejects.toThrow(why);
  });

  it('and names no app is not used', async () => {
    agent.instead = (asked) => (asked === '/Info' ? json({ app_id: '', tcb_info: '{}' }) : undefined);
    await expect(open()).rejects.toThrow('names no app');
  });

  it('and is not there is named with its socket', async () => {
    await agent.stop();
    await expect(open()).rejects.toThrow(`guest agent at ${agent.url}`);
  });
});

describe('in production', () => {
  const choose = (environment: Record<string, string>) =>
    dstackChoice(readSettings(DSTACK_VARIABLES, environment), { production: true });

  it.each(['SIGNER_DSTACK_ENDPOINT', 'DSTACK_SIMULATOR_ENDPOINT'])('a simulator in %s is refused', (name) => {
    expect(() => choose({ [name]: 'http://127.0.0.1:8090' })).toThrow(SettingsError);
    expect(() => choose({ [name]: 'http://127.0.0.1:8090' })).toThrow(name);
  });

  it("the guest agent's socket is where dstack mounts it", () => {
    expect(choose({}).endpoint).toBe('/var/run/dstack.sock');
    expect(() => choose({ SIGNER_DSTACK_SOCKET_PATH: 'http://x' })).toThrow('must be an absolute path');
  });

  it('a VM in debug mode is refused, and accepted elsewhere', async () => {
    const debug = await startDstackEmulator(path.join(folder, 'debug.sock'), { appId: APP, debug: true });
    try {
      await expect(openDstackVault(choiceOf(debug, { production: true }), silent)).rejects.toThrow('debug mode');
      expect((await openDstackVault(choiceOf(debug), silent)).describe().driver).toBe('dstack');
      expect((await open({ production: true })).describe().driver).toBe('dstack');
    } finally {
      await debug.stop();
    }
  });
});
