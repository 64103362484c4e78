import { beforeAll, describe, expect, it } from '@jest/globals';
import { type AgentClient, callJson } from '../src/index.js';
import { type Deployment, shareDeployment } from './harness/deployment.js';
import { type Advice, type Asked, followAdvice } from './harness/follow-advice.js';
import { addMarket } from './harness/predicting.js';
import { newRecipient } from './harness/recipient.js';

const TRIES = 2;

let deployment: Deployment;
let market: string;
let otherMarket: string;
let recipient: string;

beforeAll(async () => {
  deployment = await shareDeployment({ copies: 2 });
  [market, otherMarket] = [await addMarket(deployment), await addMarket(deployment)];
  recipient = newRecipient();
  await deployment.sandbox.faucet(recipient, 'USDC', 1);
});

const post = (path: string, body: Readonly<Record<string, unknown>>): Asked => ({ method: 'POST', path, body });
const TRANSFER = '/wallets/me/actions/transfer';
const TRADE = '/wallets/me/actions/trade';
const BUY = '/predictions/buy';

interface Case {
  /** Changes of the policy before the request. */
  readonly policy?: () => Readonly<Record<string, unknown>>;
  /** A scoped token that asks. */
  readonly token?: Readonly<Record<string, unknown>>;
  readonly asked: () => Asked;
}

const CASES: Readonly<Record<string, Case>> = {
  'more than one payment may be': { asked: () => post(TRANSFER, { to: recipient, mint: 'USDC', amount: 100.5 }) },
  'more SOL than one payment may be': { asked: () => post(TRANSFER, { to: recipient, amount: 5 }) },
  'more than one payment to a new account may be': {
    asked: () => post(TRANSFER, { to: newRecipient(), mint: 'USDC', amount: 100 }),
  },
  'more than is left of the day': {
    policy: () => ({ dailyLimitInUsd: 30 }),
    asked: () => post(TRANSFER, { to: recipient, mint: 'USDC', amount: 31 }),
  },
  'more than a token may pay at once': {
    token: { scopes: ['transfer'], maxSingleInUsd: 20 },
    asked: () => post(TRANSFER, { to: recipient, mint: 'USDC', amount: 25 }),
  },
  'more than a token may pay in a day': {
    token: { scopes: ['transfer'], dailyLimitInUsd: 7 },
    asked: () => post(TRANSFER, { to: recipient, mint: 'USDC', amount: 8 }),
  },
  'more than a token may pay in all': {
    token: { scopes: ['transfer'], totalLimitInUsd: 7 },
    asked: () => post(TRANSFER, { to: recipient, mint: 'USDC', amount: 8 }),
  },
  'a recipient that is not listed': {
    policy: () => ({ allowedRecipients: [recipient] }),
    asked: () => post(TRANSFER, { to: newRecipient(), mint: 'USDC', amount: 1 }),
  },
  'a larger trade than may be': { asked: () => post(TRADE, { from: 'USDC', to: 'SOL', amount: 150 }) },
  'a trade where trading is off': {
    policy: () => ({ allowTrading: false }),
    asked: () => post(TRADE, { from: 'USDC', to: 'SOL', amount: 1 }),
  },
  'a trade for a token that is not listed': {
    policy: () => ({ allowedTokens: ['So11111111111111111111111111111111111111112'] }),
    asked: () => post(TRADE, { from: 'USDC', to: 'BONK', amount: 1 }),
  },
  'a buy where markets are off': {
    policy: () => ({ allowPredictionMarkets: false }),
    asked: () => post(BUY, { ticker: market, side: 'yes', count: 1 }),
  },
  'a buy in a market that is not listed': {
    policy: () => ({ allowedMarkets: [market] }),
    asked: () => post(BUY, { ticker: otherMarket, side: 'yes', count: 1 }),
  },
  'a larger buy than may be': {
    policy: () => ({ maxSingleTransactionInUsd: 10 }),
    asked: () => post(BUY, { ticker: market, side: 'yes', count: 20, maxPriceCents: 65 }),
  },
  'more than is there': { asked: () => post(TRANSFER, { to: recipient, mint: 'JUP', amount: 3 }) },
  'a field by another name': { asked: () => post(TRANSFER, { recipient, token: 'USDC', amount: 1 }) },
  'a symbol with a typing mistake': { asked: () => post(TRANSFER, { to: recipient, mint: 'USDX', amount: 1 }) },
  'an amount as text': { asked: () => post(TRANSFER, { to: recipient, mint: 'USDC', amount: '1.5' }) },
  'the wrong method': {
    asked: () => ({ ...post(TRANSFER, { to: recipient, mint: 'USDC', amount: 1 }), method: 'PUT' }),
  },
  'a route with a slash at its end': {
    asked: () => post(`${TRANSFER}/`, { to: recipient, mint: 'USDC', amount: 1 }),
  },
};

async function ask({ baseUrl, token }: AgentClient, { method, path, body }: Asked) {
  return callJson<{ message: string; data: Advice }>(`${baseUrl}${path}`, {
    method,
    body,
    headers: { authorization: `Bearer ${token}` },
  });
}

describe('a program that does only what a refusal says', () => {
  it.each(Object.entries(CASES))('gets through within two tries: %s', async (_, { policy, token, asked: make }) => {
    const agent = await deployment.agent({ SOL: 10, USDC: 300 });
    if (policy) expect((await agent.patchPolicy(policy())).status).toBe(200);
    const opened = token && (await agent.openToken({ name: 'A bot', ...token })).body.data;
    const caller = opened ? agent.as(opened.sessionToken) : agent;
    const means = {
      address: agent.address,
      sandbox: deployment.sandbox,
      patchPolicy: (change: Readonly<Record<string, unknown>>) => agent.patchPolicy(change),
      policy: async () => (await agent.policy()).body.data.policy as unknown as Readonly<Record<string, unknown>>,
    };
    let asked = make();
    let answer = await ask(caller, asked);
    expect(answer.status).toBeGreaterThanOrEqual(400);
    for (let n = 0; n < TRIES && answer.status >= 400; n += 1) {
      const next = await followAdvice(asked, answer.body.data, means);
      if (!next) throw new Error(`no way on from: ${JSON.stringify(answer.body)}`);
      asked = next;
      answer = await ask(caller, asked);
    }
    expect([answer.status, answer.body.message]).toEqual([200, expect.any(String)]);
  });
});
