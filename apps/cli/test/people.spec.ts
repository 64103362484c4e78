import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { HomeError } from '../src/exit-codes.js';
import { reportFailure } from '../src/failures.js';
import { Output } from '../src/output.js';
import { OwnProgram } from './own-program.js';
import { done, failed, ScriptedApi } from './scripted-api.js';

const TO = '8dPBF31QQuQKRZYMvnAmdVmF5NmKdLQ1aguQWrU1xRHc';
const SEND = ['send', '1', 'USDC', TO];

let program: OwnProgram;
beforeAll(async () => {
  program = await OwnProgram.start();
});
afterAll(() => program.stop());

const run = (...args: string[]) => program.run(args);
const helpIn = async (columns: number) => (await program.run(['send', '--help'], { columns })).out.split('\n');

describe('a command line', () => {
  it.each([
    [['send', '1', 'USDC'], '<recipient> is missing: aw send <amount> <token> <recipient>'],
    [['liquidity', 'add', 'POOL'], '<amount> is missing: aw liquidity add <pool> <amount> <token>'],
    [[...SEND, '--dryrun'], 'Unknown argument: dryrun. Did you mean --dry-run?'],
    [['history', '--limits', '3'], 'Did you mean --limit?'],
    [['history', '--limit', '0'], '--limit takes a whole number from 1.'],
    [['balance', '--colour'], 'Unknown argument: colour\n'],
  ])('ends with 2 for %j, and says what to write', async (args, hint) => {
    const { code, err } = await run(...args);
    expect([code, err]).toEqual([2, expect.stringContaining(hint)]);
  });

  it('shows the version by a word, too', async () => {
    expect((await run('version')).out).toBe((await run('--version')).out);
  });

  it('breaks its help at the width of the terminal, but no example', async () => {
    const isLong = (line: string) => line.length > 60;
    expect((await helpIn(60)).filter(isLong)).toEqual((await helpIn(100)).filter((line) => /^ {2}aw .{58}/.test(line)));
    expect((await helpIn(100)).some((line) => isLong(line) && line.includes('--home'))).toBe(true);
  });
});

describe('completion', () => {
  const complete = (...words: string[]) => run('--get-yargs-completions', 'aw', ...words);

  it('offers the fields of the policy', async () => {
    expect((await complete('policy', 'set', '')).out.split('\n')).toContain('allowedRecipients');
    expect((await complete('policy', 'set', 'dailyLimitInUsd', '')).out).not.toContain('allowedRecipients');
  });

  it.each(['foo', 'fish'])('names its shells in place of a script for %s', async (shell) => {
    const { code, err } = await run('completion', shell);
    expect([code, err]).toEqual([2, expect.stringMatching(/completion takes no argument.* bash or zsh/)]);
    expect(err).not.toContain('Did you mean');
  });

  it.each([['send', '--'], ['nonsense', '--x'], ['']])('prints no error for %j', async (...words) => {
    expect(await complete(...words)).toMatchObject({ code: 0, err: '' });
  });
});

describe('a list of the policy', () => {
  it.each([
    ['allowedRecipients', 'null', []],
    ['allowedRecipients', '[]', []],
    ['unpricedTokens', 'null', []],
    ['allowedTokens', 'null', null],
    ['allowedTokens', '[]', []],
  ])('%s is cleared by %s', async (field, value, sent) => {
    const policy = { allowedRecipients: [] };
    program.api.script(() => done({ policy, version: 5, claimed: false, warnings: [] }));
    expect((await run('policy', 'set', field, value)).out).toMatch(/^allowedRecipients +everyone$/m);
    expect(JSON.parse(program.api.requests[0]!.body)).toEqual({ [field]: sent });
  });
});

describe('a failure says what to do', () => {
  it('with a token of AW_TOKEN that is none, or is not accepted', async () => {
    const broken = await program.run(['balance'], { env: { AW_TOKEN: 'abc' } });
    expect([broken.code, broken.err]).toEqual([4, expect.stringMatching(/AW_TOKEN is not a token.*\n.*unset it/)]);
    program.api.script(() => failed(401, 'AUTHENTICATION_ERROR'));
    expect((await run('balance')).err).toContain('The token is that of AW_TOKEN. Set it to a live token, or unset it');
  });

  it('with an address where nothing answers', async () => {
    const closed = await ScriptedApi.start();
    const { url } = closed;
    await closed.stop();
    const read = await run('balance', '--api', url);
    expect([read.code, read.err]).toEqual([
      8,
      expect.stringMatching(/connection refused\n {2}Check the address, --api/),
    ]);
    expect(read.err).not.toMatch(/\.\. Tries|pays twice/);
    const paid = await run(...SEND, '--api', url);
    expect([paid.code, paid.err]).toEqual([8, expect.stringContaining('The request is kept: aw resume.')]);
  });

  it('without a second full stop before it tries again', async () => {
    let isFirst = true;
    program.api.script(() => {
      const answer = isFirst
        ? failed(503, 'SERVICE_UNAVAILABLE')
        : done({ email: 'a', chainAddress: TO, agentId: 'a' });
      isFirst = false;
      return answer;
    });
    expect((await run('whoami')).err).toBe('Said by the service. Tries again …\n');
  });

  it.each([
    ['EACCES', 'This user may not write there. Name another folder'],
    ['ENOSPC', 'Free the disk'],
  ])('with a folder that fails with %s', (code, next) => {
    let said = '';
    const streams = {
      out: () => undefined,
      err: (text: string) => void (said += text),
      written: async () => undefined,
    };
    const error = new HomeError('session.json could not be written.', {
      cause: Object.assign(new Error(code), { code }),
    });
    expect(reportFailure(error, new Output(streams, false), { env: {} })).toBe(12);
    expect(said).toContain(next);
  });

  it('with a folder that cannot be made', async () => {
    const file = path.join(program.home, 'file');
    await writeFile(file, '');
    program.api.script(() => done({ otpId: 'o' }));
    const { code, err } = await program.run(['login', '--email', 'a@example.com', '--start', '--home', file]);
    expect([code, err]).toEqual([12, expect.stringContaining('--home')]);
  });
});

