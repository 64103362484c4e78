import { silent } from '@agent-wallet/platform/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { generateKeyPairSync } from 'node:crypto';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { KeyFolder } from './key-folder.js';

const MINUTE_MS = 60_000;

let directory: string;
let folder: KeyFolder;
let nowMs: number;
const clock = { nowMs: () => nowMs };

const open = (keysPath: string) => KeyFolder.open({ keysPath, signsAfterMs: 2 * MINUTE_MS }, { logger: silent, clock });

function writeKey(kid: string): void {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  writeFileSync(path.join(directory, `${kid}.pem`), privateKey.export({ type: 'pkcs8', format: 'pem' }));
}

beforeEach(async () => {
  directory = mkdtempSync(path.join(tmpdir(), 'token-keys-'));
  nowMs = Date.parse('2026-11-21T10:00:00Z');
  writeKey('first');
  folder = await open(directory);
});

afterEach(async () => {
  await folder.stop();
  rmSync(directory, { recursive: true });
});

describe('a key that another gateway signs with already', () => {
  it('is found however many forged ids were asked for just before', async () => {
    expect(await Promise.all(['forged', 'forged too'].map((kid) => folder.publicKey(kid)))).toEqual([
      undefined,
      undefined,
    ]);
    writeKey('second');
    expect(await folder.publicKey('second')).toBeDefined();
  });
});

describe('a new key that reaches two gateways one after the other', () => {
  let otherDirectory: string;
  let other: KeyFolder;

  beforeEach(async () => {
    otherDirectory = mkdtempSync(path.join(tmpdir(), 'token-keys-'));
    cpSync(directory, otherDirectory, { recursive: true });
    other = await open(otherDirectory);
  });

  afterEach(async () => {
    await other.stop();
    rmSync(otherDirectory, { recursive: true });
  });

  /** Brings a key to the first gateway, and answers a way to bring it to the other. */
  async function arrive(kid: string): Promise<() => Promise<void>> {
    writeKey(kid);
    expect(await folder.publicKey(kid)).toBeDefined();
    return async () => {
      cpSync(directory, otherDirectory, { recursive: true });
      expect(await other.publicKey(kid)).toBeDefined();
    };
  }

  it('verifies and is published at once, and signs only what the other one knows, too', async () => {
    const arriveThere = await arrive('second');
    expect(folder.publicKeys().map(({ kid }) => kid)).toEqual(['first', 'second']);
    nowMs += MINUTE_MS;
    expect(await other.publicKey(folder.signing.kid)).toBeDefined();
    expect(folder.signing.kid).toBe('first');
    await arriveThere();
    nowMs += MINUTE_MS;
    expect([folder.signing.kid, other.signing.kid]).toEqual(['second', 'first']);
    nowMs += MINUTE_MS;
    expect(other.signing.kid).toBe('second');
  });

  it('signs at once when the old one is taken out, and when it was there at the start', async () => {
    await arrive('second');
    rmSync(path.join(directory, 'first.pem'));
    await folder.publicKey('unknown'); // reads the folder again
    expect(folder.signing.kid).toBe('second');

    const started = await open(directory);
    await started.stop();
    expect(started.signing.kid).toBe('second');
  });

  it('waits its time when it has the name of another one', async () => {
    writeKey('0 oldest');
    await folder.publicKey('0 oldest');
    nowMs += 2 * MINUTE_MS;
    writeKey('first');
    await folder.publicKey('unknown');
    expect(folder.signing.kid).toBe('0 oldest');
  });
});
