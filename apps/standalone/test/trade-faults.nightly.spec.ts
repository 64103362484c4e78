import { eventually } from '@agent-wallet/testing';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { AgentClient, ClientResponse, TradeData, TradeOrder } from '../src/index.js';
import { type Deployment, shareDeployment } from './harness/deployment.js';
import { usageOf, usedWhenQuiet } from './harness/spending.js';
import {
  type Holdings,
  holdingsOf,
  landedCount,
  MINTS,
  resultOf,
  tradesOf,
  tradeUntilFinal,
} from './harness/trading.js';

let deployment: Deployment;

beforeAll(async () => {
  // A chain that moves fast, so that a transaction dies within seconds, and that has confirmed and finalized apart.
  deployment = await shareDeployment({ slotMs: 20 });
});

afterEach(() => deployment.sandbox.disarm());

const SPENT = 7_000_000n;
const ORDER = '/swap/v2/order';
const EXECUTE = '/swap/v2/execute';

const richAgent = () => deployment.agent({ SOL: 1, USDC: 100, JUP: 50 });

interface Before extends Holdings {
  readonly landed: number;
}

async function stateOf(agent: AgentClient): Promise<Before> {
  return { ...(await holdingsOf(deployment, agent)), landed: await landedCount(deployment, agent) };
}

/** The last record of the agent's trades, once it is final. */
async function lastRecord(agent: AgentClient) {
  const [record] = await eventually(
    () => tradesOf(agent),
    ([found]) => found !== undefined && !['pending', 'submitted'].includes(found.status),
  );
  return record!;
}

/** One trade of 7 USDC, as it is answered, counted and recorded. */
async function expectTraded(agent: AgentClient, before: Before, answer: ClientResponse<TradeData>): Promise<void> {
  const { outputMint, outputAmountRaw, signature } = resultOf(answer);
  const after = await stateOf(agent);
  expect([after.landed, after.tokens[MINTS.USDC]]).toEqual([before.landed + 1, before.tokens[MINTS.USDC]! - SPENT]);
  if (outputMint !== MINTS.SOL) {
    expect(after.tokens[outputMint]).toBe((before.tokens[outputMint] ?? 0n) + BigInt(outputAmountRaw));
  }
  expect(await usedWhenQuiet(agent)).toBe(SPENT);
  expect(await lastRecord(agent)).toMatchObject({ status: 'confirmed', signature });
}

/** Nothing moved, nothing is reserved, and nothing landed. */
async function expectNothing(agent: AgentClient, before: Before): Promise<void> {
  expect(await usedWhenQuiet(agent)).toBe(0n);
  expect(await stateOf(agent)).toEqual(before);
}

/** Nothing is answered that a retry would not get over. */
const UNAVAILABLE = /^(UPSTREAM_ERROR|SERVICE_UNAVAILABLE)$/;

describe('an aggregator that fails over an order', () => {
  it.each<[string, number, RegExp]>([
    ['error429', 1, UNAVAILABLE],
    ['error500', 1, UNAVAILABLE],
    ['error500', 20, UNAVAILABLE],
    ['noRoute', 1, /^NO_ROUTE$/],
    ['slippage', 1, /^SLIPPAGE_EXCEEDED$/],
  ])('by %s, %i times: one effect, or none and the truth', async (fault, times, code) => {
    const agent = await richAgent();
    const before = await stateOf(agent);
    await deployment.sandbox.arm({ part: 'aggregator', fault, times, match: { path: ORDER } });
    const answer = await tradeUntilFinal(agent, { from: 'USDC', to: 'WIF', amount: 7 }, 'the-key');
    if (answer.status === 200) return expectTraded(agent, before, answer);
    await expectNothing(agent, before);
    expect(answer.body.data.networkFeeLamports ?? null).toBeNull();
    // An order that came late is signed, and a busy machine may need longer than this fast chain lets it live.
    if (answer.body.data.code === 'TRANSACTION_EXPIRED') {
      return expect(await lastRecord(agent)).toMatchObject({ status: 'expired' });
    }
    expect(answer.body.data.code).toMatch(code);
    expect((await lastRecord(agent)).status).toBe('failed');
  });
});

describe('an aggregator that fails over the execution', () => {
  it('failedToLand: expires once it is provably expired, and is released then', async () => {
    const agent = await richAgent();
    const before = await stateOf(agent);
    await deployment.sandbox.arm({ part: 'aggregator', fault: 'failedToLand', times: 1_000 });
    const asked = agent.trade({ from: 'USDC', to: 'WIF', amount: 7 }, 'the-key');
    await eventually(
      () => usageOf(agent),
      ({ reserved }) => reserved === SPENT,
    );
    const first = await asked;
    const answer = [202, 409].includes(first.status)
      ? await tradeUntilFinal(agent, { from: 'USDC', to: 'WIF', amount: 7 }, 'the-key')
      : first;
    expect(answer).toMatchObject({ status: 504, body: { data: { code: 'TRANSACTION_EXPIRED', retryable: true } } });
    await expectNothing(agent, before);
    expect((await lastRecord(agent)).status).toBe('expired');
  });

  it.each(['SOL', 'WIF'])('slippage on the way to %s: only the fee is lost, and it is reported', async (to) => {
    const agent = await richAgent();
    const before = await stateOf(agent);
    await deployment.sandbox.arm({ part: 'aggregator', fault: 'slippage', match: { path: EXECUTE } });
    const order = { from: 'USDC', to, amount: 7 };
    const answer = await tradeUntilFinal(agent, order, 'the-key');
    expect([answer.status, answer.body.data.code]).toEqual([400, 'SLIPPAGE_EXCEEDED']);
    const { signature, networkFeeLamports } = answer.body.data;
    expect(await usedWhenQuiet(agent)).toBe(0n);
    const after = await stateOf(agent);
    expect(after).toEqual({
      tokens: before.tokens,
      lamports: before.lamports - BigInt(networkFeeLamports),
      landed: before.landed + 1,
    });
    expect((await deployment.sandbox.transactions(agent.address))[0]).toMatchObject({ signature });
    expect(await lastRecord(agent)).toMatchObject({ status: 'failed', signature });
    const again = await agent.trade(order, 'the-key');
    expect([again.body, again.headers.get('idempotency-status')]).toEqual([answer.body, 'cached']);
  });
});

