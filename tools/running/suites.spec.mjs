import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import path from 'node:path';
import { root } from './process.mjs';
import { isGood, reportOf, runSuites, skippedIn } from './suites.mjs';

const passing = { name: 'passing', run: async () => ({ passed: 2, failed: 0, skipped: 1 }) };
const failing = { name: 'failing', run: async () => ({ passed: 3, failed: 1, skipped: 0 }) };
const throwing = {
  name: 'throwing',
  run: async () => {
    throw new Error('no');
  },
};
const empty = { name: 'empty', run: async () => ({ passed: 0, failed: 0, skipped: 0 }) };
const impossible = { ...passing, name: 'impossible', needs: { unicorns: ['no-such-program'] } };
const possible = { ...passing, needs: { Node: [process.execPath, '--version'] } };

describe('test suites', () => {
  beforeEach(() => {
    jest.spyOn(console, 'log').mockImplementation(() => {});
    jest.spyOn(console, 'error').mockImplementation(() => {});
  });
  afterEach(() => jest.restoreAllMocks());

  it('are summed up in the last line', async () => {
    const report = reportOf(await runSuites([passing, failing])).split('\n');
    expect(report).toEqual([
      'ran  passing: 2 passed, 0 failed, 1 skipped',
      'FAILED  failing: 3 passed, 1 failed, 0 skipped',
      '',
      '5 passed, 1 failed, 1 skipped',
    ]);
  });

  it('that cannot run are named with the reason, and count where every suite must run', async () => {
    const results = await runSuites([passing, impossible]);
    expect(reportOf(results)).toContain('could not run  impossible: this machine has no unicorns\n');
    expect([isGood(results, { every: false }), isGood(results, { every: true })]).toEqual([true, false]);
  });

  it('run where the machine has what they need', async () => {
    expect(isGood(await runSuites([possible]), { every: true })).toBe(true);
  });

  it('name the tests that they skipped, and what those need', async () => {
    const pending = (fullName) => ({ fullName, status: 'pending' });
    const assertionResults = [
      pending('/docs in a browser [needs Chromium] shows every route'),
      pending('/docs in a browser [needs Chromium] signs in'),
      { fullName: 'GET /docs is there', status: 'passed' },
    ];
    const testResults = [
      { name: path.join(root, 'docs.spec.ts'), assertionResults },
      { name: path.join(root, 'a.spec.ts'), assertionResults: [] },
    ];
    const reasons = skippedIn({ testResults }, root);
    expect(reasons).toEqual(['2 of docs.spec.ts: needs Chromium']);
    const suite = { name: 'jest', run: async () => ({ passed: 1, failed: 0, skipped: 2, reasons }) };
    expect(reportOf(await runSuites([suite]))).toContain('\n  skipped  2 of docs.spec.ts: needs Chromium\n');
  });

  it.each([failing, throwing, empty])('fail: $name', async (suite) => {
    expect(isGood(await runSuites([passing, suite]), { every: false })).toBe(false);
  });
});

describe('a flaky file', () => {
  beforeEach(() => void jest.spyOn(console, 'log').mockImplementation(() => {}));
  afterEach(() => jest.restoreAllMocks());

  it('is named with its first failure in the last lines, and does not fail the run', async () => {
    const flaky = [{ name: 'a.spec.ts', message: 'Expected: 1\nReceived: 2' }];
    const suite = { name: 'jest', run: async () => ({ passed: 3, failed: 0, skipped: 0, flaky }) };
    const results = await runSuites([suite]);
    expect(reportOf(results)).toMatch(
      /\nFLAKY {2}a\.spec\.ts\n {2}Expected: 1\n {2}Received: 2\n\n3 passed, 0 failed, 0 skipped$/,
    );
    expect(isGood(results, { every: true })).toBe(true);
  });
});
