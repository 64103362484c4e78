import { eventually } from '@agent-wallet/testing';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { callJson } from '../src/index.js';
import { type Deployment, shareDeployment } from './harness/deployment.js';
import { addMarket } from './harness/predicting.js';
import { Shell } from './harness/shell.js';
import { SOL_USDC } from './harness/liquidity.js';
import { newRecipient } from './harness/recipient.js';
import { SkillAgent } from './harness/skill-agent.js';
import {
  type DescribedOperation,
  differences,
  operationsOf,
  routesOf,
  sectionOf,
  shellBlocks,
} from './harness/skill-document.js';

let deployment: Deployment;
let document: string;

beforeAll(async () => {
  deployment = await shareDeployment();
  document = await (await fetch(`${deployment.url()}/skill.md`)).text();
});

/** What a call cannot be made without. */
const QUERIES: Readonly<Record<string, string>> = { 'GET /attestation': `?nonce=${'ab'.repeat(16)}` };
/** Routes that take a code of their own, and its purpose. */
const CODES: Readonly<Record<string, string>> = {
  'POST /connect/evict': 'evict',
  'POST /connect/claims/cancel': 'cancel_claim',
};
const WRAPPED_SOL = 'So11111111111111111111111111111111111111112';

async function fund(address: string): Promise<void> {
  await deployment.sandbox.faucet(address, 'SOL', 1);
  await deployment.sandbox.faucet(address, 'USDC', 250);
  await deployment.sandbox.faucet(address, WRAPPED_SOL, 2);
}

/** Path names of the first entry like the example: files that share the deployment add emptier ones. */
function namesIn(example: object, data: Record<string, unknown>): Record<string, string> {
  const first = (list: string, name: string) => {
    const [shown] = [Reflect.get(example, list)].flat();
    const entries = data[list];
    if (!Array.isArray(entries)) return undefined;
    return (entries as Array<Record<string, string>>).find((entry) => differences(shown, entry).length === 0)?.[name];
  };
  const names = {
    event_ticker: first('events', 'eventTicker'),
    series_ticker: first('series', 'ticker'),
    milestone_id: first('milestones', 'id'),
    structuredTargetId: first('structuredTargets', 'id'),
  };
  return Object.fromEntries(Object.entries(names).flatMap(([name, value]) => (value ? [[name, value]] : [])));
}

/** A code that was mailed for a purpose, as a request sends it. */
async function mailedCode(email: string, purpose: string): Promise<Record<string, string>> {
  const url = `${deployment.url()}/connect/start`;
  const { body } = await callJson<{ data: { otpId: string } }>(url, { method: 'POST', body: { email, purpose } });
  return { email, otpId: body.data.otpId, otpCode: await deployment.sandbox.otp(email) };
}

/** The token of a later login, which may end the sessions of earlier ones. */
async function loginAgain(email: string): Promise<string> {
  const url = `${deployment.url()}/connect/complete`;
  const sent = { method: 'POST', body: await mailedCode(email, 'login') };
  return (await callJson<{ data: { sessionToken: string } }>(url, sent)).body.data.sessionToken;
}

function sessionOf(token: string): string {
  return (JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as { jti: string }).jti;
}

/** Settles a market and waits until it is paid: there is something to withdraw. */
async function beSettled(ticker: string, token: string): Promise<void> {
  await deployment.sandbox.settle(ticker, 'yes');
  const headers = { authorization: `Bearer ${token}` };
  await eventually(
    () => callJson<{ data: { balanceCents: number } }>(`${deployment.url()}/predictions/balance`, { headers }),
    ({ body }) => body.data.balanceCents > 113,
    60_000,
  );
}

/** The operations of openapi.json. */
async function described(): Promise<DescribedOperation[]> {
  const { body } = await callJson<Parameters<typeof operationsOf>[0]>(`${deployment.url()}/openapi.json`);
  return operationsOf(body);
}

/** A scoped token that was opened. */
interface Opened {
  readonly token: { readonly id: string };
}

/** Fields of an abridged example that the full one does not have. */
function unknownFields(shown: unknown, full: unknown, at = 'data'): string[] {
  if (Array.isArray(shown)) return unknownFields(shown[0], (full as unknown[])[0], at);
  if (typeof shown !== 'object' || shown === null) return typeof shown === typeof full ? [] : [at];
  return Object.entries(shown).flatMap(([name, part]) =>
    name === '…' ? [] : unknownFields(part, (full as Record<string, unknown>)[name], `${at}.${name}`),
  );
}

