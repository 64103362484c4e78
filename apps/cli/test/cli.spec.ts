import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Ended, runHere, start } from './program.js';
import { type Answer, done, failed, ScriptedApi, tokenOf } from './scripted-api.js';

const TOKEN = tokenOf('01938f70-0000-7000-8000-000000000001');
const TO = '8dPBF31QQuQKRZYMvnAmdVmF5NmKdLQ1aguQWrU1xRHc';
const SEND = ['send', '12.5', 'USDC', TO];
const SENT = {
  transactionId: 'tx-1',
  transactionStatus: 'confirmed',
  amount: '12.5 USDC',
  recipient: TO,
  explorerUrl: 'https://explorer.example/tx',
};
const SUBMITTED = done({ status: 'submitted', transactionStatus: 'submitted', transactionId: 'tx-1' }, 202);

let api: ScriptedApi;
let home: string;

beforeAll(async () => {
  api = await ScriptedApi.start();
});

afterAll(() => api.stop());

beforeEach(async () => {
  if (home) await rm(home, { recursive: true });
  home = await mkdtemp(path.join(tmpdir(), 'aw-'));
});

afterAll(() => rm(home, { recursive: true }));

function environment(): Record<string, string> {
  return { AW_API: api.url, AW_HOME: home, AW_TOKEN: TOKEN };
}

function run(...args: string[]): Promise<Ended> {
  return runHere(args, environment());
}

/** Runs the built program as a process of its own. */
function runProgram(...args: string[]): Promise<Ended> {
  return start(args, environment()).ended;
}

function keys(): unknown[] {
  return api.requests.map(({ headers }) => headers['idempotency-key']);
}

describe('a session', () => {
  const session = { sessionToken: TOKEN, expiresAt: '2026-12-01T00:00:00.000Z', chainAddress: TO, isNewUser: true };
  const account = ({ path: at, headers }: { path: string; headers: Record<string, unknown> }): Answer => {
    if (at === '/connect/start') return done({ otpId: 'otp-1' });
    if (at === '/connect/complete') return done(session);
    return headers['authorization'] === `Bearer ${TOKEN}`
      ? done({ email: 'a@example.com', chainAddress: TO, agentId: 'agent-1', claimed: false })
      : failed(401, 'AUTHENTICATION_ERROR');
  };
  const alone = () => ({ AW_API: api.url, AW_HOME: home });
  const runAlone = (...args: string[]) => runHere(args, alone());

  it('is kept from a login to a logout, readable by its user alone', async () => {
    api.script(account);
    const login = await start(['login', '--email', 'a@example.com'], alone(), '123456\n').ended;
    expect(login).toMatchObject({ code: 0, err: 'Code: \n' });
    expect(login.out).toContain(`New wallet     ${TO}`);
    expect(login.out + login.err).not.toContain(TOKEN);
    expect(JSON.parse(api.requests[1]!.body)).toEqual({ email: 'a@example.com', otpId: 'otp-1', otpCode: '123456' });
    expect((await stat(path.join(home, 'session.json'))).mode & 0o777).toBe(0o600);
    expect((await runAlone('whoami')).out).toContain('a@example.com');
    expect(await runAlone('logout')).toMatchObject({ code: 0, out: 'Logged out.\n' });
    expect(await runAlone('whoami')).toMatchObject({ code: 4, out: '' });
  });

  it('is begun in two steps by a program that reads the mail', async () => {
    api.script(account);
    expect(await runAlone('login', '--code', '123456')).toMatchObject({ code: 2 });
    expect(await runAlone('login', '--email', 'a@example.com', '--start')).toMatchObject({ code: 0 });
    expect(await runAlone('login', '--code', '123456', '--json')).toMatchObject({ code: 0 });
    expect((await runAlone('whoami', '--json')).code).toBe(0);
  });

  it('is not shown to another service', async () => {
    api.script(account);
    await runAlone('login', '--email', 'a@example.com', '--start');
    await runAlone('login', '--code', '123456');
    const elsewhere = await ScriptedApi.start();
    const { code, err } = await runAlone('whoami', '--api', elsewhere.url);
    expect([code, elsewhere.requests]).toEqual([4, []]);
    expect(err).toContain(`You are logged in at ${api.url}`);
    await elsewhere.stop();
  });
});

