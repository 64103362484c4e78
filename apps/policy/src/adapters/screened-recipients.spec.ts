import { createLogger, SettingsError } from '@agent-wallet/platform';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ScreenedRecipients } from './screened-recipients.js';

const [FIRST, SECOND] = ['11111111111111111111111111111112', 'So11111111111111111111111111111111111111112'];
const directory = mkdtempSync(path.join(tmpdir(), 'screening-'));
const file = path.join(directory, 'list');
afterAll(() => rmSync(directory, { recursive: true }));

let nowMs: number;
let logged: string[];
const logger = createLogger('policy', 'silent');
const noting = Object.assign(Object.create(logger) as typeof logger, {
  info: ({ event }: { event: string }) => logged.push(event),
  error: ({ event }: { event: string }) => logged.push(event),
});
const open = () => new ScreenedRecipients(file, { nowMs: () => nowMs }, noting);

beforeEach(() => {
  nowMs = 1_000_000;
  logged = [];
  writeFileSync(file, `# from the authority\r\n\n ${FIRST} # since Monday\n`);
});

describe('a list of screened recipients', () => {
  it('has the addresses of its lines, without comments and blanks', () => {
    const list = open();
    expect([list.isListed(FIRST), list.isListed(SECOND), list.isListed('')]).toEqual([true, false, false]);
  });

  it('is read again when it was written or replaced, and not before', () => {
    const list = open();
    writeFileSync(`${file}.next`, `${SECOND}\n`);
    renameSync(`${file}.next`, file);
    expect(list.isListed(SECOND)).toBe(false);
    nowMs += 5_000;
    expect([list.isListed(FIRST), list.isListed(SECOND)]).toEqual([false, true]);
    expect(logged).toEqual(['screened_recipients.changed']);
  });

  it.each([
    ['has a line that is not an address', () => writeFileSync(file, `${SECOND}\nnot an address\n`)],
    ['is gone', () => rmSync(file)],
  ])('stays as it was when the file %s, and says so once', (_, spoil) => {
    const list = open();
    spoil();
    for (let n = 0; n < 3; n += 1) {
      nowMs += 5_000;
      expect([list.isListed(FIRST), list.isListed(SECOND)]).toEqual([true, false]);
    }
    expect(logged).toEqual(['screened_recipients.reload_failed']);
  });

  it('stops the start when it cannot be read, or names the line that is wrong', () => {
    writeFileSync(file, `${FIRST}\n${FIRST.slice(1)}x!\n`);
    expect(open).toThrow(new SettingsError(['SCREENED_RECIPIENTS_PATH: line 2 is not an address']));
    rmSync(file);
    expect(open).toThrow(SettingsError);
  });
});
