import { describe, expect, it } from '@jest/globals';
import { ignoredFiles, laneOf, laneToRun, Waiting } from './lanes.mjs';

describe('laneOf', () => {
  it.each([
    ['apps/policy/test/limits.spec.ts', 'parts'],
    ['tools/jest/lanes.spec.mjs', 'parts'],
    ['apps/standalone/test/limits.system.spec.ts', 'system'],
    ['tools/soak/random-run.nightly.spec.mjs', 'nightly'],
    ['tools/sources/tidy.text.spec.ts', 'text'],
    ['apps/policy/test/system.spec.ts', 'parts'],
  ])('puts %s into the lane %s', (file, lane) => {
    expect(laneOf(file)).toBe(lane);
  });
});

describe('a run', () => {
  const files = ['a.spec.ts', 'b.system.spec.ts', 'c.nightly.spec.mjs', 'd.text.spec.ts', 'text.spec.ts'];
  const [part, system, nightly, text, namedText] = files;
  const ranWith = (env) =>
    files.filter((file) => !ignoredFiles(env).some((pattern) => new RegExp(pattern).test(`/repository/${file}`)));

  it('of the gate leaves out texts and the nightly lane', () => {
    expect(ranWith({})).toEqual([part, system, namedText]);
  });

  it('at night leaves out texts', () => {
    expect(ranWith({ NIGHTLY: '1' })).toEqual([part, system, nightly, namedText]);
  });

  it('of the check takes texts alone', () => {
    expect(ranWith({ TEST_LANE: 'text' })).toEqual([text]);
  });

  it('takes every file that it is given by its path', () => {
    const run = (...args) => ranWith({ TEST_LANE: laneToRun(args) });
    expect(run('apps/a/test/d.text.spec.ts', '-t', 'one')).toEqual([text]);
    expect(run('apps/a/test/d.text.spec.ts', 'a.spec.ts')).toEqual(files);
    expect(run('--runTestsByPath', 'c.nightly.spec.mjs')).toEqual(files);
    expect(run('a.spec.ts', 'b.system.spec.ts')).toEqual([part, system, namedText]);
    expect(run()).toEqual([part, system, namedText]);
  });
});

describe('waiting files', () => {
  const files = ['a.spec.ts', 'b.system.spec.ts', 'c.spec.ts', 'd.nightly.spec.ts', 'e.spec.ts'];
  const take = (waiting, worker) => waiting.next(worker)?.path;
  const open = () => new Waiting(files.map((path) => ({ path })));

  it('gives files that start systems to worker 0 alone', () => {
    const waiting = open();
    expect([1, 0, 0, 1].map((worker) => take(waiting, worker))).toEqual([
      'a.spec.ts',
      'b.system.spec.ts',
      'd.nightly.spec.ts',
      'c.spec.ts',
    ]);
  });

  it('lets worker 0 help with the rest when no system file is left', () => {
    const waiting = open();
    expect([0, 0, 0, 0, 0, 0].map((worker) => take(waiting, worker))).toEqual([
      'b.system.spec.ts',
      'd.nightly.spec.ts',
      'a.spec.ts',
      'c.spec.ts',
      'e.spec.ts',
      undefined,
    ]);
  });

  it('gives other workers nothing when only system files are left', () => {
    const waiting = new Waiting([{ path: 'b.system.spec.ts' }]);
    expect(take(waiting, 1)).toBeUndefined();
    expect(take(waiting, 0)).toBe('b.system.spec.ts');
  });
});
