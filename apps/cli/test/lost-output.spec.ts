import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { FileStore } from '@agent-wallet/sdk/node';
import { rmSync, writeFileSync } from 'node:fs';
import { readdir, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import { type Run, start } from './program.js';
import { done, failed, tokenOf } from './scripted-api.js';
import { ScriptedProgram } from './scripted-program.js';

const AGENT = '01938f70-0000-7000-8000-000000000001';
const TO = '8dPBF31QQuQKRZYMvnAmdVmF5NmKdLQ1aguQWrU1xRHc';
const SEND = ['send', '12.5', 'USDC', TO];
const SENT = { transactionId: 'tx-1', transactionStatus: 'confirmed', amount: '12.5 USDC', recipient: TO };
const ME = { email: 'a@example.com', chainAddress: TO, agentId: AGENT, claimed: false };
const TOKEN = { id: 'token-1', scopes: ['read'], maxSingleInUsd: null, dailyLimitInUsd: null, totalLimitInUsd: null };
const OPENED = { token: { ...TOKEN, recipients: null, expiresAt: 'noon' }, sessionToken: 'secret' };
const SUBMITTED = done({ status: 'submitted', transactionStatus: 'submitted', transactionId: 'tx-1' }, 202);
/** A folder in which no user can make a file, root included. */
const FULL_FOLDER = '/proc';

let program: ScriptedProgram;
beforeAll(async () => {
  program = await ScriptedProgram.start(AGENT);
});
beforeEach(() => rm(path.join(program.home, 'pending'), { recursive: true, force: true }));
afterAll(() => program.stop());

const environment = () => ({ AW_API: program.api.url, AW_HOME: program.home, AW_TOKEN: tokenOf(AGENT) });
const keys = () => program.api.requests.map(({ headers }) => headers['idempotency-key']);

function startHere(...args: string[]): Run {
  return start(args, environment());
}

/** Runs the program in a shell that redirects its streams or limits its files. */
function runIn(shell: string, ...args: string[]) {
  return start(args, environment(), '', shell).ended;
}

describe('a payment whose result cannot be written', () => {
  const expectPaidOnce = async (first: { readonly code: number | null }, ...more: string[]) => {
    expect(first.code).toBe(11);
    const again = await program.run(...SEND, ...more);
    expect(again).toMatchObject({ code: 0, out: expect.stringContaining('tx-1') });
    expect(keys()).toEqual([keys()[0], keys()[0]]);
    expect(await readdir(path.join(program.home, 'pending'))).toEqual([]);
  };

  it('ends with 11 where its reader has gone before, and the same command prints it', async () => {
    program.api.script(() => done(SENT));
    const { child, ended } = startHere(...SEND);
    child.stdout.destroy();
    const first = await ended;
    expect(first.err).toMatch(/^aw: Done, but the result could not be written: write EPIPE\.\n {2}Money moved\. Run/);
    expect(first.err).toContain('transaction tx-1');
    expect(first.err).not.toMatch(/^ +at /m);
    await expectPaidOnce(first);
  });

  it('ends with 11 where its readers go while the service works', async () => {
    let run: Run | undefined;
    program.api.script(() => {
      run?.child.stdout.destroy();
      run?.child.stderr.destroy();
      return done(SENT);
    });
    run = startHere(...SEND, '--key', 'invoice-17');
    const first = await run.ended;
    run = undefined;
    await expectPaidOnce(first, '--key', 'invoice-17');
  });

  it('ends with 11 on a full disk, and says so as JSON', async () => {
    program.api.script(() => done(SENT));
    const first = await runIn('exec "$@" >/dev/full', ...SEND, '--json');
    expect(JSON.parse(first.err)).toMatchObject({ code: 'UNWRITTEN', retry: 'same_key', transactionId: 'tx-1' });
    await expectPaidOnce(first);
  });

  it('ends with 11 for a record of history, which the same command finds again', async () => {
    const order = { path: '/wallets/me/actions/transfer', body: `{"to":"${TO}","mint":"USDC","amount":12.5}` };
    const old = { key: 'old', holder: AGENT, ...order, sentAtMs: Date.UTC(2020, 0), transactionId: 'tx-1' };
    await new FileStore(path.join(program.home, 'pending')).save(old);
    program.api.script(() => done({ transaction: { id: 'tx-1', status: 'confirmed' } }));
    expect((await runIn('exec "$@" >/dev/full', ...SEND)).code).toBe(11);
    expect(await program.runHere(...SEND)).toMatchObject({ code: 0, out: expect.stringContaining('tx-1') });
    expect(program.api.requests.map(({ method }) => method)).toEqual(['GET', 'GET']);
  });

  it('keeps the others open where all are resumed', async () => {
    program.api.script(() => SUBMITTED);
    for (const key of ['one', 'two']) await program.runHere(...SEND, '--wait', '0', '--key', key);
    program.api.script(() => done(SENT));
    expect((await runIn('exec "$@" >/dev/full', 'resume', '--all')).code).toBe(11);
    expect(await readdir(path.join(program.home, 'pending'))).toHaveLength(2);
    expect(keys()).toHaveLength(1);
  });
});

describe('a payment whose progress has no reader', () => {
  it.each(['exec "$@" 2>/dev/full', 'exec "$@" 2>&-'])('is done with 0: %s', async (shell) => {
    program.api.script(() => (program.api.requests.length === 1 ? SUBMITTED : done(SENT)));
    expect(await runIn(shell, ...SEND)).toMatchObject({ code: 0, out: expect.stringContaining('tx-1') });
  });

  it('ends with the code of its failure', async () => {
    program.api.script(() => failed(400, 'INSUFFICIENT_FUNDS'));
    expect((await runIn('exec "$@" >/dev/full 2>/dev/full', ...SEND)).code).toBe(5);
    const { child, ended } = startHere(...SEND);
    child.stderr.destroy();
    expect((await ended).code).toBe(5);
  });
});

it('ends a read with 141 and no word when its reader has gone', async () => {
  program.api.script(() => done(ME));
  for (const args of [['whoami'], ['whoami', '--json'], ['--help'], ['completion']]) {
    const { child, ended } = startHere(...args);
    child.stdout.destroy();
    expect(await ended).toEqual({ code: 141, out: '', err: '' });
  }
});

it('ends a read with 1 and one line on a full disk', async () => {
  program.api.script(() => done(ME));
  const { code, err } = await runIn('exec "$@" >/dev/full', 'whoami');
  expect([code, err]).toEqual([1, expect.stringMatching(/^aw: The result could not be written: ENOSPC.*\n$/)]);
});

it('names the token to end when its secret cannot be written', async () => {
  program.api.script(() => done(OPENED));
  const { code, err } = await runIn('exec "$@" >/dev/full', 'tokens', 'open', 'Bot', '--scopes', 'read', '--json');
  expect([code, JSON.parse(err.trim().split('\n').at(-1)!)]).toEqual([
    11,
    expect.objectContaining({ retry: null, suggestion: expect.stringContaining('aw tokens end token-1') }),
  ]);
});

describe('a payment whose request cannot be stored', () => {
  const expectUnsent = async (ended: Promise<{ readonly code: number | null; readonly err: string }>) => {
    const { code, err } = await ended;
    expect([code, program.api.requests]).toEqual([12, []]);
    expect(err).toMatch(
      /^aw: Open requests in .*pending could not be stored: .* Nothing was sent\.\n {2}Free the disk/,
    );
  };

  beforeEach(() => program.api.script(() => done(SENT)));

  it('is not sent on a full disk, and leaves no file', async () => {
    // A file of no bytes can be made, and takes none, as on a full disk.
    await expectUnsent(runIn('ulimit -f 0; exec "$@"', ...SEND));
    expect(await readdir(path.join(program.home, 'pending'))).toEqual([]);
  });

  it('is not sent from a folder that takes no file', async () => {
    await symlink(FULL_FOLDER, path.join(program.home, 'pending'));
    await expectUnsent(program.runHere(...SEND));
  });
});

it('ends a payment that is under way when its folder is gone', async () => {
  const folder = path.join(program.home, 'pending');
  program.api.script(() => {
    if (program.api.requests.length > 1) return done(SENT);
    rmSync(folder, { recursive: true });
    writeFileSync(folder, '');
    return SUBMITTED;
  });
  expect(await program.runHere(...SEND)).toMatchObject({ code: 0, out: expect.stringContaining('tx-1') });
});

it('ends a login with 12 where its session cannot be kept', async () => {
  const session = { sessionToken: 'secret', expiresAt: 'noon', chainAddress: TO, isNewUser: true };
  program.api.script(({ path: at }) => done(at === '/connect/start' ? { otpId: 'otp-1' } : session));
  const { code, err } = await runIn('ulimit -f 0; exec "$@"', 'login', '--email', 'a@example.com', '--start');
  expect(code).toBe(12);
  expect(err).toMatch(/^aw: .*login\.json could not be written: /);
  expect(await readdir(program.home)).not.toContainEqual(expect.stringMatching(/login\.json/));
});