describe('a payment', () => {
  it('prints what was sent, and the progress beside', async () => {
    api.script(() => (api.requests.length === 1 ? SUBMITTED : done(SENT)));
    const { code, out, err } = await runProgram(...SEND);
    expect([code, err]).toEqual([0, 'submitted tx-1\n']);
    expect(out).toContain(`Sent         12.5 USDC to ${TO}`);
    expect(api.requests[0]!.body).toBe(`{"to":"${TO}","mint":"USDC","amount":12.5}`);
    expect(await readdir(path.join(home, 'pending'))).toEqual([]);
  });

  it('prints one JSON value, and keeps every digit of an amount', async () => {
    api.script(() => done(SENT));
    const { out, err } = await run('send', '0.000000000000000001', 'SOL', TO, '--json');
    expect([JSON.parse(out), err]).toEqual([SENT, '']);
    expect(api.requests[0]!.body).toBe(`{"to":"${TO}","amount":0.000000000000000001}`);
    await run('send', '25', 'USDC', TO, '--raw', '--key', 'invoice-17');
    expect(api.requests[1]!.body).toBe(`{"to":"${TO}","mint":"USDC","amountRaw":"25"}`);
    expect(keys()[1]).toBe('invoice-17');
  });

  it('goes on with its key in a second run, after a kill', async () => {
    api.script(() => undefined);
    const first = start(SEND, environment());
    await api.nextRequest();
    first.child.kill('SIGKILL');
    await first.ended;
    const [killed] = keys();
    expect((await run('pending')).out).toContain(String(killed));
    api.script(() => done(SENT));
    const second = await runProgram(...SEND);
    expect(second).toMatchObject({ code: 0 });
    expect(second.err).toContain(`Goes on with the request ${String(killed)}`);
    expect(keys()).toEqual([killed]);
    expect((await run('pending')).out).toBe('Nothing is open.\n');
  });

  it('is resumed after Ctrl-C', async () => {
    api.script(() => undefined);
    const first = start(SEND, environment());
    await api.nextRequest();
    first.child.kill('SIGINT');
    expect(await first.ended).toMatchObject({ code: 8, out: '', err: expect.stringContaining('aw resume') });
    const [stopped] = keys();
    api.script(() => done(SENT));
    expect((await runProgram('resume')).out).toContain('tx-1');
    expect(keys()).toEqual([stopped]);
  });

  it('says where the owner decides, and that it is still open', async () => {
    const approvalUrl = 'https://console.example/approve';
    const waiting = { transactionStatus: 'awaiting_approval', transactionId: 'tx-1', approvalUrl, expiresAt: 'noon' };
    api.script(() => done({ status: 'awaiting_approval', ...waiting }, 202));
    const { code, out, err } = await run(...SEND, '--wait', '0');
    expect([code, out]).toEqual([7, '']);
    expect(err).toContain(`tx-1 waits for the owner at ${approvalUrl} until noon`);
    expect(err).toContain('aw resume');
  });

  it('resumes all that is open, also after a failure of one', async () => {
    api.script(() => SUBMITTED);
    await run(...SEND, '--wait', '0', '--key', 'one');
    await run(...SEND, '--wait', '0', '--key', 'two');
    expect((await run('resume')).code).toBe(2);
    api.script(({ headers }) => (headers['idempotency-key'] === 'one' ? failed(422, 'NO_ROUTE') : done(SENT)));
    const { code, out } = await run('resume', '--all', '--json');
    expect([code, JSON.parse(out)]).toEqual([6, { resumed: [{ key: 'two', result: SENT }] }]);
  });
});

it.each([
  [2, failed(400, 'VALIDATION_ERROR')],
  [3, failed(403, 'POLICY_VIOLATION', { rule: 'DAILY_LIMIT', maxAllowedNowUsd: 3 })],
  [3, failed(409, 'APPROVAL_REJECTED')],
  [4, failed(401, 'AUTHENTICATION_ERROR')],
  [5, failed(400, 'INSUFFICIENT_FUNDS', { suggestion: 'Receive 3 USDC first.' })],
  [6, failed(422, 'SLIPPAGE_EXCEEDED', { transactionId: 'tx-1' })],
  [8, failed(503, 'SERVICE_UNAVAILABLE')],
  [2, failed(418, 'LATER_CODE')],
])('ends with %i for a failure', async (code, answer) => {
  api.script(() => answer);
  const ended = await run(...SEND, '--json', '--wait', '0');
  expect([ended.code, ended.out]).toEqual([code, '']);
  const failure = JSON.parse(ended.err.trim().split('\n').at(-1)!) as object;
  expect(failure).toMatchObject(
    code === 8 ? { code: 'UNKNOWN', retry: 'same_key' } : { code: (answer.data as { code: string }).code },
  );
});

it('ends with 9 for a rate limit, and with 8 without a service', async () => {
  api.script(() => failed(429, 'RATE_LIMIT_EXCEEDED'));
  expect((await run('whoami', '--wait', '0')).code).toBe(9);
  expect((await run('whoami', '--wait', '0', '--api', 'http://127.0.0.1:1')).code).toBe(8);
});

it('says to people the rule, the limit and the next step', async () => {
  api.script(() => failed(403, 'POLICY_VIOLATION', { rule: 'DAILY_LIMIT', maxAllowedNowUsd: 3, suggestion: 'Less.' }));
  const { err } = await run(...SEND);
  expect(err).toContain('aw: Said by the service. (POLICY_VIOLATION)\n  rule: DAILY_LIMIT\n  maxAllowedNowUsd: 3\n');
  expect(err).toContain('  Less.\n  See the limits: aw policy.');
});

