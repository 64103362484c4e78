import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runHere } from './program.js';
import { done, failed, type Request, ScriptedApi, tokenOf } from './scripted-api.js';

const TO = '8dPBF31QQuQKRZYMvnAmdVmF5NmKdLQ1aguQWrU1xRHc';
const SEND = ['send', '12.5', 'USDC', TO];
const ADDRESS = 'So11111111111111111111111111111111111111112';
const TOKENS = { 'a@example.com': tokenOf('agent-a'), 'bot@example.com': tokenOf('agent-bot') } as const;
const SUBMITTED = done({ status: 'submitted', transactionStatus: 'submitted', transactionId: 'tx-1' }, 202);
const SENT = { transactionId: 'tx-1', transactionStatus: 'confirmed', amount: '12.5 USDC', recipient: TO };

let api: ScriptedApi;
let home: string;

beforeAll(async () => {
  api = await ScriptedApi.start();
});
afterAll(() => api.stop());

beforeEach(async () => {
  home = await mkdtemp(path.join(tmpdir(), 'aw-'));
  api.script(account);
  await logIn('a@example.com');
  await logIn('bot@example.com', '--profile', 'bot');
});
afterEach(() => rm(home, { recursive: true, force: true }));

const run = (args: readonly string[], env = {}) => runHere(args, { AW_API: api.url, AW_HOME: home, ...env });

/** Answers logins with the token of their address, and anything else with whose token it is. */
function account({ path: at, body, headers }: Request) {
  if (at === '/connect/start') return done({ otpId: 'otp-1' });
  if (at === '/connect/complete') {
    const { email } = JSON.parse(body) as { email: keyof typeof TOKENS };
    const expiresAt = email.startsWith('bot') ? '2020-01-01T00:00:00.000Z' : '2999-12-01T00:00:00.000Z';
    return done({ sessionToken: TOKENS[email], expiresAt, chainAddress: ADDRESS, isNewUser: true });
  }
  const [email] = Object.entries(TOKENS).find(([, token]) => headers.authorization === `Bearer ${token}`) ?? [];
  if (!email) return failed(401, 'AUTHENTICATION_ERROR');
  return done({ email, chainAddress: ADDRESS, agentId: 'agent', claimed: false });
}

async function logIn(email: string, ...more: string[]): Promise<void> {
  await run(['login', '--email', email, '--start', ...more]);
  expect(await run(['login', '--code', '123456', ...more])).toMatchObject({ code: 0 });
}

async function whoami(args: readonly string[] = [], env = {}): Promise<string> {
  return (JSON.parse((await run(['whoami', '--json', ...args], env)).out) as { email: string }).email;
}

describe('a profile', () => {
  it('has a session of its own, readable by its user alone', async () => {
    expect([await whoami(), await whoami(['--profile', 'bot'])]).toEqual(['a@example.com', 'bot@example.com']);
    const folder = path.join(home, 'profiles', 'bot');
    expect((await stat(path.join(folder, 'session.json'))).mode & 0o777).toBe(0o600);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    await run(['logout', '--profile', 'bot']);
    expect(await whoami()).toBe('a@example.com');
    expect((await run(['whoami', '--profile', 'bot'])).code).toBe(4);
  });

  it('is that of --profile, then of AW_PROFILE, then of profiles use', async () => {
    expect(await run(['profiles', 'use', 'bot'])).toMatchObject({ out: 'Commands use the profile bot.\n' });
    expect(await whoami()).toBe('bot@example.com');
    expect(await whoami([], { AW_PROFILE: 'default' })).toBe('a@example.com');
    expect(await whoami(['--profile', 'bot'], { AW_PROFILE: 'default' })).toBe('bot@example.com');
    await run(['profiles', 'use', 'default']);
    expect(await whoami()).toBe('a@example.com');
  });

  it('keeps its open requests, which no other profile resumes', async () => {
    api.script(() => SUBMITTED);
    await run([...SEND, '--wait', '0', '--profile', 'bot']);
    const [{ headers }] = api.requests as [Request];
    api.script(() => done(SENT));
    expect((await run(['resume'])).out).toBe('Nothing is open.\n');
    await run(SEND);
    expect(api.requests.at(-1)!.headers['idempotency-key']).not.toBe(headers['idempotency-key']);
    expect(await run(['resume', '--profile', 'bot'])).toMatchObject({ code: 0 });
    expect(api.requests.at(-1)!.headers['idempotency-key']).toBe(headers['idempotency-key']);
  });

  it('keeps its open requests from a profile of the same agent', async () => {
    await logIn('bot@example.com', '--profile', 'twin');
    api.script(() => SUBMITTED);
    await run([...SEND, '--wait', '0', '--profile', 'bot']);
    expect((await run(['resume', '--profile', 'twin'])).out).toBe('Nothing is open.\n');
  });

  it.each([['Bot'], ['../bot'], ['a'.repeat(33)]])('is not called %s', async (name) => {
    expect(await run(['login', '--profile', name])).toMatchObject({
      code: 2,
      err: expect.stringContaining('--profile takes 1 to 32 of a-z, 0-9 and -'),
    });
    expect(await run(['whoami'], { AW_PROFILE: name })).toMatchObject({ code: 2 });
  });

  it('is not taken together with AW_TOKEN, which would pay from another wallet', async () => {
    api.script(() => done(SENT));
    const both = { AW_TOKEN: TOKENS['a@example.com'] };
    for (const ended of [run([...SEND, '--profile', 'bot'], both), run(SEND, { ...both, AW_PROFILE: 'bot' })]) {
      expect(await ended).toMatchObject({ code: 2, err: expect.stringContaining('leave one of them out') });
    }
    expect(api.requests).toEqual([]);
  });

  it('gives way to AW_TOKEN where profiles use has chosen it, and keeps no request of it', async () => {
    await run(['profiles', 'use', 'bot']);
    const token = { AW_TOKEN: TOKENS['a@example.com'] };
    api.script(() => SUBMITTED);
    await run([...SEND, '--wait', '0'], token);
    await run(['profiles', 'use', 'default']);
    api.script(() => done(SENT));
    expect((await run(SEND, token)).err).toContain('Goes on with the request');
  });
});

