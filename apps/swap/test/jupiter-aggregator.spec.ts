import { silent } from '@agent-wallet/platform/testing';
import { eventually } from '@agent-wallet/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { inspect } from 'node:util';
import { AppError, type Clock, newId, Secret } from '@agent-wallet/kernel';
import { createLogger } from '@agent-wallet/platform';
import { JupiterAggregator } from '../src/adapters/jupiter-aggregator.js';
import { JupiterHttp } from '../src/adapters/jupiter-http.js';
import type { Inquiry } from '../src/ports/aggregator.js';
import type { RequestClaim } from '../src/ports/request-budget.js';
import { orderJson } from './order-responses.js';
import { json, type Script, type ScriptedAggregator, startScriptedAggregator } from './scripted-aggregator.js';

const KEY = 'the-key-itself';
const SOL = 'So11111111111111111111111111111111111111112';
const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const QUESTION = { inputMint: SOL, outputMint: USDC, amount: 10n, taker: USDC, slippageBps: 50 };
const CALLER = { agentId: newId(), isReal: true };
const OTHER = { agentId: newId(), isReal: true };
/** A whole second. */
const NOW_MS = 1_790_000_000_000;
const clock: Clock = { nowMs: () => NOW_MS };
const GOOD = orderJson({ ...QUESTION, inAmount: 10n, outAmount: 20n, transaction: 'AAAA' });

let server: ScriptedAggregator;
let http: JupiterHttp;
let pauses: Array<[string, number]>;
let lines: string;
let rests: boolean;
let claims: RequestClaim[];
let aggregator: JupiterAggregator;
let inquiry: Inquiry;
/** Decision of the budget on a claim. */
let onClaim: (claim: RequestClaim) => Promise<void>;

beforeEach(async () => {
  server = await startScriptedAggregator();
  pauses = [];
  claims = [];
  onClaim = async () => undefined;
  lines = '';
  rests = false;
  http = new JupiterHttp({ baseUrl: server.url, apiKey: new Secret(KEY), clock });
  const logger = createLogger('test', 'trace', { write: (line: string) => (lines += line) });
  const budget = {
    take: async (claim: RequestClaim) => {
      claims.push(claim);
      await onClaim(claim);
    },
    mayExecute: async () => !rests,
    pause: async (what: string, ms: number) => void pauses.push([what, ms]),
  };
  const parts = { http, budget, clock, logger };
  aggregator = new JupiterAggregator({ ...parts, swapPath: '/swap/v2', allowsCosigned: false });
  inquiry = aggregator.inquire(CALLER);
});
afterEach(async () => {
  http.close();
  await server.close();
});

const execution = { transaction: Buffer.from('signed'), requestId: 'the-request', lastValidBlockHeight: '300' };

/** What a call is refused with, and that nothing of the server's words or the key is in it or in the log. */
async function refusal(call: Promise<unknown>): Promise<AppError> {
  const error: unknown = await call.then(
    () => undefined,
    (found: unknown) => found,
  );
  if (!(error instanceof AppError)) throw new Error(`no refusal: ${inspect(error)}`);
  expect(JSON.stringify([error.message, error.data, error.details])).not.toMatch(/upstream words/i);
  expect(inspect(error, { depth: 9 }) + lines).not.toContain(KEY);
  return error;
}

it('an address with credentials is refused at once, and not named', () => {
  const open = () => new JupiterHttp({ baseUrl: 'http://user:hidden@127.0.0.1', clock });
  expect(open).toThrow(/^the address of the aggregator must have no credentials$/);
});

