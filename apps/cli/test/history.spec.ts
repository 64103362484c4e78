import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { done } from './scripted-api.js';
import { OwnProgram } from './own-program.js';

const TO = '8dPBF31QQuQKRZYMvnAmdVmF5NmKdLQ1aguQWrU1xRHc';

let program: OwnProgram;
beforeAll(async () => {
  program = await OwnProgram.start();
});
afterAll(() => program.stop());

const run = (...args: string[]) => program.run(['history', ...args]);

async function queryOf(...args: string[]): Promise<Record<string, string>> {
  program.api.script(() => done({ transactions: [], nextCursor: null }));
  expect(await run(...args)).toMatchObject({ code: 0, err: '' });
  return Object.fromEntries(new URL(program.api.requests[0]!.path, program.api.url).searchParams);
}

describe('filters of history', () => {
  it('go to the service', async () => {
    const filters = { action: 'trade', status: 'failed', recipient: TO, search: 'rent & “lunch”' };
    const args = Object.entries(filters).flatMap(([name, value]) => [`--${name}`, value]);
    expect(await queryOf(...args, '--limit', '7')).toEqual({ ...filters, limit: '7' });
  });

  it.each([
    ['2026-11-01', new Date(2026, 10, 1)],
    ['2026-11-01T09:30', new Date(2026, 10, 1, 9, 30)],
    ['2026-11-01T09:30:15+02:00', new Date(Date.UTC(2026, 10, 1, 7, 30, 15))],
  ])('take %s for a time of this computer unless it has a zone', async (given, time) => {
    expect(await queryOf('--from', given, '--to', given)).toMatchObject({
      from: time.toISOString(),
      to: time.toISOString(),
    });
  });

  it('take a date for one of UTC with --utc', async () => {
    expect(await queryOf('--utc', '--from', '2026-11-01')).toMatchObject({ from: '2026-11-01T00:00:00.000Z' });
  });

  it.each([
    ['90m', '2026-11-29T10:30:00.000Z'],
    ['12h', '2026-11-29T00:00:00.000Z'],
    ['7d', '2026-11-22T12:00:00.000Z'],
    ['2w', '2026-11-15T12:00:00.000Z'],
  ])('take %s for the time that long ago', async (given, time) => {
    program.nowMs = () => Date.UTC(2026, 10, 29, 12);
    expect(await queryOf('--from', given)).toMatchObject({ from: time });
  });

  it.each([
    ['--from', '2026-02-30', 'not 2026-02-30'],
    ['--from', '2026-11-01T25:00', 'not 2026-11-01T25:00'],
    ['--to', 'yesterday', 'or 7d, not yesterday'],
    ['--status', 'lost', '--status takes pending, '],
    ['--csv', '--json', 'leave one of them out'],
  ])('end with 2 for %s %s, before a request', async (name, value, hint) => {
    program.api.script(() => done({ transactions: [], nextCursor: null }));
    expect(await run(name, value)).toMatchObject({ code: 2, err: expect.stringContaining(hint) });
    expect(program.api.requests).toEqual([]);
  });
});

describe('history as CSV', () => {
  const PAID = {
    ...{ id: 'id-1', createdAt: '2026-11-28T17:50:03.123Z', action: 'transfer', status: 'confirmed', to: TO },
    ...{ amountRaw: '1', decimals: 18, asset: 'USDC', mint: 'EPjF', signature: 'sig', metadata: { memo: 'a, "b"\nc' } },
  };

  it('has names, every digit, quoted text and line ends of RFC 4180', async () => {
    program.api.script(() => done({ transactions: [PAID], nextCursor: null }));
    expect((await run('--csv')).out).toBe(
      'createdAt,action,status,amount,asset,mint,to,for,signature,id\r\n' +
        `2026-11-28T17:50:03.123Z,transfer,confirmed,0.000000000000000001,USDC,EPjF,${TO},` +
        `"to ${TO} “a, ""b""\nc”",sig,id-1\r\n`,
    );
  });

  it('runs no formula in a spreadsheet and steers no terminal', async () => {
    const hostile = { ...PAID, asset: '=HYPERLINK("x")', mint: '@SUM(A1)', signature: '\u001b]0;x', amountRaw: '-5' };
    program.api.script(() => done({ transactions: [hostile], nextCursor: null }));
    const { out } = await run('--csv');
    expect(out).toContain(`,-0.000000000000000005,"'=HYPERLINK(""x"")",'@SUM(A1),`);
    expect(out).toContain(',?]0;x,');
  });

  it('has all records, of pages of a hundred', async () => {
    program.api.script(({ path: at }) =>
      done({ transactions: Array(100).fill(PAID), nextCursor: at.includes('cursor=') ? null : 'next' }),
    );
    expect((await run('--csv')).out.split('\r\n')).toHaveLength(202);
    expect(program.api.requests[0]!.path).toContain('limit=100');
  });
});