describe('a list of profiles', () => {
  it('says who each is, where, whether its session is over, and which is current', async () => {
    await logIn('bot@example.com', '--profile', 'gone');
    await run(['logout', '--profile', 'gone']);
    const of = (email: string) => ({ email, address: ADDRESS, api: api.url });
    const { out } = await run(['profiles', '--json', '--profile', 'bot']);
    expect(JSON.parse(out)).toEqual({
      profiles: [
        expect.objectContaining({ name: 'default', ...of('a@example.com'), session: 'live', current: false }),
        expect.objectContaining({ name: 'bot', ...of('bot@example.com'), session: 'over', current: true }),
        expect.objectContaining({ name: 'gone', email: null, session: 'logged_out', current: false }),
      ],
    });
    expect((await run(['profiles', '--utc'])).out).toMatch(/^default +current .*\nbot .* over since 2020-01-01/m);
  });

  it('marks none while AW_TOKEN is set', async () => {
    const { out, err } = await run(['profiles'], { AW_TOKEN: TOKENS['a@example.com'] });
    expect([out.includes('current'), err]).toEqual([false, expect.stringContaining('AW_TOKEN is set')]);
  });

  it('completes after --profile and after profiles use', async () => {
    for (const words of [
      ['send', '--profile', ''],
      ['profiles', 'use', ''],
    ]) {
      const { out } = await run(['--get-yargs-completions', 'aw', ...words]);
      expect(out).toBe('default\nbot\n');
    }
  });
});

describe('a failure', () => {
  it('says its profile, to people and to scripts', async () => {
    api.script(() => failed(401, 'AUTHENTICATION_ERROR'));
    const { err } = await run(['balance', '--profile', 'bot']);
    expect(err).toContain('  profile bot\n  Log in: aw login --profile bot.\n');
    expect(JSON.parse((await run(['balance', '--json'])).err)).toMatchObject({ profile: 'default' });
    expect((await run(['balance'])).err).toContain('  profile default\n');
  });

  it('names a profile that is not logged in, or that does not exist', async () => {
    const missing = await run(['balance', '--profile', 'typo']);
    expect([missing.code, missing.err]).toEqual([4, expect.stringContaining('The profile typo is not logged in.')]);
    const unknown = await run(['profiles', 'use', 'typo']);
    expect([unknown.code, unknown.err]).toEqual([
      2,
      expect.stringContaining('No profile is called typo: default, bot. Create it: aw login --profile typo.'),
    ]);
  });

  it('ends each command while the choice of a profile cannot be read, so that no other agent pays', async () => {
    const file = path.join(home, 'profile.json');
    await writeFile(file, '{"profile":');
    expect(await run(SEND)).toMatchObject({ code: 2, err: expect.stringContaining(`${file} names no profile`) });
    expect(await whoami(['--profile', 'bot'])).toBe('bot@example.com');
    expect(await readFile(file, 'utf8')).toBe('{"profile":');
  });

  it('does not take a file for a profile', async () => {
    await mkdir(path.join(home, 'profiles', 'Upper'));
    await writeFile(path.join(home, 'profiles', 'file'), '');
    const { out } = await run(['--get-yargs-completions', 'aw', 'profiles', 'use', '']);
    expect(out).toBe('default\nbot\n');
  });
});
