import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { problemsOf } from '../src/isolation/isolate.js';
import { environmentFor, type SignerProcess, startProcess } from './signer-process.js';
import { type Deployment, openDeployment } from './support.js';

const INSPECTOR_PORT = 9_229;
let deployment: Deployment;
let production: Record<string, string>;
beforeAll(async () => {
  deployment = await openDeployment();
  const allowed = { NODE_ENV: 'production', SIGNER_ALLOW_SOFTWARE_VAULT: 'true' };
  production = { ...environmentFor(deployment), ...allowed };
});
afterAll(() => deployment.close());

async function running(signer: Awaited<ReturnType<typeof startProcess>>): Promise<SignerProcess> {
  if (signer.address === undefined) throw new Error(signer.output());
  return signer;
}

function answersAt(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

describe('a signer in production', () => {
  it('starts with core dumps off, holds nothing for one, and opens no debugger at SIGUSR1', async () => {
    const signer = await running(await startProcess(production));
    expect((await readFile(`/proc/${signer.pid}/coredump_filter`, 'utf8')).trim()).toBe('00000000');
    signer.signal('SIGUSR1');
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(await answersAt(INSPECTOR_PORT)).toBe(false);
    expect(signer.output()).not.toContain('Debugger listening');
    signer.signal('SIGTERM');
    expect(await signer.exited).toBe(0);
  });

  it.each([
    ['core dumps', {}, { limits: 'ulimit -c unlimited' }, 'RLIMIT_CORE=0'],
    ['a debugger', {}, { nodeOptions: ['--inspect=0'] }, '--inspect=0'],
    ['a debugger by NODE_OPTIONS', { NODE_OPTIONS: '--inspect=0' }, {}, '--inspect=0'],
    ['heap snapshots', { NODE_OPTIONS: '--heapsnapshot-signal=SIGUSR2' }, {}, '--heapsnapshot-signal'],
    ['reports', {}, { nodeOptions: ['--report-on-signal'] }, '--report-on-signal'],
    ['the garbage collector', {}, { nodeOptions: ['--expose-gc'] }, '--expose-gc'],
  ])('does not start with %s', async (_, environment, options, why) => {
    const signer = await startProcess({ ...production, ...environment }, options);
    expect(signer.address).toBeUndefined();
    expect(signer.output()).toContain(why);
  });
});

describe('elsewhere', () => {
  it('the same is said in the log', async () => {
    const options = { nodeOptions: ['--expose-gc'], limits: 'ulimit -c unlimited' };
    const signer = await running(await startProcess(environmentFor(deployment), options));
    expect(signer.output()).toMatch(/RLIMIT_CORE=0/);
    signer.signal('SIGTERM');
    await signer.exited;
  });

  it.each(['--enable-source-maps', '--max-old-space-size=512', '--experimental-vm-modules'])(
    '%s is nothing',
    (option) => {
      const limits =
        'Limit  Soft Limit  Hard Limit  Units\nMax core file size        0                    0                    bytes';
      expect(problemsOf({ nodeOptions: [option], limits })).toEqual([]);
    },
  );
});
