import { describe, expect, it } from '@jest/globals';
import { partTable } from './report.mjs';

describe('the table of bare parts', () => {
  it('multiplies the median of each by how often it is needed, and adds them up', () => {
    const parts = [
      { name: 'a call', times: 4 },
      { name: 'a statement', times: 9 },
    ];
    const rounds = [{ each: [100, 50] }, { each: [300, 10] }, { each: [200, 20] }];
    expect(partTable(parts, rounds, 'a transfer')).toEqual({
      title: 'bare parts of a transfer',
      rows: [
        ['', 'times', 'µs each', 'µs'],
        ['a call', '4', 200, 800],
        ['a statement', '9', 20, 180],
        ['all of them', '', '', 980],
      ],
    });
  });
});
