import { describe, expect, it } from '@jest/globals';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { BENCHMARKS, readOptions } from './options.mjs';

describe('the command line of the benchmarks', () => {
  it('names benchmarks that are there', () => {
    expect(BENCHMARKS.filter((name) => !existsSync(path.join(import.meta.dirname, `${name}.mjs`)))).toEqual([]);
  });

  it('runs all of them in five pairs by default', () => {
    const options = readOptions([], BENCHMARKS);
    expect(options).toMatchObject({ benchmarks: BENCHMARKS, pairs: 5, isQuick: false, help: false });
    expect(options.commit).toBeUndefined();
  });

  it('runs the one that is named, and less of it when that is asked for', () => {
    const options = readOptions(['transfers', '--quick'], BENCHMARKS);
    expect(options).toMatchObject({ benchmarks: ['transfers'], pairs: 2, isQuick: true });
  });

  it('takes the number of pairs', () => {
    expect(readOptions(['--quick', '--pairs', '7'], BENCHMARKS).pairs).toBe(7);
  });

  it('takes the scene of shares', () => {
    expect(readOptions(['shares', '--scene', 'trades'], BENCHMARKS).scene).toBe('trades');
    expect(readOptions(['shares'], BENCHMARKS).scene).toBeUndefined();
  });

  it('takes the number of rows of size', () => {
    expect(readOptions(['size', '--rows', '20000000'], BENCHMARKS).rows).toBe(20_000_000);
    expect(readOptions(['size'], BENCHMARKS).rows).toBeUndefined();
  });

  it('compares with a commit what can be compared', () => {
    const options = readOptions(['--against', 'HEAD~1'], BENCHMARKS);
    expect(options).toMatchObject({ benchmarks: ['transfers', 'latency', 'trades', 'start'], commit: 'HEAD~1' });
  });

  it.each([
    [['swaps'], 'no benchmark swaps'],
    [['signer', '--against', 'HEAD'], 'no benchmark signer that can be run against a commit'],
    [['--pairs', '0'], '--pairs'],
    [['size', '--rows', 'many'], '--rows'],
    [['--fast'], '--fast'],
    [['--json'], '--json'],
  ])('says what is wrong with %j', (args, problem) => {
    expect(readOptions(args, BENCHMARKS).problem).toContain(problem);
  });
});
