import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { FileStore } from '@agent-wallet/sdk/node';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { done, failed } from './scripted-api.js';
import { ScriptedProgram } from './scripted-program.js';

const AGENT = '01938f70-0000-7000-8000-000000000001';
const TO = '8dPBF31QQuQKRZYMvnAmdVmF5NmKdLQ1aguQWrU1xRHc';
const SEND = ['send', '12.5', 'USDC', TO];
const OLD = {
  ...{ key: 'old-key', holder: AGENT, path: '/wallets/me/actions/transfer' },
  ...{ body: `{"to":"${TO}","mint":"USDC","amount":12.5}`, sentAtMs: Date.UTC(2020, 0) },
};

let program: ScriptedProgram;
let store: FileStore;
beforeAll(async () => {
  program = await ScriptedProgram.start(AGENT);
  store = new FileStore(path.join(program.home, 'pending'));
});
beforeEach(() => rm(path.join(program.home, 'pending'), { recursive: true, force: true }));
afterAll(() => program.stop());

const record = (status: string) => done({ transaction: { id: 'tx-1', status } });

describe('a request that was left open more than 23 hours ago', () => {
  it.each([['resume'], SEND])('is not sent by aw %s, which says how to look it up', async (...args) => {
    await store.save(OLD);
    program.api.script(() => done({}));
    const { code, out, err } = await program.run(...args);
    expect([code, out, program.api.requests]).toEqual([10, '', []]);
    expect(err).toContain('2020-01-01T00:00:00.000Z is older than 23 hours');
    expect(err).toContain('aw history. Then forget it: aw forget old-key.');
    expect(await store.list()).toEqual([OLD]);
    expect(await program.run('forget', 'old-key')).toMatchObject({ code: 0, out: 'Forgotten: old-key.\n' });
    expect(await store.list()).toEqual([]);
  });

  it.each([['resume'], ['resume', '--all'], SEND])('is done where history says so: aw %s %s', async (...args) => {
    await store.save({ ...OLD, transactionId: 'tx-1' });
    program.api.script(() => record('confirmed'));
    const { code, out } = await program.run(...args, '--json');
    expect([code, JSON.stringify(JSON.parse(out))]).toEqual([0, expect.stringContaining('"status":"confirmed"')]);
    expect(program.api.requests.map(({ method }) => method)).toEqual(['GET']);
    expect(await store.list()).toEqual([]);
  });

  it.each([
    ['rejected_by_policy', 3],
    ['cancelled', 3],
    ['failed', 6],
    ['expired', 6],
  ])('that history shows as %s ends with %i', async (status, code) => {
    await store.save({ ...OLD, transactionId: 'tx-1' });
    program.api.script(() => record(status));
    const ended = await program.run('resume', '--json');
    expect([ended.code, JSON.parse(ended.err)]).toEqual([
      code,
      expect.objectContaining({ retry: 'new_key', transactionId: 'tx-1' }),
    ]);
    expect(await store.list()).toEqual([]);
  });

  it('ends with 10 and is kept where history has no record', async () => {
    await store.save({ ...OLD, transactionId: 'tx-1' });
    program.api.script(() => failed(404, 'NOT_FOUND'));
    expect((await program.run('resume')).code).toBe(10);
    expect(await store.list()).toHaveLength(1);
  });
});

it('forget ends with 2 for a key that is not open', async () => {
  expect((await program.run('forget', 'unknown')).code).toBe(2);
});
