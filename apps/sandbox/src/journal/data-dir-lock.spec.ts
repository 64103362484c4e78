import { eventually } from '@agent-wallet/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { DataDirLock } from './data-dir-lock.js';

let dataDir: string;

beforeAll(() => {
  dataDir = mkdtempSync(path.join(os.tmpdir(), 'lock-'));
});
afterAll(() => rmSync(dataDir, { recursive: true }));

const statOf = (pid: number) =>
  readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');

(existsSync('/proc/self/stat') ? it : it.skip)(
  'a data directory is free when its holder was killed, even if no parent has asked for the holder [needs /proc]',
  async () => {
    // The shell becomes a program that never waits for the child.
    const parent = spawn('sh', ['-c', 'sleep 60 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'ignore'] });
    const [output] = (await once(parent.stdout, 'data')) as [Buffer];
    const pid = Number(output.toString());
    // Until then it is a shell, which would ask for a child that ends.
    await eventually(() => readFileSync(`/proc/${parent.pid}/comm`, 'utf8').trim() === 'sleep');
    const startedAt = statOf(pid)[19];
    writeFileSync(path.join(dataDir, 'lock'), JSON.stringify({ pid, startedAt }));
    expect(() => DataDirLock.take(dataDir)).toThrow(`in use by process ${pid}`);
    process.kill(pid, 'SIGKILL');
    await eventually(() => statOf(pid)[0] === 'Z');
    expect(() => DataDirLock.take(dataDir).release()).not.toThrow();
    parent.kill('SIGKILL');
    await once(parent, 'exit');
  },
);