describe('an order', () => {
  it('is asked for with everything fixed, and the key', async () => {
    server.script = (_, response) => json(response, GOOD);
    expect(await inquiry.order(QUESTION)).toMatchObject({ inAmount: 10n, outAmount: 20n, requestId: 'the-request' });
    expect(server.asked).toMatchObject([{ method: 'GET', path: '/swap/v2/order', key: KEY }]);
    expect(server.asked[0]?.query).toEqual({
      ...{ inputMint: SOL, outputMint: USDC, amount: '10', taker: USDC, swapMode: 'ExactIn', slippageBps: '50' },
      excludeRouters: 'jupiterz,dflow,okx',
    });
  });

  it('of Ultra lets makers offer when they may sign', async () => {
    server.script = (_, response) => json(response, GOOD);
    const budget = { take: async () => {}, mayExecute: async () => true, pause: async () => {} };
    const parts = { http, budget, clock, logger: silent };
    await new JupiterAggregator({ ...parts, swapPath: '/ultra/v1', allowsCosigned: true })
      .inquire(CALLER)
      .order(QUESTION);
    expect(server.asked).toMatchObject([{ path: '/ultra/v1/order', query: { excludeRouters: 'dflow,okx' } }]);
  });

  it.each<[string, string, Script]>([
    ['refused', 'NO_ROUTE', (_, r) => json(r, { error: 'upstream words' }, 400)],
    ['with a bad key', 'UPSTREAM_ERROR', (_, r) => json(r, { error: 'upstream words' }, 401)],
    ['of a firewall', 'UPSTREAM_ERROR', (_, r) => json(r, { error: 'upstream words' }, 403)],
    ['at a wrong path', 'UPSTREAM_ERROR', (_, r) => json(r, { error: 'upstream words' }, 404)],
    ['of a broken server', 'UPSTREAM_ERROR', (_, r) => json(r, { error: 'upstream words' }, 500)],
    ['that is not JSON', 'UPSTREAM_ERROR', (_, r) => void r.writeHead(200).end('<html>upstream words</html>')],
    ['that is empty', 'UPSTREAM_ERROR', (_, r) => void r.writeHead(200).end()],
    ['that is a list', 'UPSTREAM_ERROR', (_, r) => json(r, [GOOD])],
    ['that is null', 'UPSTREAM_ERROR', (_, r) => json(r, null)],
    ['that leads elsewhere', 'UPSTREAM_ERROR', (_, r) => void r.writeHead(302, { location: '/swap/v2/other' }).end()],
    ['that breaks off', 'UPSTREAM_ERROR', (_, r) => void r.writeHead(200, { 'content-length': '99' }).end('{"a":')],
    ['that is gigantic', 'UPSTREAM_ERROR', (_, r) => json(r, { ...GOOD, requestId: 'upstream words'.repeat(100_000) })],
    ['whose connection dies', 'UPSTREAM_ERROR', (_, r) => void r.destroy()],
  ])('%s is %s', async (_, code, script) => {
    server.script = script;
    expect((await refusal(inquiry.order(QUESTION))).code).toBe(code);
    expect(server.asked).toHaveLength(1);
  });

  it.each<[string, Record<string, unknown>]>([
    ['a number for an amount', { outAmount: 20 }],
    ['an amount above 64 bits', { outAmount: (2n ** 64n).toString() }],
    ['a negative amount', { inAmount: '-1' }],
    ['an amount in hex', { inAmount: '0x10' }],
    ['an amount with a fraction', { otherAmountThreshold: '1.5' }],
    ['slippage above everything', { slippageBps: 10_001 }],
    ['a transaction that is not base64', { transaction: '{"upstream words"}' }],
    ['a transaction that is a number', { transaction: 5 }],
    ['no transaction at all', { transaction: undefined }],
    ['no request id', { requestId: '' }],
    ['a request id that is a book', { requestId: 'x'.repeat(201) }],
    ['a request id that no database takes', { requestId: 'a\u0000b' }],
    ['another mode', { swapMode: 'ExactOut' }],
    ['a mint that is none', { inputMint: 'SOL' }],
    ['an unknown router', { router: 'upstream words' }],
    ['no route', { routePlan: 'upstream words' }],
    ['an infinite price impact', { priceImpact: 'Infinity' }],
  ])('with %s is an upstream error', async (_, over) => {
    server.script = (_request, response) => json(response, { ...GOOD, ...over });
    expect((await refusal(inquiry.order(QUESTION))).code).toBe('UPSTREAM_ERROR');
  });

  it.each<[string, Script]>([
    ['its words', (_, r) => json(r, { error: `unknown key ${KEY}` }, 401)],
    ['the name of a field', (_, r) => json(r, { ...GOOD, routePlan: { [KEY]: [] } })],
    ['its id of the request', (_, r) => json(r, { error: 'no' }, 401, { 'x-api-gateway-request-id': KEY })],
  ])('whose answer repeats the key in %s brings it nowhere', async (_, script) => {
    server.script = script;
    expect((await refusal(inquiry.order(QUESTION))).code).toBe('UPSTREAM_ERROR');
  });

  it('that exceeds the rate limit pauses all requests until the named second', async () => {
    const reset = NOW_MS / 1_000 + 20;
    server.script = (_, r) => json(r, { error: 'upstream words' }, 429, { 'x-ratelimit-reset': String(reset) });
    expect((await refusal(inquiry.order(QUESTION))).code).toBe('SERVICE_UNAVAILABLE');
    expect(pauses).toEqual([['ask', 20_000]]);
  });

  it.each([
    [{}, 1_000],
    [{ 'x-ratelimit-reset': 'soon' }, 1_000],
    [{ 'x-ratelimit-reset': '1' }, 1_000],
    [{ 'x-ratelimit-reset': '99999999999' }, 60_000],
  ])('with the reset %j pauses all requests for %d ms', async (headers, ms) => {
    server.script = (_, r) => json(r, {}, 429, headers);
    await refusal(inquiry.order(QUESTION));
    expect(pauses).toEqual([['ask', ms]]);
  });
});

