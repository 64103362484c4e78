import { verifyNitroEvidence } from '@agent-wallet/attestation/nitro';
import { createLogger, readSettings, SettingsError } from '@agent-wallet/platform';
import { silent } from '@agent-wallet/platform/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createPublicKey, randomBytes } from 'node:crypto';
import {
  type NitroChoice,
  nitroChoice,
  NITRO_VARIABLES,
  openNitroVault,
} from '../../src/adapters/vaults/nitro/index.js';
import { connectKms } from '../../src/adapters/vaults/nitro/kms.js';
import { NitroVault } from '../../src/adapters/vaults/nitro/nitro-vault.js';
import { type Vault, VaultError } from '../../src/ports/vault.js';
import type { EmulatorResponse } from './emulator-server.js';
import { type EnclaveEmulator, startEnclaveEmulator } from './enclave-emulator.js';
import { envelopedData } from './enveloped-data.js';
import { json, KMS_KEY_ID, type KmsEmulator, startKmsEmulator } from './kms-emulator.js';

// Run against emulators of KMS and of an enclave, through AWS's own SDK; documents and CMS are real in form and signature.

const secret = randomBytes(32);
const binding = randomBytes(32);
const nowMs = Date.now();
const SETTINGS = { SIGNER_NITRO_KMS_KEY_ID: KMS_KEY_ID, AWS_REGION: 'eu-central-1' };
const CREDENTIALS = { AWS_ACCESS_KEY_ID: 'AKIDEMULATOR', AWS_SECRET_ACCESS_KEY: 'emulated' };

let enclave: EnclaveEmulator;
let kms: KmsEmulator;
/** With documents from the emulator itself, without a process for each. */
let vault: Vault;
let sealed: Buffer;
beforeAll(async () => {
  Object.assign(process.env, CREDENTIALS);
  enclave = await startEnclaveEmulator({ nowMs });
  kms = await startKmsEmulator(enclave.nitro, nowMs);
  vault = await vaultOf();
  sealed = await vault.seal(secret);
});
afterEach(() => {
  kms.instead = undefined;
  enclave.instead = undefined;
  kms.acceptedPcr0 = enclave.nitro.pcrs[0]!;
});
afterAll(async () => {
  for (const name of Object.keys(CREDENTIALS)) delete process.env[name];
  await kms.stop();
  await enclave.stop();
});

const choose = (environment: Record<string, string> = {}, production = false) => {
  const command = { SIGNER_NITRO_DOCUMENT_COMMAND: '/opt/document' };
  return nitroChoice(readSettings(NITRO_VARIABLES, { ...SETTINGS, ...command, ...environment }), { production });
};
const open = (more: Partial<NitroChoice> = {}, logger = silent) =>
  openNitroVault({ ...choose(), documentCommand: enclave.command, endpoint: kms.url, ...more }, logger);

const vaultOf = async (more: Partial<NitroChoice> = {}) => {
  const { keyId, ...address } = { ...choose(), endpoint: kms.url, ...more };
  return new NitroVault(await connectKms({ keyId, ...address }), enclave.documents, keyId);
};

describe('the vault of AWS Nitro Enclaves, on emulators of KMS and of an enclave', () => {
  it('opens what it sealed, also in another replica; KMS never sees what is sealed', async () => {
    const replica = await open();
    expect(await replica.unseal(sealed)).toEqual(secret);
    expect(await vault.unseal(await replica.seal(secret))).toEqual(secret);
    for (const text of [secret.toString('base64'), secret.toString('hex')]) {
      expect(kms.requests.join()).not.toContain(text);
      expect(sealed.toString('latin1')).not.toContain(secret.toString('latin1'));
    }
  });

  it('asks with a new key pair for each call', async () => {
    const keys = new Set<string | undefined>();
    for (let i = 0; i < 2; i += 1) {
      await vault.unseal(sealed);
      keys.add(enclave.asked.publicKey);
    }
    expect(keys.size).toBe(2);
  });

  it('does not open for an image that the policy of the key does not name', async () => {
    kms.acceptedPcr0 = '11'.repeat(48);
    await expect(vault.unseal(sealed)).rejects.toThrow('the key refuses this enclave');
    await expect(vault.seal(secret)).rejects.toThrow('AccessDeniedException');
  });

  it('does not open under another key, nor what was changed', async () => {
    const other = await vaultOf({ keyId: KMS_KEY_ID.replace('key/1', 'key/9') });
    await expect(other.unseal(sealed)).rejects.toThrow('was sealed under another KMS key');
    await expect(other.seal(secret)).rejects.toThrow('names no key');
    for (const at of [10, sealed.length - 1]) {
      const changed = Buffer.from(sealed);
      changed[at]! ^= 1;
      await expect(vault.unseal(changed)).rejects.toThrow('damaged');
    }
    for (const size of [0, 1, 2]) await expect(vault.unseal(Buffer.alloc(size))).rejects.toThrow('was not sealed by');
  });

  it('gives evidence that the verifier accepts for this binding', async () => {
    const evidence = await (await open()).evidence(binding);
    const { rootSha256, pcrs } = enclave.nitro;
    const verify = (bound: Buffer) =>
      verifyNitroEvidence(evidence, { binding: bound, nowMs }, { pcrs: { 0: [pcrs[0]!] }, rootSha256 });
    expect(() => verify(binding)).not.toThrow();
    expect(() => verify(randomBytes(32))).toThrow('made for another user_data');
    expect(vault.describe()).toMatchObject({ driver: 'aws-nitro-kms', id: KMS_KEY_ID });
  });
});