describe('history', () => {
  const at = {
    createdAt: '2026-11-28T17:50:03.123Z',
    decimals: 6,
    asset: 'USDC',
    amountRaw: '25000000',
    status: 'confirmed',
  };
  const tokens = [{ amount: '10 USDC' }, { amount: '0.06 SOL' }];
  const RECORDS = [
    [{ action: 'transfer', to: TO, metadata: { memo: 'lunch' } }, `to ${TO} “lunch”`],
    [
      { action: 'trade', metadata: { from: 'USDC', to: 'SOL', inputAmount: '25 USDC', outputAmount: null } },
      '25 USDC → SOL',
    ],
    [{ action: 'liquidity_add', metadata: { tokens, pool: 'POOL' } }, '10 USDC and 0.06 SOL, pool POOL'],
    [
      { action: 'prediction_buy', metadata: { count: 3, requestedCount: 5, side: 'yes', ticker: 'KX' } },
      '3 of 5 yes of KX',
    ],
    [{ action: 'prediction_withdrawal', metadata: { amountDollars: '12.5' } }, '$12.50'],
    [{ action: 'policy_update', metadata: { changes: [{ field: 'allowTrading' }] } }, 'allowTrading'],
    [{ action: 'later_action', metadata: {} }, '-'],
  ] as const;

  it('says what each operation was for, at times of UTC', async () => {
    const transactions = RECORDS.map(([record], n) => ({ ...at, ...record, id: `id-${n}` }));
    program.api.script(() => done({ transactions, nextCursor: null }));
    const rows = (await run('history', '--utc')).out.trimEnd().split('\n').slice(1);
    expect(rows.map((row) => row.split(/ {2,}/))).toEqual(
      RECORDS.map(([{ action }, purpose], n) => [
        '2026-11-28 17:50:03Z',
        action,
        '25 USDC',
        'confirmed',
        purpose,
        `id-${n}`,
      ]),
    );
  });
});

it('ends with 6 where an order bought nothing', async () => {
  const nothing = {
    ticker: 'KX',
    side: 'yes',
    count: 0,
    requestedCount: 1,
    status: 'cancelled',
    totalCostDollars: '0',
  };
  program.api.script(() => done({ ...nothing, transactionId: 'tx-1', transactionStatus: 'confirmed' }));
  const { code, out } = await run('buy', 'KX', 'yes', '1', '--max-price-cents', '1');
  expect([code, out]).toEqual([6, expect.stringMatching(/^Bought +nothing: no offer within the price/)]);
  program.api.script(() => done({ ...nothing, count: 1, transactionId: 'tx-2', transactionStatus: 'confirmed' }));
  expect((await run('buy', 'KX', 'yes', '1')).code).toBe(0);
});

it.each([[[]], [['--all']]])('ends with 6 where resume %j finds that an order bought nothing', async (more) => {
  const open = { status: 'submitted', transactionStatus: 'submitted', transactionId: 'tx-1' };
  program.api.script(() => done(open, 202));
  const home = ['--home', path.join(program.home, 'orders')];
  await run('buy', 'KX', 'yes', '1', '--wait', '0', ...home);
  const nothing = { ticker: 'KX', side: 'yes', count: 0, requestedCount: 1, transactionId: 'tx-1' };
  program.api.script(() => done({ ...nothing, transactionStatus: 'cancelled' }));
  const { code, out } = await run('resume', ...more, ...home);
  expect([code, out]).toEqual([6, expect.stringMatching(/^Nothing filled +\/predictions\/buy/)]);
});

describe('a command of its own', () => {
  it('unwraps all without an amount, and withdraws exact dollars', async () => {
    const result = { transactionId: 'tx-1', transactionStatus: 'confirmed', amount: '0.5 SOL', amountDollars: '12.5' };
    program.api.script(() => done({ ...result, newBalanceDollars: '3' }));
    expect((await run('unwrap')).out).toMatch(/^Unwrapped +0\.5 SOL$/m);
    await run('unwrap', '5', '--raw');
    expect((await run('withdraw', '12.50')).out).toMatch(/^Withdrawn +\$12\.50\nPrediction balance +\$3\.00$/m);
    expect(program.api.requests.map(({ path: to, body }) => [to, body])).toEqual([
      ['/wallets/me/actions/unwrap-sol', '{}'],
      ['/wallets/me/actions/unwrap-sol', '{"amountRaw":"5"}'],
      ['/predictions/withdraw', '{"amountDollars":12.50}'],
    ]);
  });

  it('reads a token and any route, and changes nothing', async () => {
    program.api.script(() => done({ symbol: 'USDC', mint: 'EPjF', verified: true, safety: { mintAuthority: null } }));
    expect((await run('token', 'US/DC')).out).toMatch(/^Mint +EPjF\n.*Verified +yes$/ms);
    expect(JSON.parse((await run('api', 'GET', '/wallets/me/history?limit=5')).out)).toMatchObject({ symbol: 'USDC' });
    expect(program.api.requests.map(({ method, path: to }) => `${method} ${to}`)).toEqual([
      'GET /tokens/US%2FDC',
      'GET /wallets/me/history?limit=5',
    ]);
    expect((await run('api', 'POST', '/wallets/me')).code).toBe(2);
    expect((await run('api', 'GET', 'wallets/me')).code).toBe(2);
  });
});
