import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { runAudit } from '../src/audit/run-audit.js';
import { type ChainedLog, openChainedLog } from './chained-log.js';

let log: ChainedLog;

beforeAll(async () => {
  log = await openChainedLog();
});
afterAll(() => log.close());

describe('npm run audit:verify', () => {
  it('passes a log as it was written, from the database and from an export, also one that has ends of chains', async () => {
    const file = path.join(log.directory, 'log.ndjson');
    const { code, lines } = await log.audit('--export', file);
    expect([code, lines]).toEqual([0, [expect.stringMatching(/^as it was written: 50 events of 3/)]]);
    expect((await log.audit('--from', file)).code).toBe(0);
    const text = await readFile(file, 'utf8');
    expect(text.split('\n')).toHaveLength(50 + 1 + 1);
    await writeFile(file, `{"kind":"head","agentId":"${log.agents[0]}","size":17,"hash":""}\n${text}`);
    expect((await log.audit('--from', file)).code).toBe(0);
  });

  it('explains itself, and says what keeps it from checking', async () => {
    const { code, lines } = await log.audit('--help');
    expect([code, lines[0]]).toEqual([0, expect.stringContaining('Usage: npm run audit:verify')]);
    expect((await log.audit('--nonsense')).code).toBe(2);
    expect((await log.audit('--from', path.join(log.directory, 'nothing'))).code).toBe(2);
    expect(await runAudit([], {}, () => undefined)).toBe(2);
  });

  it('names what a superuser has altered, and what he has deleted', async () => {
    await log.tamper(`update events set payload = set_byte(payload, 70, 65) where position = 20`);
    const altered = await log.audit();
    expect([altered.code, altered.lines[0]]).toEqual([
      1,
      expect.stringContaining(`ALTERED event: position 20, event ${log.ids[19]}`),
    ]);
    await log.tamper(`delete from events where position = 7`);
    const missing = await log.audit();
    expect([missing.code, missing.lines[0]]).toEqual([1, expect.stringContaining('MISSING event: position 7')]);
  });
});
