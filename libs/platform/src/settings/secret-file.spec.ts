import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { inspect } from 'node:util';
import { setting } from './kinds.js';
import { readSettings } from './read-settings.js';
import { SecretFile } from './secret-file.js';

let directory: string;
let file: string;

beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'secret-file-'));
  file = path.join(directory, 'api-key');
  writeFileSync(file, 'first\n');
});
afterEach(() => rmSync(directory, { recursive: true }));

describe('a secret in a file', () => {
  const shape = { API_KEY: setting.secret().optional(), NAME: setting.text().optional() };

  it('is named by the variable with _PATH, and prints as [secret]', () => {
    const { API_KEY: key } = readSettings(shape, { API_KEY_PATH: file });
    expect(key!.reveal()).toBe('first');
    expect(inspect({ key }, { depth: 5 }) + JSON.stringify({ key })).not.toContain('first');
  });

  it('changes while we run, ten seconds after it was read at the latest', () => {
    let nowMs = 0;
    const overrides = { nowMs: () => nowMs, warn: () => undefined };
    const secret = new SecretFile({ name: 'KEY_PATH', path: file, accept: (text) => text, ...overrides }, 'first');
    writeFileSync(file, 'second\n');
    nowMs = 9_999;
    expect(secret.reveal()).toBe('first');
    nowMs = 10_000;
    expect(secret.reveal()).toBe('second');
  });

  it('that is gone or no longer valid leaves the last one in use, and is reported by name alone', () => {
    let nowMs = 0;
    const warnings: string[] = [];
    const accept = (text: string) => (text === 'bad' ? undefined : text);
    const overrides = { nowMs: () => nowMs, warn: (text: string) => void warnings.push(text) };
    const secret = new SecretFile({ name: 'KEY_PATH', path: file, accept, ...overrides }, 'first');
    rmSync(file);
    expect([(nowMs += 10_000), secret.reveal()]).toEqual([10_000, 'first']);
    writeFileSync(file, 'bad');
    expect([(nowMs += 10_000), secret.reveal()]).toEqual([20_000, 'first']);
    expect(warnings).toEqual(['KEY_PATH cannot be used; the last secret stays in use']);
    writeFileSync(file, 'third');
    expect([(nowMs += 10_000), secret.reveal()]).toEqual([30_000, 'third']);
  });

  it('stops the start when it cannot be read, is given twice, or is for a setting that is not secret', () => {
    const missing = path.join(directory, 'missing');
    expect(() => readSettings(shape, { API_KEY_PATH: missing })).toThrow(
      'API_KEY_PATH: the file cannot be read (ENOENT)',
    );
    expect(() => readSettings(shape, { API_KEY_PATH: file, API_KEY: 'x' })).toThrow(
      'API_KEY is set, and API_KEY_PATH is',
    );
    expect(() => readSettings(shape, { NAME_PATH: file })).toThrow('NAME_PATH: only a secret may be in a file');
  });
});
