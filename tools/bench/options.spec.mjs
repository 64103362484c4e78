import { describe, expect, it } from '@jest/globals';
import { readOptions } from './options.mjs';

const known = ['reservations', 'transfers'];

describe('the command line of the benchmarks', () => {
  it('runs all of them in five pairs unless told otherwise', () => {
    expect(readOptions([], known)).toMatchObject({ benchmarks: known, pairs: 5, isQuick: false, help: false });
  });

  it('runs the one that is named, and less of it when that is asked for', () => {
    const options = readOptions(['transfers', '--quick'], known);
    expect(options).toMatchObject({ benchmarks: ['transfers'], pairs: 2, isQuick: true });
  });

  it.each([
    [['swaps'], 'no benchmark swaps'],
    [['--fast'], '--fast'],
    [['--json'], '--json'],
  ])('says what is wrong with %j', (args, problem) => {
    expect(readOptions(args, known).problem).toContain(problem);
  });
});