/** What a dry run adds to the fields of its route, as skill.md shows it. */
function dryRunFields(): Record<string, unknown> {
  const json = /^`(\{.*\})`$/m.exec(sectionOf(document, 'Dry run'))![1]!;
  return JSON.parse(json) as Record<string, unknown>;
}

describe('skill.md', () => {
  it('has a quick start that leads to a transfer, a trade and a position as they stand there', async () => {
    const [ask, login, pour, send, trade, bet, ...more] = shellBlocks(document);
    expect(more).toEqual([]);
    const shell = new Shell();
    await shell.run('EMAIL=owner@example.com');
    await shell.run(ask!);
    await shell.run(`OTP_CODE=${await deployment.sandbox.otp('owner@example.com')}`);
    await shell.run(login!);
    await shell.run(pour!);
    await shell.run(`RECIPIENT=${newRecipient()}`);
    const printed = (await shell.run(send!)) + (await shell.run(trade!)) + (await shell.run(bet!));
    shell.close();
    const answers = printed
      .trim()
      .split('\n')
      .map((text) => JSON.parse(text) as { statusCode: number; data: Record<string, unknown> });
    expect(answers.map(({ statusCode }) => statusCode)).toEqual(Array(8).fill(200));
    const [balances, dry, sent, , traded, dryBet, bought, held] = answers.map(({ data }) => data);
    expect(balances).toMatchObject({ sol: { balance: 1 }, tokens: [{ symbol: 'USDC', balance: 250 }] });
    expect(dry).toMatchObject({ status: 'dry_run', amount: '1.5 USDC', policy: { allowed: true } });
    expect(sent).toMatchObject({ status: 'confirmed', amount: '1.5 USDC' });
    expect(traded).toMatchObject({ status: 'confirmed', inputAmount: '1 USDC' });
    expect(dryBet).toMatchObject({ status: 'dry_run', count: 1, side: 'yes' });
    expect(bought).toMatchObject({ status: 'filled', count: 1, transactionStatus: 'confirmed' });
    expect(held).toMatchObject({ positions: [{ quantity: 1 }], summary: { openPositions: 1 } });
  });

  it('is enough for an agent to log in, read its balance, pay, trade and buy a contract', async () => {
    const agent = new SkillAgent(document);
    const email = 'scripted@example.com';
    await agent.does('start', { email });
    const session = await agent.does('complete', { email, otpCode: await agent.readCode(email) });
    expect(session.data).toMatchObject({ isNewUser: true });
    await agent.pour('SOL', 1);
    await agent.pour('USDC', 250);

    const balances = await agent.does('balances');
    expect(balances.data).toMatchObject({ sol: { balance: 1 }, tokens: [{ symbol: 'USDC', balance: 250 }] });

    const payment = { to: newRecipient(), amount: 2, mint: 'USDC' };
    const tried = await agent.does('transfer', payment, { isDryRun: true });
    expect(tried.data).toMatchObject({ status: 'dry_run', policy: { allowed: true } });
    const paid = await agent.does('transfer', payment);
    expect(paid).toMatchObject({ statusCode: 200, data: { status: 'confirmed', amount: '2 USDC' } });

    const traded = await agent.does('trade', { from: 'USDC', to: 'SOL', amountRaw: '3000000' });
    expect(traded).toMatchObject({ statusCode: 200, data: { status: 'confirmed', inputAmount: '3 USDC' } });

    await addMarket(deployment);
    const markets = await agent.does('markets', { status: 'open', tradeable_only: true });
    expect(markets.statusCode).toBe(200);
    const bought = await agent.does('buy', { side: 'yes', count: 1 });
    expect(bought).toMatchObject({ statusCode: 200, data: { status: 'filled', count: 1 } });
    const id = bought.data['transactionId'];
    // History learns of it a moment later.
    await eventually(
      () => agent.does('history/{transactionId}'),
      ({ data }) => (data['transaction'] as { status: string }).status === 'confirmed',
    );
    expect((await agent.does('history/{transactionId}')).data).toMatchObject({ transaction: { id } });
  });

  it('shows in its examples only what openapi.json shows in full', async () => {
    const full = new Map((await described()).map((operation) => [operation.name, operation]));
    const shown = routesOf(document).filter(({ data }) => data);
    expect(shown.length).toBeGreaterThan(20);
    for (const { method, path, data } of shown) {
      expect([path, unknownFields(data, full.get(`${method} ${path}`)!.response)]).toEqual([path, []]);
    }
  });

  it('names documents that are there', async () => {
    const url = deployment.url();
    const llms = await (await fetch(`${url}/llms.txt`)).text();
    const links = [...llms.matchAll(/\((http[^)]+)\)/g)].map(([, link]) => link as string);
    expect(links).toEqual(['/skill.md', '/openapi.json', '/docs'].map((path) => url + path));
    for (const link of links) expect((await fetch(link)).status).toBe(200);
  });
});