const KINDS = [
  'extraTransfer',
  'setAuthority',
  'approveDelegate',
  'swappedDestination',
  'unknownLookupTable',
  'higherInput',
];

describe.each(KINDS)('an aggregator that offers a transaction with %s', (kind) => {
  it.each([
    { from: 'USDC', to: 'WIF', amount: 7 },
    { from: 'USDC', to: 'SOL', amount: 7 },
    { from: 'SOL', to: 'USDC', amount: 0.05 },
  ])('gets no signature for %j', async (order: TradeOrder) => {
    const agent = await richAgent();
    const before = await stateOf(agent);
    // More than one of its kind, each made in another way.
    await deployment.sandbox.arm({ part: 'aggregator', fault: 'maliciousTransaction', times: 3, match: { kind } });
    for (const key of ['one', 'two', 'three']) {
      const answer = await agent.trade(order, key);
      expect([key, answer.status, answer.body.data.code]).toEqual([key, 502, 'UNSAFE_TRANSACTION']);
      expect(answer.body.data).toMatchObject({ retryable: true });
    }
    await expectNothing(agent, before);
    expect((await lastRecord(agent)).status).toBe('failed');
    expect((await agent.trade(order)).status).toBe(200);
  });
});

describe('makers that sign the same bytes, where the operator lets them', () => {
  const ALLOWED = { SWAP_ALLOW_COSIGNED: 'true' };
  // The pools cost more for this pair than a maker ever keeps, so that the maker is chosen.
  const ORDER_OF_A_MAKER: TradeOrder = { from: 'USDC', to: 'JUP', amount: 7 };
  beforeAll(async () => {
    for (const name of ['policy-0', 'swap-0']) {
      await deployment.kill(name);
      await deployment.restart(name, ALLOWED);
    }
  });

  it.each([
    ['no fault', undefined],
    ['a lost answer', { fault: 'timeoutAfterLanding', times: 3, delayMs: 500 }],
    ['an error', { fault: 'error500', times: 1 }],
  ])('trade once with %s, and pay the network', async (_, fault) => {
    const agent = await richAgent();
    const before = await stateOf(agent);
    if (fault) await deployment.sandbox.arm({ part: 'aggregator', ...fault, match: { path: EXECUTE } });
    const answer = await tradeUntilFinal(agent, ORDER_OF_A_MAKER, 'the-key');
    await expectTraded(agent, before, answer);
    const cost = before.lamports - (await holdingsOf(deployment, agent)).lamports;
    expect([resultOf(answer).route, cost]).toEqual([['JupiterZ'], 0n]);
  });

  it('that refuse in their final check trade nothing', async () => {
    const agent = await richAgent();
    const before = await stateOf(agent);
    await deployment.sandbox.arm({ part: 'aggregator', fault: 'slippage', times: 1_000, match: { path: EXECUTE } });
    const answer = await tradeUntilFinal(agent, ORDER_OF_A_MAKER, 'the-key');
    expect(['SLIPPAGE_EXCEEDED', 'TRANSACTION_EXPIRED']).toContain(answer.body.data.code);
    expect(await usedWhenQuiet(agent)).toBe(0n);
    expect((await holdingsOf(deployment, agent)).tokens).toEqual(before.tokens);
  });
});

describe('an aggregator that was asked too often', () => {
  it('is left alone for as long as it says: trades are refused at once, and nothing is asked', async () => {
    const agent = await richAgent();
    const before = await stateOf(agent);
    const busy = { part: 'aggregator', fault: 'error429', times: 1, delayMs: 60_000, match: { path: ORDER } } as const;
    await deployment.sandbox.arm(busy);
    for (const key of ['one', 'two']) {
      const answer = await agent.trade({ from: 'USDC', to: 'WIF', amount: 7 }, key);
      expect([answer.status, answer.body.data.retryable]).toEqual([503, true]);
    }
    await expectNothing(agent, before);
  });
});

describe('on a chain on which a transaction lives for a minute, so that none expires on a busy machine,', () => {
  beforeAll(async () => {
    deployment = await shareDeployment();
  });

  it.each([
    ['error429', { times: 1, delayMs: 1_000 }],
    ['error500', { times: 1 }],
    ['timeoutAfterLanding', { times: 2, delayMs: 500 }],
  ])(
    'an aggregator that fails over the execution by %s %j has traded once, and it is answered so',
    async (fault, more) => {
      const agent = await richAgent();
      const before = await stateOf(agent);
      await deployment.sandbox.arm({ part: 'aggregator', fault, ...more, match: { path: EXECUTE } });
      const answer = await tradeUntilFinal(agent, { from: 'USDC', to: 'WIF', amount: 7 }, 'the-key');
      expect(answer.status).toBe(200);
      await expectTraded(agent, before, answer);
    },
  );

  it('a public node that loses transactions: it is not used, because an observer profits from a trade', async () => {
    const agent = await richAgent();
    const before = await stateOf(agent);
    await deployment.sandbox.arm({ part: 'chain', fault: 'drop', match: { address: agent.address } });
    await expectTraded(agent, before, await agent.trade({ from: 'USDC', to: 'WIF', amount: 7 }));
  });
});
