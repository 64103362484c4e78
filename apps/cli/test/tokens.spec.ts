import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readdir } from 'node:fs/promises';
import { done, failed, type ScriptedApi } from './scripted-api.js';
import { ScriptedProgram } from './scripted-program.js';

const ID = '01938f70-0000-7000-8000-000000000001';
const TO = '8dPBF31QQuQKRZYMvnAmdVmF5NmKdLQ1aguQWrU1xRHc';
const TOKEN = {
  id: ID,
  name: 'Trading bot',
  scopes: ['read', 'trade'],
  recipients: null,
  maxSingleInUsd: 20,
  dailyLimitInUsd: 50,
  totalLimitInUsd: null,
  usedTodayUsd: 7.25,
  usedUsd: 40,
  createdAt: '2026-11-21T10:01:00.000Z',
  expiresAt: '2026-12-21T10:01:00.000Z',
};
const EXPIRES = '2026-12-21 10:01:00Z';
const OPENED = { token: TOKEN, sessionToken: 'the-secret' };
const OPEN = ['tokens', 'open', 'Trading bot', '--scopes', 'read,trade'];

let program: ScriptedProgram;
let api: ScriptedApi;

beforeAll(async () => {
  program = await ScriptedProgram.start(ID);
  ({ api } = program);
});
afterAll(() => program.stop());

const run = (...args: string[]) => program.runHere(...args);

describe('the list of tokens', () => {
  it('shows their limits and their use, with and without the word', async () => {
    const free = { ...TOKEN, name: 'Free', scopes: ['read'], maxSingleInUsd: null, dailyLimitInUsd: null };
    const narrow = { ...free, name: 'Pays', scopes: ['transfer'], totalLimitInUsd: 200, recipients: [TO] };
    const many = { ...free, name: 'Pays two', recipients: [TO, ID] };
    api.script(() => done({ tokens: [TOKEN, free, narrow, many] }));
    const { code, out } = await run('tokens', '--utc');
    expect([
      code,
      out
        .trimEnd()
        .split('\n')
        .map((line) => line.split(/ {2,}/)),
    ]).toEqual([
      0,
      [
        ['NAME', 'SCOPES', 'LIMITS', 'USED TODAY', 'EXPIRES', 'ID'],
        ['Trading bot', 'read,trade', '$20.00 each, $50.00 a day', '$7.25', EXPIRES, ID],
        ['Free', 'read', '-', '$7.25', EXPIRES, ID],
        ['Pays', 'transfer', `$200.00 in all, to ${TO}`, '$7.25', EXPIRES, ID],
        ['Pays two', 'read', 'to 2 addresses', '$7.25', EXPIRES, ID],
      ],
    ]);
    expect((await run('tokens', 'list', '--utc')).out).toBe(out);
    expect(JSON.parse((await run('tokens', '--json')).out)).toEqual({ tokens: [TOKEN, free, narrow, many] });
  });

  it('says where none is live', async () => {
    api.script(() => done({ tokens: [] }));
    expect((await run('tokens')).out).toBe('No tokens.\n');
  });
});

describe('a token', () => {
  it('is opened with the limits given, and its secret shown once', async () => {
    api.script(() => done(OPENED));
    const limits = [
      '--max-single',
      '20',
      '--daily',
      '50.5',
      '--total',
      '200',
      '--to',
      TO,
      '--to',
      'B',
      '--expires-in',
      '9',
    ];
    const { code, out, err } = await run(...OPEN, ...limits);
    expect([code, err]).toEqual([
      0,
      expect.stringMatching(/^Keep the secret now: it is not shown again\..*AW_TOKEN\.\n$/),
    ]);
    expect(out).toMatch(/^Secret +the-secret$/m);
    expect(out).toMatch(/^Limits +\$20\.00 each, \$50\.00 a day$/m);
    expect(api.requests.map(({ method, path: to }) => `${method} ${to}`)).toEqual(['POST /wallets/me/tokens']);
    expect(JSON.parse(api.requests[0]!.body)).toEqual({
      name: 'Trading bot',
      scopes: ['read', 'trade'],
      recipients: [TO, 'B'],
      maxSingleInUsd: 20,
      dailyLimitInUsd: 50.5,
      totalLimitInUsd: 200,
      expiresInHours: 9,
    });
  });

  it('has no other limits than those given, and its secret in the JSON', async () => {
    api.script(() => done(OPENED));
    const { out, err } = await run('tokens', 'open', 'A', '--scopes', 'Read', '--scopes', 'trade', '--json');
    expect([JSON.parse(out), err]).toEqual([OPENED, expect.stringContaining('not shown again')]);
    expect(api.requests[0]!.body).toBe('{"name":"A","scopes":["read","trade"]}');
    expect(await readdir(program.home)).toEqual([]);
  });

  it('may be open where the answer was lost, which the program says and does not repeat', async () => {
    api.script(() => ({ status: 502, data: null }));
    const { code, out, err } = await run(...OPEN, '--json');
    expect([code, out, api.requests.length]).toEqual([8, '', 1]);
    const lines = err.trimEnd().split('\n');
    expect(lines.at(-2)).toContain('A token may be open whose secret is lost.');
    expect(JSON.parse(lines.at(-1)!)).toMatchObject({ code: 'UNKNOWN' });
  });

  it('is not opened by a token', async () => {
    api.script(() => failed(403, 'INSUFFICIENT_SCOPE', { scope: 'session' }));
    const { code, err } = await run(...OPEN);
    expect([code, err]).toEqual([3, expect.stringContaining('scope: session')]);
    expect(err).not.toContain('may be open');
  });

  it('is ended by its id', async () => {
    api.script(() => done({ ended: true }));
    expect(await run('tokens', 'end', ID)).toMatchObject({ code: 0, out: `Ended ${ID}.\n` });
    expect(api.requests[0]).toMatchObject({ method: 'DELETE', path: `/wallets/me/tokens/${ID}` });
  });
});

it.each([
  [['tokens', 'open', 'A'], '--scopes is missing'],
  [
    ['tokens', 'open', 'A', '--scopes', 'read,all'],
    '--scopes takes read, transfer, trade, predict, liquidity, propose',
  ],
  [['tokens', 'open', 'A', '--scopes', 'read,'], '--scopes takes'],
  [['tokens', 'open', '--scopes', 'read'], '<name> is missing'],
  [[...OPEN, '--daily', '$50'], '--daily takes a number'],
  [[...OPEN, '--daily', '1', '--daily', '2'], '--daily takes one value'],
  [[...OPEN, '--expires-in', '1.5'], '--expires-in takes a whole number'],
  [[...OPEN, '--to='], '--to takes a value'],
  [['tokens', 'end', '..'], 'tokenId is missing'],
])('ends with 2 for %j', async (args, hint) => {
  api.script(() => done({}));
  const { code, err } = await run(...args);
  expect([code, api.requests]).toEqual([2, []]);
  expect(err).toContain(hint);
});

it('completes the commands of tokens, and shows how they are used', async () => {
  expect((await program.run('--get-yargs-completions', 'aw', 'tok')).out).toContain('tokens');
  expect((await program.run('--get-yargs-completions', 'aw', 'tokens', '')).out).toMatch(/list[^]*open[^]*end/);
  expect((await program.run('tokens', 'open', '--help')).out).toMatch(
    /Examples:\n +aw tokens open "Trading bot" --scopes read,trade/,
  );
});