describe('openapi.json', () => {
  /** Calls every operation with its example, and tells where the answer is not of the example's kind. */
  /** Gives the agent a position, which the examples before do not. */
  async function addLiquidity(token: string): Promise<void> {
    const body = { pool: SOL_USDC, token: 'USDC', amount: 5 };
    const headers = { authorization: `Bearer ${token}` };
    await callJson(`${deployment.url()}/wallets/me/actions/liquidity/add`, { body, headers });
  }

  async function callAll(operations: readonly DescribedOperation[]): Promise<string[]> {
    const email = 'reader@example.com';
    let token = '';
    const known: Record<string, string> = { query: 'USDC', pool: SOL_USDC, ticker: await addMarket(deployment) };
    const wrong: string[] = [];
    const call = async ({ method, path, needsToken, request }: DescribedOperation, query = '') => {
      const to = path.replace(/\{(\w+)\}/g, (_, name: string) => known[name] ?? name);
      // An example's recipient belongs to no key.
      const payee = path.endsWith('/transfer') ? { to: newRecipient() } : {};
      const body = request === undefined ? {} : { ...request, ...own(request), ...payee };
      const options = method === 'GET' ? { method } : { method, body };
      const headers: Record<string, string> = needsToken ? { authorization: `Bearer ${token}` } : {};
      return callJson<{ data: Record<string, string> }>(deployment.url() + to + query, { ...options, headers });
    };
    /** What an example cannot know. */
    const own = (request: object) =>
      Object.fromEntries(Object.entries({ email, ...known }).filter(([name]) => Object.hasOwn(request, name)));
    const expectLike = async (operation: DescribedOperation, example: object, query = '') => {
      const { status, body } = await call(operation, query);
      const found = differences(example, body?.data);
      if (status !== 200 || found.length > 0) wrong.push(`${operation.name}${query}: ${status} ${found.join(', ')}`);
      return body?.data ?? {};
    };
    for (const operation of operations) {
      if (operation.name === 'POST /connect/complete') known['otpCode'] = await deployment.sandbox.otp(email);
      if (operation.name === 'GET /liquidity/positions') await addLiquidity(token);
      if (operation.name === 'POST /predictions/withdraw') await beSettled(known['ticker']!, token);
      if (operation.name.startsWith('DELETE /connect/sessions')) {
        known['sessionId'] = sessionOf(token);
        token = await loginAgain(email);
      }
      const purpose = CODES[operation.name];
      if (purpose) Object.assign(known, await mailedCode(email, purpose));
      if (!operation.response) continue;
      if (operation.hasDryRun)
        await expectLike(operation, { ...operation.response, ...dryRunFields() }, '?dryRun=true');
      const data = await expectLike(operation, operation.response, QUERIES[operation.name]);
      Object.assign(known, namesIn(operation.response, data));
      if (data['otpId']) known['otpId'] = data['otpId'];
      if (data['transactionId']) known['transactionId'] ??= data['transactionId'];
      // The answer to the opening of a scoped token has another, which must not be used from here on.
      if (operation.name === 'POST /wallets/me/tokens') known['tokenId'] = (data as unknown as Opened).token.id;
      else if (data['sessionToken']) token = data['sessionToken'];
      if (operation.name === 'POST /connect/complete') await fund(data['chainAddress']!);
    }
    return wrong;
  }

  it('gives examples that work, and answers that look like them', async () => {
    // An agent without an owner has nothing to propose: see the tests of owners. A stream has no end.
    const operations = (await described()).filter(
      ({ path }) => !/\/(approvals|proposals)|^\/wallets\/me\/events$/.test(path),
    );
    expect(operations.length).toBeGreaterThan(15);
    const last = ['POST /connect/refresh', 'POST /connect/logout', 'POST /connect/evict'];
    const [first, ending] = [false, true].map((isLast) =>
      operations.filter(({ name }) => last.includes(name) === isLast),
    );
    expect(await callAll([...first!, ...ending!])).toEqual([]);
    const withExample = operations.filter(({ response }) => response).map(({ name }) => name);
    const enveloped = operations
      .filter(({ name }) => / \/(connect|wallets|tokens|liquidity|predictions|attestation|capabilities|$)/.test(name))
      .map(({ name }) => name);
    expect(withExample).toEqual(enveloped);
  });
});
