import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Waiting } from './groups.mjs';

let folder;
beforeAll(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'groups-'));
  mkdirSync(path.join(folder, 'apps/standalone/test'), { recursive: true });
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A file of a deployment: of its own, or shared under these options. */
function deploying(name, options) {
  const file = path.join(folder, 'apps/standalone/test', name);
  writeFileSync(file, options ? `await shareDeployment(${options})` : '');
  return { path: file };
}

const small = (name) => ({ path: path.join(folder, 'libs', name) });
const nameOf = (test) => test && path.basename(test.path);

describe('the files that wait', () => {
  it('stay with the worker that has their deployment', () => {
    const [a, b, other] = [deploying('a', '{ x }'), deploying('b', '{ x }'), deploying('other')];
    const waiting = new Waiting([a, b, other]);
    expect([0, 1, 0, 1].map((worker) => nameOf(waiting.next(worker)))).toEqual(['a', 'other', 'b', undefined]);
  });

  it('are divided when only those of another worker are left', () => {
    const waiting = new Waiting(['a', 'b', 'c'].map((name) => deploying(name, '{ x }')));
    expect([0, 1, 0].map((worker) => nameOf(waiting.next(worker)))).toEqual(['a', 'c', 'b']);
  });

  it('start much in three workers at once, for as long as there are some that start little', () => {
    const much = ['a', 'b', 'c', 'd', 'e'].map((name) => deploying(name));
    const waiting = new Waiting([...much, small('s'), small('t')]);
    const given = [0, 1, 2, 3, 3, 3, 0].map((worker) => nameOf(waiting.next(worker)));
    expect(given).toEqual(['a', 'b', 'c', 's', 't', 'd', 'e']);
    expect([0, 1, 2, 3].map((worker) => waiting.next(worker))).toEqual(Array(4).fill(undefined));
  });

  it('are given to the first free worker, so that no worker waits', () => {
    const waiting = new Waiting([...['a', 'b', 'c', 'd'].map((name) => deploying(name)), small('s'), small('t')]);
    expect([0, 1, 2, 3].map((worker) => nameOf(waiting.next(worker)))).toEqual(['a', 'b', 'c', 's']);
    expect([0, 3, 0].map((worker) => nameOf(waiting.next(worker)))).toEqual(['d', 't', undefined]);
  });
});