describe('what the aggregator says of a refusal', () => {
  it('is in the log, by the name that its people know it by, and nowhere else', async () => {
    const headers = { 'x-api-gateway-request-id': 'abc-123' };
    server.script = (_, r) => json(r, { error: `upstream words ${'x'.repeat(1_000)}` }, 400, headers);
    await refusal(inquiry.order(QUESTION));
    expect(lines).toMatch(/"gatewayRequestId":"abc-123","upstreamError":"upstream words x{185}"/);
  });
});

describe('an execution', () => {
  it('hands over the bytes, the request and the height', async () => {
    server.script = (_, response) => json(response, { status: 'Success', code: 0, signature: 'x', slot: '5' });
    expect(await aggregator.execute(execution)).toMatchObject({ status: 'Success', code: 0 });
    expect(server.asked).toMatchObject([{ method: 'POST', path: '/swap/v2/execute', key: KEY }]);
    expect(JSON.parse(server.asked[0]!.body)).toEqual({
      ...{ signedTransaction: Buffer.from('signed').toString('base64'), requestId: 'the-request' },
      lastValidBlockHeight: '300',
    });
  });

  it('leaves out a height that was not given', async () => {
    server.script = (_, response) => json(response, { code: -1, error: 'upstream words' });
    expect(await aggregator.execute({ ...execution, lastValidBlockHeight: undefined })).toMatchObject({ code: -1 });
    expect(JSON.parse(server.asked[0]!.body)).not.toHaveProperty('lastValidBlockHeight');
  });

  it('follows no redirect: signed bytes go nowhere else', async () => {
    server.script = (_, response) => void response.writeHead(307, { location: `${server.url}/elsewhere` }).end();
    expect((await refusal(aggregator.execute(execution))).code).toBe('UPSTREAM_ERROR');
    expect(server.asked).toHaveLength(1);
  });

  it('too many pauses executions alone, and not for long', async () => {
    server.script = (_, r) => json(r, {}, 429, { 'x-ratelimit-reset': '99999999999' });
    expect((await refusal(aggregator.execute(execution))).code).toBe('UPSTREAM_ERROR');
    expect(pauses).toEqual([['execute', 5_000]]);
    rests = true;
    expect((await refusal(aggregator.execute(execution))).code).toBe('SERVICE_UNAVAILABLE');
    expect(server.asked).toHaveLength(1);
  });
});

