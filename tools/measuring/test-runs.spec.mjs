import { describe, expect, it } from '@jest/globals';
import path from 'node:path';
import { root } from '../running/process.mjs';
import { comparisonOf } from './compare-test-runs.mjs';
import { reportOfRun, runOf } from './test-runs.mjs';

const file = (name, ms, statuses) => ({
  name: path.join(root, name),
  startTime: 5,
  endTime: 5 + ms,
  assertionResults: statuses.map((status) => ({ status })),
});

const results = {
  startTime: 0,
  testResults: [
    file('apps/policy/test/limits.spec.ts', 2_000, ['passed', 'failed']),
    file('apps/policy/test/prices.spec.ts', 1_000, ['passed', 'pending']),
    file('apps/standalone/test/trades.system.spec.ts', 9_500, ['passed']),
  ],
};

describe('a kept test run', () => {
  const run = runOf(results, { wallMs: 10_000, systems: ['deployment: trades.system.spec.ts'] });

  it('counts the tests of each file and names its lane', () => {
    expect(run.files[0]).toEqual({
      file: 'apps/policy/test/limits.spec.ts',
      lane: 'parts',
      ms: 2_000,
      passed: 1,
      failed: 1,
      skipped: 0,
    });
    expect(run.files[2].lane).toBe('system');
  });

  it('is reported by its slowest files, the sum of each group, and its systems', () => {
    const report = reportOfRun(run);
    expect(report).toMatch(/file +seconds\napps\/standalone\/test\/trades.system.spec.ts +9\.5\n/);
    expect(report).toMatch(/apps\/standalone \(system\) +1 +1 +9\.5\napps\/policy +2 +3 +3\.0\n/);
    expect(report).toMatch(/Complete systems started: 1\n {2}deployment: trades/);
  });

  it('is compared with another by group and by file', () => {
    const faster = runOf({ startTime: 0, testResults: results.testResults.slice(0, 2) }, { wallMs: 4_000 });
    const comparison = comparisonOf(run, faster);
    expect(comparison).toMatch(/apps\/standalone \(system\) +9\.5 +- +-9\.5\n/);
    expect(comparison).toMatch(/wall +10\.0 +4\.0 +-6\.0\n/);
    expect(comparison).toContain('Complete systems: 1 before, 0 after');
  });
});