describe('a KMS that misbehaves', () => {
  const forRecipient = (cms: Buffer) => json({ KeyId: KMS_KEY_ID, CiphertextForRecipient: cms.toString('base64') });

  it.each<[string, (answerTo: (plaintext: Uint8Array) => Buffer) => EmulatorResponse, string]>([
    ['gives another key', (answerTo) => forRecipient(answerTo(randomBytes(32))), 'gave another key'],
    ['gives a short key', (answerTo) => forRecipient(answerTo(randomBytes(16))), 'not of 32 bytes'],
    ['gives a long key', (answerTo) => forRecipient(answerTo(randomBytes(64))), 'not of 32 bytes'],
    ['gives garbage', () => forRecipient(randomBytes(500)), 'cannot open'],
    ['gives an envelope that is cut off', (answerTo) => forRecipient(answerTo(secret).subarray(0, 200)), 'cannot open'],
    ['gives an envelope of 9 KiB', (answerTo) => forRecipient(answerTo(Buffer.alloc(9_216))), 'cannot open'],
    ['answers in clear', () => json({ KeyId: KMS_KEY_ID, Plaintext: secret.toString('base64') }), 'in clear'],
    ['leaves the answer out', () => json({ KeyId: KMS_KEY_ID }), 'left out'],
    ['gives megabytes', () => forRecipient(Buffer.alloc(2 << 20)), 'did not answer'],
    ['never ends', () => 'endless', 'did not answer'],
    ['never answers', () => 'never', 'did not answer'],
    ['fails', () => json({ __type: 'KMSInternalException' }, 500), 'did not answer'],
    ['is not a KMS', () => ({ body: `<html>${secret.toString('base64')}</html>` }), 'did not answer'],
  ])('and %s opens nothing, and reveals no secret', async (_, answer, why) => {
    kms.instead = (operation, answerTo) => (operation === 'Decrypt' ? answer(answerTo) : undefined);
    const error = await (await vaultOf({ timeoutMs: 1_000 })).unseal(sealed).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(VaultError);
    expect(String(error)).toContain(why);
    const revealed = [String(error), String((error as Error).cause)].join();
    expect(revealed).not.toContain(secret.toString('base64'));
  });

  it('and does not give back what it sealed is found out before anything is stored', async () => {
    kms.instead = (operation, answerTo) =>
      operation === 'Decrypt' ? forRecipient(answerTo(randomBytes(32))) : undefined;
    await expect(vault.seal(secret)).rejects.toThrow('gave another key');
  });

  it.each([
    ['another cipher', { cipher: 'aes128Cbc' }],
    ['another content', { isEnveloped: false }],
    ['a content key of 16 bytes', { contentKey: randomBytes(16) }],
  ] as const)('and encrypts with %s opens nothing', async (_, faults) => {
    kms.instead = () => {
      const key = Buffer.from(enclave.asked.publicKey ?? '', 'base64');
      const cms = envelopedData(secret, createPublicKey({ key, format: 'der', type: 'spki' }), faults);
      return forRecipient(cms);
    };
    await expect(vault.unseal(sealed)).rejects.toThrow('cannot open');
  });
});