describe('warnings', () => {
  const reply = { warnings: { [SOL]: [], [USDC]: [{ type: 'X', message: 'upstream words', severity: 'info' }] } };
  const known: Array<[string, unknown[]]> = [
    [SOL, []],
    [USDC, [{ type: 'X', severity: 'info' }]],
  ];

  it('are asked for once a minute and mint, without the words', async () => {
    server.script = (_, response) => json(response, reply);
    const found = await inquiry.warnings([SOL, USDC]);
    expect([...found]).toEqual(known);
    await inquiry.warnings([USDC, SOL]);
    expect(server.asked).toMatchObject([{ path: '/ultra/v1/shield', query: { mints: `${SOL},${USDC}` } }]);
  });

  it('are asked for once for all who want them at once, whose claims are for what they need', async () => {
    const answers: Array<() => void> = [];
    server.script = (_, response) => void answers.push(() => json(response, reply));
    const first = aggregator.inquire(CALLER).warnings([SOL, USDC]);
    await eventually(() => answers.length === 1);
    const others = [OTHER, CALLER, OTHER].map((caller) => aggregator.inquire(caller).warnings([USDC, SOL]));
    answers[0]!();
    expect(await Promise.all([first, ...others])).toEqual(Array.from({ length: 4 }, () => new Map(known)));
    expect(server.asked).toHaveLength(1);
    expect(claims).toEqual([{ ...CALLER, requests: 2 }]);
  });

  it('that many inquiries of one caller want are claimed once, and each order is', async () => {
    server.script = ({ path }, response) => json(response, path.endsWith('order') ? GOOD : reply);
    const ask = async () => {
      const one = aggregator.inquire(CALLER);
      await one.warnings([SOL, USDC]);
      await one.order(QUESTION);
    };
    await Promise.all([ask(), ask(), ask()]);
    expect(claims.map(({ requests }) => requests)).toEqual([2, 1, 1]);
    expect(server.asked.map(({ path }) => path)).toEqual([
      '/ultra/v1/shield',
      '/swap/v2/order',
      '/swap/v2/order',
      '/swap/v2/order',
    ]);
  });

  it('that others wait to ask for are claimed once, by a real trade for dry runs and not the other way round', async () => {
    server.script = ({ path }, response) => json(response, path.endsWith('order') ? GOOD : reply);
    const callers = [false, true, false, true].map((isReal) => ({ agentId: newId(), isReal }));
    await Promise.all(callers.map((caller) => aggregator.inquire(caller).warnings([SOL, USDC])));
    expect(claims).toEqual(callers.slice(0, 2).map((caller) => ({ ...caller, requests: 2 })));
    expect(server.asked).toHaveLength(1);
  });

  it('that fail do so for all who wait, and are asked for again later', async () => {
    const answers: Array<() => void> = [];
    server.script = (_, response) => void answers.push(() => json(response, {}, 500));
    const first = refusal(aggregator.inquire(CALLER).warnings([SOL]));
    await eventually(() => answers.length === 1);
    const second = refusal(aggregator.inquire(OTHER).warnings([SOL]));
    answers[0]!();
    expect([(await first).code, (await second).code]).toEqual(['UPSTREAM_ERROR', 'UPSTREAM_ERROR']);
    server.script = (_, response) => json(response, reply);
    expect([...(await inquiry.warnings([SOL]))]).toEqual([[SOL, []]]);
    expect(server.asked).toHaveLength(2);
  });

  it('that a dry run of another waits to ask for hold up no real trade', async () => {
    server.script = (_, response) => json(response, reply);
    onClaim = async (claim) => (claim.isReal ? undefined : new Promise<never>(() => undefined));
    void aggregator.inquire({ ...OTHER, isReal: false }).warnings([SOL]);
    expect([...(await inquiry.warnings([SOL]))]).toEqual([[SOL, []]]);
  });

  it.each<[string, unknown]>([
    ['of no kind', { warnings: { [SOL]: [{ type: 'X', message: '', severity: 'deadly' }] } }],
    ['that are none', {}],
  ])('%s are no answer, and are not kept', async (_, body) => {
    server.script = (_request, response) => json(response, body);
    expect((await refusal(inquiry.warnings([SOL]))).code).toBe('UPSTREAM_ERROR');
    await refusal(inquiry.warnings([SOL]));
    expect(server.asked).toHaveLength(2);
  });
});

describe('a server that hangs', () => {
  it('is a timeout, and a stop waits for none', async () => {
    server.script = () => undefined;
    const slow = http.call({ path: '/x', timeoutMs: 50 });
    expect((await refusal(slow)).code).toBe('UPSTREAM_TIMEOUT');
    const call = refusal(aggregator.execute(execution));
    http.close();
    expect((await call).code).toBe('UPSTREAM_ERROR');
  });
});
