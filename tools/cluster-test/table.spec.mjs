import { describe, expect, it } from '@jest/globals';
import { nothingIn, Table } from './table.mjs';

const silent = () => new Table(() => {});

describe('a table of checks', () => {
  it('is good when there are some and none failed', () => {
    const table = silent();
    expect(table.isGood).toBe(false);
    table.add('a', nothingIn([], 'all of 3'), 1.25);
    expect(table.isGood).toBe(true);
    table.add('b', nothingIn(['this', 'that'], ''));
    expect(table.isGood).toBe(false);
    expect(`${table}`.split('\n').slice(2)).toEqual([
      '| a | all of 3 | ok | 1.3 |',
      '| b | 2: this; that | **FAILED** |  |',
    ]);
  });

  it('takes a failure of the checking for a failed check', async () => {
    const table = silent();
    await table.check('a', async () => {
      throw new Error('no\n cluster');
    });
    expect(table.rows).toMatchObject([{ ok: false, seen: 'no cluster' }]);
  });
});