describe('a document command that misbehaves', () => {
  it.each([
    ['hangs', 'exec sleep 30', 'gave no document within 500 ms'],
    ['leaves something behind that hangs', 'sleep 30 & sleep 30', 'gave no document within 500 ms'],
    ['prints megabytes', 'head -c 3000000 /dev/zero', 'printed more than 65536 bytes'],
    ['complains in megabytes', 'head -c 3000000 /dev/zero >&2', 'printed more than 65536 bytes'],
    ['fails', 'exit 3', 'failed (3)'],
    ['prints nothing', 'exit 0', 'something else than an attestation document'],
    ['prints something else', 'echo document', 'something else than an attestation document'],
  ])('and %s opens no vault', async (name, lines, why) => {
    const command = await enclave.script(name.replaceAll(' ', '-'), `PATH=/usr/bin:/bin; ${lines}`);
    await expect(open({ documentCommand: command, timeoutMs: 500 })).rejects.toThrow(why);
  });

  it('and is not there opens no vault', async () => {
    await expect(open({ documentCommand: '/nowhere/document' })).rejects.toThrow('is not there, or may not be run');
  });

  it('and answers for another key is not believed', async () => {
    const commanded = await open();
    enclave.instead = { body: enclave.nitro.document({ publicKey: randomBytes(294) }) };
    await expect(commanded.seal(secret)).rejects.toThrow('something else than it was asked');
    await expect(commanded.evidence(binding)).rejects.toThrow('something else than it was asked');
  });

  it('is given nothing of the environment', async () => {
    const command = await enclave.script('environment', '/usr/bin/env >&2; exit 1');
    await expect(open({ documentCommand: command })).rejects.toThrow(VaultError);
    const shows = await enclave.script('shows', '[ -z "$AWS_SECRET_ACCESS_KEY" ] || exit 9; exit 4');
    await expect(open({ documentCommand: shows })).rejects.toThrow('failed (4)');
  });
});

describe('in production', () => {
  it.each([
    'http://127.0.0.1:4566',
    'https://127.0.0.1',
    'https://localstack:4566',
    'http://kms.eu-central-1.amazonaws.com',
    'https://kms.eu-central-1.amazonaws.com.example.com',
  ])('an endpoint that is not AWS is refused: %s', (endpoint) => {
    expect(() => choose({ SIGNER_NITRO_KMS_ENDPOINT: endpoint }, true)).toThrow('SIGNER_NITRO_KMS_ENDPOINT');
    expect(choose({ SIGNER_NITRO_KMS_ENDPOINT: endpoint }).endpoint).toBe(endpoint);
  });

  it('the endpoints of AWS are accepted', () => {
    expect(choose({}, true).endpoint).toBe('https://kms.eu-central-1.amazonaws.com');
    expect(choose({ AWS_REGION: 'cn-north-1' }, true).endpoint).toBe('https://kms.cn-north-1.amazonaws.com.cn');
    const vpce = 'https://vpce-1-2.kms.eu-central-1.vpce.amazonaws.com';
    expect(choose({ SIGNER_NITRO_KMS_ENDPOINT: vpce }, true).endpoint).toBe(vpce);
  });

  it('an enclave whose document AWS did not sign is refused', async () => {
    await expect(open({ production: true })).rejects.toThrow('a root that is not trusted');
    const { rootSha256 } = enclave.nitro;
    expect((await open({ production: true, rootSha256 })).describe().driver).toBe('aws-nitro-kms');
  });

  it('an enclave in debug mode is refused, and warned of elsewhere', async () => {
    const debug = await startEnclaveEmulator({ nowMs, debugMode: true });
    try {
      const { rootSha256 } = debug.nitro;
      const options = { documentCommand: debug.command, rootSha256 };
      await expect(open({ ...options, production: true })).rejects.toThrow('debug mode');
      const warnings: unknown[] = [];
      const warn = (...line: unknown[]) => void warnings.push(line);
      const logger = { ...createLogger('test', 'silent'), warn };
      await open(options, logger);
      expect(JSON.stringify(warnings)).toContain('debug mode');
    } finally {
      await debug.stop();
    }
  });
});

describe('the settings', () => {
  it('name everything that is missing', () => {
    const read = () => nitroChoice(readSettings(NITRO_VARIABLES, {}), { production: false });
    expect(read).toThrow(SettingsError);
    for (const name of ['SIGNER_NITRO_KMS_KEY_ID', 'SIGNER_NITRO_DOCUMENT_COMMAND', 'AWS_REGION']) {
      expect(read).toThrow(`${name} is required`);
    }
  });

  it('take no region and no command that could lead elsewhere', () => {
    expect(() => choose({ AWS_REGION: 'x.example.com#' })).toThrow('AWS_REGION');
    expect(() => choose({ SIGNER_NITRO_DOCUMENT_COMMAND: 'document --now' })).toThrow('absolute path');
  });
});