it('leaves the terminal alone, regardless of what the service says', async () => {
  const hostile = '\u001b]0;x\u0007\u009b2J\u202e\nDone';
  api.script(() => ({ ...failed(403, 'POLICY_VIOLATION', { suggestion: `Next ${hostile}` }), message: hostile }));
  const refused = await run(...SEND);
  expect(refused.err).toMatch(/^aw: \?\]0;x\?\?2J\?\?Done \(POLICY_VIOLATION\)\n {2}Next \?\]0;x\?\?2J\?\?Done\n/);
  api.script(() => done({ transactionStatus: 'awaiting_approval', transactionId: 't', approvalUrl: hostile }, 202));
  const open = await run(...SEND, '--wait', '0');
  expect(open.err).toMatch(/^t waits for the owner at \?\]0;x\?\?2J\?\?Done\n/);
  api.script(() => done({ ...SENT, amount: hostile }));
  const sent = await run(...SEND, '--key', 'k', '--json');
  expect(sent.out).not.toMatch(/[^\P{Cc}\n]|\p{Bidi_Control}/u);
  expect(JSON.parse(sent.out)).toMatchObject({ amount: hostile });
});

it.each([
  [['sned', '1', 'SOL', TO], 'Did you mean send?'],
  [['send', '1e3', 'SOL', TO], 'decimal text'],
  [['send', '1', 'SOL'], '<recipient> is missing'],
  [['balance', '--colour'], 'colour'],
  [['policy', 'set', 'limit', '1'], 'dailyLimitInUsd'],
  [[...SEND, '--dry-run=yes'], '--dry-run takes no value'],
  [[...SEND, '--dryRun=1'], '--dry-run takes no value'],
  [[...SEND, '--dry-run.x'], 'dry-run.x'],
  [[...SEND, '--', '--dry-run'], '-- is not taken'],
  [[...SEND, '--raw='], '--raw takes no value'],
])('ends with 2 for %j', async (args, hint) => {
  api.script(() => done({}));
  const { code, err } = await run(...args);
  expect([code, api.requests]).toEqual([2, []]);
  expect(err).toContain(hint);
});

it('shows balances in aligned columns, to the last digit', async () => {
  const sol = { balance: 1.5, amountRaw: '1500000001', decimals: 9, usdValue: 210 };
  const usdc = { mint: 'EPjF', symbol: 'USDC', balance: 250, amountRaw: '250000000', decimals: 6, usdValue: 250 };
  api.script(() => done({ chainAddress: TO, sol, tokens: [usdc], totalUsdValue: 460, pricedAt: null }));
  const { out } = await run('balance');
  expect(out.split('\n').slice(0, 3)).toEqual([
    '     AMOUNT  TOKEN    VALUE  MINT',
    '1.500000001  SOL    $210.00  -',
    '        250  USDC   $250.00  EPjF',
  ]);
});

it('looks at the service, the session and what is open', async () => {
  const service = { name: 'n', version: '1.2.3', network: 'sandbox', realMoney: false, documents: {} };
  api.script(({ path: at }) =>
    at === '/' ? done(service) : done({ email: 'a@example.com', chainAddress: TO, agentId: 'a', claimed: false }),
  );
  const well = await run('doctor');
  expect(well.code).toBe(0);
  expect(well.out).toContain('service 1.2.3');
  expect(well.out).not.toContain('WRONG');
  api.script(({ path: at }) => (at === '/' ? done(service) : failed(401, 'AUTHENTICATION_ERROR')));
  const loggedOut = await run('doctor');
  expect(loggedOut.code).toBe(4);
  expect(loggedOut.out).toMatch(/session +WRONG .*aw login/);
});

it('writes scripts for completion', async () => {
  expect((await runProgram('completion')).out).toContain('complete -o bashdefault');
  const zsh = await start(['completion'], { ...environment(), SHELL: '/bin/zsh', ZSH_NAME: 'zsh' }).ended;
  expect(zsh.out).toContain('#compdef aw');
  expect((await run('--get-yargs-completions', 'aw', 'pol')).out).toContain('policy');
});

it('shows an example in the help of each command, and the exit codes', async () => {
  const { out } = await run('--help');
  expect(out).toContain('  7  still open');
  const commands = [...out.matchAll(/^ {2}aw (\w+)/gm)].map(([, name]) => name!);
  expect(commands.length).toBeGreaterThan(20);
  for (const name of new Set(commands.filter((each) => each !== 'completion'))) {
    const help = await run(name, '--help');
    expect(help.code).toBe(0);
    expect(help.out).toMatch(new RegExp(`Examples:\\n +aw ${name}`));
  }
});
