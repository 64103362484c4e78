import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { writeBackup } from './backup-file.js';

let folder: string;
const at = (name: string) => path.join(folder, name);
const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 3_072 });
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'backup-'));
  await writeFile(at('public.pem'), publicKey.export({ type: 'spki', format: 'pem' }));
});
afterEach(() => rm(folder, { recursive: true }));

/** A database that is gone in the middle, or from the first. */
async function* failing(lines: number): AsyncGenerator<string> {
  for (let line = 0; line < lines; line += 1) yield 'x'.repeat(100_000);
  throw new Error('the database is gone');
}

describe('a backup that fails', () => {
  it.each([0, 1, 20])('leaves no file behind, after %i lines', async (lines) => {
    await expect(writeBackup(at('backup'), at('public.pem'), failing(lines))).rejects.toThrow('the database is gone');
    expect(await readdir(folder)).toEqual(['public.pem']);
  });

  it('leaves the one alone that was there before', async () => {
    await writeFile(at('backup'), 'of yesterday');
    await expect(writeBackup(at('backup'), at('public.pem'), failing(0))).rejects.toThrow('is there already');
    expect(await readFile(at('backup'), 'utf8')).toBe('of yesterday');
  });
});
