import { eventually } from '@agent-wallet/testing';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { callJson } from '../src/index.js';
import { type Deployment, shareDeployment } from './harness/deployment.js';
import { addMarket } from './harness/predicting.js';
import { Shell } from './harness/shell.js';
import { type DescribedEndpoint, differences, endpoints, shellBlocks } from './harness/skill-document.js';

let deployment: Deployment;
let document: string;

beforeAll(async () => {
  deployment = await shareDeployment();
  document = await (await fetch(`${deployment.url()}/skill.md`)).text();
}, 120_000);

/** What a call cannot be made without. */
const QUERIES: Readonly<Record<string, string>> = { 'GET /attestation': `?nonce=${'ab'.repeat(16)}` };
const WRAPPED_SOL = 'So11111111111111111111111111111111111111112';

async function fund(address: string): Promise<void> {
  await deployment.sandbox.faucet(address, 'SOL', 1);
  await deployment.sandbox.faucet(address, 'USDC', 250);
  await deployment.sandbox.faucet(address, WRAPPED_SOL, 2);
}

/** What the first entry of a list is called in paths. */
function namesIn(data: Record<string, unknown>): Record<string, string> {
  const first = (list: string, name: string) => (data[list] as Array<Record<string, string>> | undefined)?.[0]?.[name];
  const names = {
    event_ticker: first('events', 'eventTicker'),
    series_ticker: Array.isArray(data['series']) ? first('series', 'ticker') : undefined,
    milestone_id: first('milestones', 'id'),
    structured_target_id: first('structuredTargets', 'id'),
  };
  return Object.fromEntries(Object.entries(names).flatMap(([name, value]) => (value ? [[name, value]] : [])));
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

describe('skill.md', () => {
  it('has a quick start that leads to a transfer, a trade and a position as they stand there', async () => {
    const [ask, login, send, trade, bet, ...more] = shellBlocks(document);
    expect(more).toEqual([]);
    const shell = new Shell();
    await shell.run(ask!);
    const code = await deployment.sandbox.otp('owner@example.com');
    expect(login).toContain('OTP_CODE=482913');
    await shell.run(login!.replace('482913', code));
    await fund((await shell.run('echo "$WALLET"')).trim());
    const printed = (await shell.run(send!)) + (await shell.run(trade!)) + (await shell.run(bet!));
    shell.close();
    const answers = printed
      .split(/(?<=\})(?=\{"status":)/)
      .map((text) => JSON.parse(text) as { statusCode: number; data: Record<string, unknown> });
    expect(answers.map(({ statusCode }) => statusCode)).toEqual(Array(8).fill(200));
    const [balances, dry, sent, , traded, dryBet, bought, held] = answers.map(({ data }) => data);
    expect(balances).toMatchObject({ sol: { balance: 1 } });
    expect(dry).toMatchObject({ status: 'dry_run', amount: '1.5 USDC', policy: { allowed: true } });
    expect(sent).toMatchObject({ status: 'confirmed', amount: '1.5 USDC' });
    expect(traded).toMatchObject({ status: 'confirmed', inputAmount: '1 USDC' });
    expect(dryBet).toMatchObject({ status: 'dry_run', count: 1, side: 'yes' });
    expect(bought).toMatchObject({ status: 'filled', count: 1, transactionStatus: 'confirmed' });
    expect(held).toMatchObject({ positions: [{ quantity: 1 }], summary: { openPositions: 1 } });
  });

  /** Calls every endpoint with its example, and tells where the answer is not of the example's kind. */
  async function callAll(described: readonly DescribedEndpoint[]): Promise<string[]> {
    const email = 'reader@example.com';
    let token = '';
    const known: Record<string, string> = { query: 'USDC', ticker: await addMarket(deployment) };
    const wrong: string[] = [];
    const call = async ({ method, path, needsToken, request }: DescribedEndpoint, query = '') => {
      const to = path.replace(/\{(\w+)\}/g, (_, name: string) => known[name] ?? name);
      const body = request === undefined ? {} : { ...(JSON.parse(request) as object), ...own(request) };
      const options = method === 'GET' ? { method } : { method, body };
      const headers: Record<string, string> = needsToken ? { authorization: `Bearer ${token}` } : {};
      return callJson<{ data: Record<string, string> }>(deployment.url() + to + query, { ...options, headers });
    };
    /** What an example cannot know. */
    const own = (request: string) =>
      Object.fromEntries(Object.entries({ email, ...known }).filter(([name]) => request.includes(`"${name}"`)));
    const expectLike = async (endpoint: DescribedEndpoint, example: string, query = '') => {
      const { status, body } = await call(endpoint, query);
      const found = differences(JSON.parse(example), body?.data);
      if (status !== 200 || found.length > 0) wrong.push(`${endpoint.name}${query}: ${status} ${found.join(', ')}`);
      return body?.data ?? {};
    };
    for (const endpoint of described) {
      if (endpoint.name === 'POST /connect/complete') known['otpCode'] = await deployment.sandbox.otp(email);
      if (endpoint.name === 'POST /predictions/withdraw') await beSettled(known['ticker']!, token);
      if (endpoint.dryRun) await expectLike(endpoint, endpoint.dryRun, '?dryRun=true');
      if (!endpoint.response) continue;
      const data = await expectLike(endpoint, endpoint.response, QUERIES[endpoint.name]);
      Object.assign(known, namesIn(data));
      if (data['otpId']) known['otpId'] = data['otpId'];
      if (data['transactionId']) known['transactionId'] ??= data['transactionId'];
      if (data['sessionToken']) token = data['sessionToken'];
      if (endpoint.name === 'POST /connect/complete') await fund(data['chainAddress']!);
    }
    return wrong;
  }

  it('gives examples that work, and answers that look like them', async () => {
    const described = endpoints(document);
    expect(described.length).toBeGreaterThan(15);
    const last = ['POST /connect/refresh', 'POST /connect/logout'];
    const [first, ending] = [false, true].map((isLast) =>
      described.filter(({ name }) => last.includes(name) === isLast),
    );
    expect(await callAll([...first!, ...ending!])).toEqual([]);
    const withExample = described.filter(({ response }) => response).map(({ name }) => name);
    const enveloped = described
      .filter(({ name }) => / \/(connect|wallets|tokens|predictions|attestation)/.test(name))
      .map(({ name }) => name);
    expect(withExample).toEqual(enveloped);
  });

  it('names documents that are there', async () => {
    const url = deployment.url();
    const llms = await (await fetch(`${url}/llms.txt`)).text();
    const links = [...llms.matchAll(/\((http[^)]+)\)/g)].map(([, link]) => link as string);
    expect(links).toEqual(['/skill.md', '/openapi.json', '/docs'].map((path) => url + path));
    for (const link of links) expect((await fetch(link)).status).toBe(200);
  });
});
