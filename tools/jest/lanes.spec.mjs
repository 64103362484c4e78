import { describe, expect, it } from '@jest/globals';
import { laneOf, Waiting } from './lanes.mjs';

describe('laneOf', () => {
  it.each([
    ['apps/policy/test/limits.spec.ts', 'parts'],
    ['tools/jest/lanes.spec.mjs', 'parts'],
    ['apps/standalone/test/limits.system.spec.ts', 'system'],
    ['tools/soak/random-run.nightly.spec.mjs', 'nightly'],
    ['apps/policy/test/system.spec.ts', 'parts'],
  ])('puts %s into the lane %s', (file, lane) => {
    expect(laneOf(file)).toBe(lane);
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
