import { casesOf } from '@agent-wallet/testing';
import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../running/process.mjs';
import { transpiled } from './loader.mjs';
import { showSourcePositions } from './source-positions.mjs';

const FILE = path.join(root, 'libs', 'testing', 'src', 'nightly.ts');
const LINES = readFileSync(FILE, 'utf8').split('\n');
const PLACE = `${FILE}:${LINES.findIndex((line) => line.includes('throw new Error')) + 1}:`;

function failure() {
  try {
    return casesOf([], { gate: ['unknown'] });
  } catch (error) {
    return error;
  }
}

describe('showSourcePositions', () => {
  it('shows where in its source an error was thrown', async () => {
    const error = failure();
    expect(error.stack).not.toContain(PLACE);
    await showSourcePositions(error, transpiled);
    expect(error.stack).toContain(PLACE);
  });

  it('shows the places of causes and of several errors, each once', async () => {
    const [cause, one] = [failure(), failure()];
    const error = new AggregateError([one], 'all', { cause });
    cause.cause = error;
    await showSourcePositions(error, transpiled);
    for (const each of [cause, one]) expect(each.stack).toContain(PLACE);
  });

  it.each([undefined, 'text', { stack: 1 }])('leaves %j alone', async (thrown) => {
    await expect(showSourcePositions(thrown, transpiled)).resolves.toBeUndefined();
  });

  it('keeps a place that no source map knows', async () => {
    const stack = 'Error: a\n    at file:///nowhere/a.ts?file=1:2:3';
    const error = Object.assign(new Error('a'), { stack });
    await showSourcePositions(error, async () => '');
    expect(error.stack).toBe(stack);
  });
});
