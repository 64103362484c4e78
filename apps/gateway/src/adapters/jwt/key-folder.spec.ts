import { createLogger } from '@agent-wallet/platform';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { KeyFolder } from './key-folder.js';

let directory: string;
let folder: KeyFolder;

function writeKey(kid: string): void {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  writeFileSync(path.join(directory, `${kid}.pem`), privateKey.export({ type: 'pkcs8', format: 'pem' }));
}

beforeEach(async () => {
  directory = mkdtempSync(path.join(tmpdir(), 'token-keys-'));
  writeKey('first');
  folder = await KeyFolder.open(directory, createLogger('test', 'silent'));
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
