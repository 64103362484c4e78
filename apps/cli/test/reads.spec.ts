import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { EXITS } from '../src/exit-codes.js';
import { done, failed, type ScriptedApi } from './scripted-api.js';
import { ScriptedProgram } from './scripted-program.js';

const AGENT = '01938f70-0000-7000-8000-000000000001';
const EVENTS = ['01938f70-0000-7000-8000-00000000000a', '01938f70-0000-7000-8000-00000000000b'];
const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

let program: ScriptedProgram;
let api: ScriptedApi;

beforeAll(async () => {
  program = await ScriptedProgram.start(AGENT);
  ({ api } = program);
});
afterAll(() => program.stop());

const run = (...args: string[]) => program.runHere(...args);

describe('the policy', () => {
  const result = { policy: { dailyLimitInUsd: 200 }, version: 5, claimed: false, warnings: [] };

  it.each([
    ['dailyLimitInUsd', '200.5', { dailyLimitInUsd: 200.5 }],
    ['allowTrading', 'false', { allowTrading: false }],
    ['allowedTokens', 'null', { allowedTokens: null }],
    ['allowedTokens', 'EPjF,So11', { allowedTokens: ['EPjF', 'So11'] }],
    ['newRecipients', 'approve', { newRecipients: 'approve' }],
  ])('has %s set to %s', async (field, value, body) => {
    api.script(() => done(result));
    expect((await run('policy', 'set', field, value, '--version', '4')).out).toContain('dailyLimitInUsd  200');
    expect(JSON.parse(api.requests[0]!.body)).toEqual(body);
    expect(api.requests[0]!.headers['if-match']).toBe('"4"');
  });

  it('is shown with its use, with and without the word', async () => {
    const usage = { usedUsd: 40, remainingTodayUsd: 160, maxAllowedNowUsd: 100, resetsAt: null };
    api.script(({ path: at }) => done(at.endsWith('/usage') ? usage : result));
    const { out } = await run('policy');
    expect(out).toMatch(/Remaining today +\$160/);
    expect((await run('policy', 'show')).out).toBe(out);
  });
});

it('searches markets by their titles', async () => {
  const market = (ticker: string, title: string) => ({ ticker, title, subtitle: '', status: 'open', yesAsk: 40 });
  api.script(({ path: at }) =>
    at.includes('cursor')
      ? done({ markets: [market('B', 'Snow in May')], cursor: null })
      : done({ markets: [market('A', 'Rain')], cursor: 'next' }),
  );
  const { markets } = JSON.parse((await run('markets', '--search', 'snow', '--json')).out) as { markets: object[] };
  expect(markets).toEqual([market('B', 'Snow in May')]);
});

describe('the faucet', () => {
  it('pays the wallet in the sandbox', async () => {
    api.script(({ path: at }) => {
      if (at === '/faucet') return { status: 200, data: { signature: 'S' }, isPlain: true };
      return done(at === '/' ? { network: 'sandbox', faucet: `${api.url}/faucet` } : { chainAddress: 'WALLET' });
    });
    expect((await run('faucet', '250', 'USDC')).out).toMatch(/Received +250 USDC\nSignature +S/);
    const body = { address: 'WALLET', token: 'USDC', amount: '250' };
    expect(JSON.parse(api.requests.at(-1)!.body)).toEqual(body);
  });

  it('is refused on another network, which it names', async () => {
    api.script(() => done({ network: 'devnet', faucet: null }));
    const { code, err } = await run('faucet', '1', 'SOL');
    expect([code, err]).toEqual([EXITS.usage.code, expect.stringContaining('the service is on devnet')]);
  });
});

it('follows changes only on request, and only with a session', async () => {
  api.script(() => failed(401, 'AUTHENTICATION_ERROR'));
  expect((await run('events', '--follow', '--json')).code).toBe(4);
  expect((await run('events')).code).toBe(2);
});

describe('the proof of history', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const keyId = base58(publicKey.export({ format: 'der', type: 'spki' }).subarray(-32));
  const page = proofOf(EVENTS);

  function u64(value: number): Buffer {
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64BE(BigInt(value));
    return bytes;
  }

  function proofOf(ids: readonly string[]) {
    const bytes = (uuid: string) => Buffer.from(uuid.replaceAll('-', ''), 'hex');
    let previousHash = '0'.repeat(64);
    const chain = ids.map((eventId, n) => {
      const parts = [Buffer.from(previousHash, 'hex'), u64(n + 1), bytes(AGENT), bytes(eventId), Buffer.from('paid')];
      const hash = createHash('sha256').update('agentwallet/event/v1\n').update(Buffer.concat(parts)).digest('hex');
      const link = { eventId, hash, previousHash };
      previousHash = hash;
      return link;
    });
    const payload = Buffer.from('paid').toString('base64');
    const events = ids.map((eventId, n) => ({ eventId, sequence: n + 1, type: 't', occurredAt: 'now', payload }));
    const signedAt = '2026-11-21T10:02:10.000Z';
    const scope = Buffer.from(`agent:${AGENT}`);
    const head = Buffer.concat([Buffer.of(0xff), Buffer.from('agentwallet/checkpoint/v1\n'), Buffer.of(scope.length)]);
    const root = Buffer.from(previousHash, 'hex');
    const statement = Buffer.concat([head, scope, u64(ids.length), root, u64(Date.parse(signedAt))]);
    const signature = sign(null, statement, privateKey).toString('base64');
    const checkpoint = { size: ids.length, rootHash: previousHash, signature, keyId, signedAt };
    return { agentId: AGENT, events, chain, checkpoint, hasMore: false, lastEventId: ids.at(-1) };
  }

  const attestation = { driver: 'software', isolation: 'none', replicas: [], permitKeys: [], unanswered: 0 };
  const serve = (proof: object) =>
    api.script(({ path: at }) => done(at.startsWith('/attestation') ? attestation : proof));

  it('holds', async () => {
    serve(page);
    const { code, out } = await run('verify');
    expect([code, out]).toEqual([0, expect.stringContaining('2 events, the chain holds')]);
  });

  it.each([
    ['an altered event', { events: page.events.map((event) => ({ ...event, payload: 'AAAA' })) }],
    ['a dropped event', { events: page.events.slice(1), chain: page.chain.slice(1) }],
    ['another root', { checkpoint: { ...page.checkpoint, rootHash: 'f'.repeat(64) } }],
    ['a late signature', { checkpoint: { ...page.checkpoint, signedAt: '2026-11-21T10:02:11.000Z' } }],
    ['a truncated history', { events: page.events.slice(0, 1), chain: page.chain.slice(0, 1) }],
  ])('is broken by %s', async (_title, change) => {
    serve({ ...page, ...change });
    expect(await run('verify')).toMatchObject({ code: 1, out: expect.stringContaining('BROKEN') });
  });
});

it('lists in the README the exit codes that the program has', async () => {
  const readme = await readFile(path.join(import.meta.dirname, '..', 'README.md'), 'utf8');
  const rows = [...readme.matchAll(/^\| (\d+) +\| (.*?) +\|$/gm)].map(([, code, meaning]) => [Number(code), meaning]);
  expect(rows).toEqual(Object.values(EXITS).map(({ code, meaning }) => [code, meaning]));
});

function base58(bytes: Buffer): string {
  let [value, text] = [BigInt(`0x${bytes.toString('hex')}`), ''];
  for (; value > 0n; value /= 58n) text = ALPHABET[Number(value % 58n)] + text;
  return text;
}
