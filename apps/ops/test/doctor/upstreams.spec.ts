import { WRAPPED_SOL_MINT } from '@agent-wallet/kernel';
import { PYTH_PROGRAMS, pythFeeds } from '@agent-wallet/prices';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { generateKeyPairSync, randomUUID, verify, constants } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { SMTPServer } from 'smtp-server';
import type { Check, CheckResult } from '../../src/doctor/check.js';
import { examine } from '../../src/doctor/examine.js';
import { EXCHANGE_CHECKS } from '../../src/doctor/exchange.js';
import { MAIL_CHECKS } from '../../src/doctor/mail.js';
import { PRICE_CHECKS } from '../../src/doctor/prices.js';
import { PROXY_CHECKS } from '../../src/doctor/proxy.js';
import { type Scripted, startHttpServer } from './http-server.js';
import { BLOCK_TIME_MS, type ScriptedNode, SLOT, startScriptedNode } from './scripted-node.js';

let node: ScriptedNode;
let server: Awaited<ReturnType<typeof startHttpServer>>;
let respond: (request: IncomingMessage) => Scripted;
beforeEach(async () => {
  node = await startScriptedNode();
  server = await startHttpServer((request) => respond(request));
});
afterEach(async () => {
  await node.close();
  await server.close();
});

async function examineOne(
  checks: readonly Check[],
  name: string,
  environment: Record<string, string>,
  nowMs = BLOCK_TIME_MS,
): Promise<CheckResult> {
  return (await examine(checks, { environment, clock: { nowMs: () => nowMs } })).find(
    (result) => result.name === name,
  )!;
}

describe('the check of the aggregator', () => {
  const examineAggregator = (ageMs = 0) =>
    examineOne(
      PRICE_CHECKS,
      'aggregator',
      { JUPITER_BASE_URL: server.url, SOLANA_RPC_URL: node.url },
      BLOCK_TIME_MS + ageMs,
    );
  const price = { [WRAPPED_SOL_MINT]: { usdPrice: 150.5, decimals: 9, blockId: SLOT, liquidity: 1e9 } };

  it.each([
    [30_000, 'ok', 'its price of SOL is 30 s old; PRICE_MAX_AGE_SECONDS is 60'],
    [31_000, 'warn', 'its price of SOL is 31 s old; PRICE_MAX_AGE_SECONDS is 60'],
    [61_000, 'fail', 'its price of SOL is 61 s old; PRICE_MAX_AGE_SECONDS is 60'],
  ])('judges a price of %i ms ago as %s', async (ageMs, status, found) => {
    respond = () => ({ body: price });
    expect(await examineAggregator(ageMs)).toMatchObject({ status, found });
  });

  it.each([
    [{ status: 401 }, 'fail', 'rejects the key (HTTP status 401)'],
    [{ status: 429 }, 'warn', 'its rate limit is reached (HTTP status 429)'],
    [{ status: 500 }, 'fail', 'the aggregator answered with HTTP status 500'],
    [{ body: {} }, 'fail', expect.stringContaining('has no price of SOL')],
  ])('judges the response %j as %s', async (response, status, found) => {
    respond = () => response;
    expect(await examineAggregator()).toMatchObject({ status, found, advice: expect.any(String) });
  });
});

describe('the check of Pyth', () => {
  const feeds = pythFeeds(PYTH_PROGRAMS, 'mainnet-beta');
  const data = (id: Uint8Array) => {
    const bytes = Buffer.alloc(134);
    bytes.write('22f123639d7ef4cd', 0, 'hex');
    bytes[40] = 1;
    bytes.set(id, 41);
    bytes.writeBigInt64LE(15_000_000_000n, 73);
    bytes.writeInt32LE(-8, 89);
    bytes.writeBigInt64LE(BigInt(BLOCK_TIME_MS / 1_000), 93);
    return bytes.toString('base64');
  };
  const examinePyth = (published: number, more = {}, nowMs = BLOCK_TIME_MS) => {
    const found = new Map(feeds.slice(0, published).map(({ account, id }) => [account, data(id)]));
    const account = (bytes: string) => ({
      owner: PYTH_PROGRAMS.receiver,
      lamports: 1,
      data: [bytes, 'base64'],
      executable: false,
    });
    node.reply = ({ params }) => {
      const bytes = (params[0] as string[]).map((address) => found.get(address));
      return { result: { context: { slot: SLOT }, value: bytes.map((each) => (each ? account(each) : null)) } };
    };
    return examineOne(
      PRICE_CHECKS,
      'pyth',
      { SOLANA_RPC_URL: node.url, SOLANA_NETWORK: 'mainnet-beta', ...more },
      nowMs,
    );
  };

  it('is ok when every account is fresh', async () => {
    expect(await examinePyth(8)).toMatchObject({ status: 'ok', found: 'all 8 price accounts are fresh' });
  });

  it('warns of one that is missing, and fails when all are', async () => {
    expect(await examinePyth(7)).toMatchObject({
      status: 'warn',
      found: '1 of 8 price accounts cannot be used: ORCA missing',
    });
    expect(await examinePyth(0)).toMatchObject({ status: 'fail' });
  });

  it('fails when all are stale', async () => {
    expect(await examinePyth(8, {}, BLOCK_TIME_MS + 181_000)).toMatchObject({
      status: 'fail',
      found: expect.stringContaining('SOL stale, USDC stale'),
    });
  });

  it('is ok when Pyth is not in use', async () => {
    expect(await examinePyth(0, { PYTH_ENABLED: 'false' })).toMatchObject({ status: 'ok' });
  });
});

