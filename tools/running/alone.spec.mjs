import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { alone } from './alone.mjs';

describe('work that is done alone', () => {
  let folder;
  let mark;

  beforeEach(async () => {
    jest.spyOn(console, 'log').mockImplementation(() => {});
    folder = await mkdtemp(path.join(tmpdir(), 'alone-'));
    mark = path.join(folder, 'deeper', 'building');
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await rm(folder, { recursive: true });
  });

  it('never runs twice at a time, and says once that it waits', async () => {
    let running = 0;
    let most = 0;
    const work = async () => {
      running += 1;
      most = Math.max(most, running);
      await turn();
      running -= 1;
      return 'done';
    };
    expect(await Promise.all([alone(work, mark), alone(work, mark)])).toEqual(['done', 'done']);
    expect([most, console.log.mock.calls.length]).toEqual([1, 1]);
  });

  it('leaves no mark when it fails', async () => {
    await expect(alone(() => Promise.reject(new Error('no')), mark)).rejects.toThrow('no');
    expect(existsSync(mark)).toBe(false);
  });

  it('does not wait for a process that has ended', async () => {
    const { pid } = spawnSync(process.execPath, ['--version']);
    mark = path.join(folder, 'building');
    await writeFile(mark, String(pid));
    expect(await alone(async () => 'done', mark)).toBe('done');
  });
});