describe('the checks of the exchange', () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const file = path.join(tmpdir(), `exchange-${randomUUID()}.pem`);
  beforeEach(() => writeFileSync(file, privateKey.export({ format: 'pem', type: 'pkcs8' })));
  afterEach(() => rmSync(file));

  const examineExchange = (name: string) =>
    examineOne(EXCHANGE_CHECKS, name, {
      KALSHI_BASE_URL: `${server.url}/trade-api/v2`,
      KALSHI_API_KEY_ID: 'key-1',
      KALSHI_PRIVATE_KEY_PATH: file,
    });

  it.each([
    [{ body: { exchange_active: true, trading_active: true } }, 'ok', expect.stringContaining('trading is active')],
    [{ body: { exchange_active: true, trading_active: false } }, 'warn', expect.stringContaining('trading is paused')],
    [{ status: 404 }, 'fail', expect.stringContaining('(HTTP status 404)')],
  ])('judge the status %j as %s', async (response, status, found) => {
    respond = () => response;
    expect(await examineExchange('status')).toMatchObject({ status, found });
  });

  it('accept a key whose signature the exchange verifies, and show the balance', async () => {
    const padding = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 };
    respond = ({ headers, url }) => {
      const signed = Buffer.from(`${headers['kalshi-access-timestamp']}GET${url}`);
      const signature = Buffer.from(String(headers['kalshi-access-signature']), 'base64');
      const isValid = verify('sha256', signed, { key: publicKey, ...padding }, signature);
      return isValid ? { body: { balance_dollars: '12.5000' } } : { status: 401 };
    };
    expect(await examineExchange('key')).toMatchObject({
      status: 'ok',
      found: 'accepted; the account has 12.5 dollars',
    });
  });

  it('fail for a key that the exchange rejects', async () => {
    respond = () => ({ status: 401, body: { error: { code: 'authentication_error', message: 'no such key' } } });
    expect(await examineExchange('key')).toMatchObject({
      status: 'fail',
      found: 'rejected with HTTP status 401: authentication_error no such key',
    });
  });
});

describe('the check of the mail server', () => {
  let mail: SMTPServer;
  let address: string;
  beforeEach(async () => {
    mail = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      allowInsecureAuth: true,
      onAuth: ({ password }, _session, done) =>
        password === 'right-password' ? done(null, { user: 'us' }) : done(new Error('wrong login')),
    });
    await new Promise<void>((resolve) => mail.listen(0, '127.0.0.1', resolve));
    address = `127.0.0.1:${(mail.server.address() as AddressInfo).port}`;
  });
  afterEach(() => new Promise<void>((resolve) => mail.close(() => resolve())));

  it.each([
    ['us:right-password@', 'ok', 'accepts the login'],
    ['', 'ok', 'takes mail without a login'],
    ['us:wrong-password@', 'fail', 'wrong login'],
  ])('judges the login %s as %s', async (login, status, found) => {
    const result = await examineOne(MAIL_CHECKS, 'login', { SMTP_URL: `smtp://${login}${address}` });
    expect(result).toMatchObject({ status, found: expect.stringContaining(found) });
    expect(result.found).not.toContain('password');
  });

  it('fails when nothing listens', async () => {
    const result = await examineOne(MAIL_CHECKS, 'login', { SMTP_URL: 'smtp://127.0.0.1:1' });
    expect(result).toMatchObject({ status: 'fail', advice: expect.stringContaining('mails-not-sent.md') });
  });
});

describe('the check of the proxy', () => {
  const examineProxy = (more = {}) => examineOne(PROXY_CHECKS, 'trusted proxies', { PUBLIC_URL: server.url, ...more });

  it.each([
    [{}, {}, 'ok', 'the response shows no proxy'],
    [{ server: 'nginx' }, {}, 'warn', 'the response passed a proxy (nginx), and TRUSTED_PROXIES is not set here'],
    [{ via: '1.1 edge' }, { TRUSTED_PROXIES: '10.0.0.0/8' }, 'ok', expect.stringContaining('TRUSTED_PROXIES is set')],
  ])('judges headers %j with settings %j as %s', async (headers, settings, status, found) => {
    respond = () => ({ headers });
    expect(await examineProxy(settings)).toMatchObject({ status, found });
  });

  it('fails when the URL does not lead to the gateway', async () => {
    respond = () => ({ status: 404 });
    expect(await examineProxy()).toMatchObject({ status: 'fail', found: `${server.url}/healthz returns 404` });
  });
});
