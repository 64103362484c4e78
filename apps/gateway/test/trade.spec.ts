import { type swapV1, walletV1 } from '@agent-wallet/contracts';
import { AppError, type ErrorCode, errorEntry, type Facts, newId, retryOf } from '@agent-wallet/kernel';
import { eventually } from '@agent-wallet/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { acceptedRecord } from '../src/api/actions/outcome-records.js';
import { trade as tradeAction } from '../src/api/actions/trade.js';
import { factsOf } from './facts.js';
import type { Client, Reply } from './client.js';
import { SIGNATURE, TRADED, USDC, WRAPPED_SOL } from './default-script.js';
import { expectFailure } from './expect-failure.js';
import { FIRST_POLL_MS, GENEROUS, POLLS_OFTEN } from './wallet-script.js';
import { World } from './world.js';

let world: World;
let client: Client;
let agentId: string;
beforeAll(async () => {
  world = await World.open({ rateLimits: GENEROUS }, POLLS_OFTEN);
});
beforeEach(async () => {
  await world.reset();
  ({ client, agentId } = await world.login());
});
afterAll(() => world.close());

const PATH = '/wallets/me/actions/trade';
const BODY = { from: 'USDC', to: 'SOL', amount: 25 };
const OPEN = { ...TRADED, state: walletV1.OperationState.OPERATION_STATE_SUBMITTED, signature: '' };

/** What every answer says of the scripted trade, done or not. */
const FIELDS = {
  inputAmount: '25 USDC',
  outputAmount: '0.1666501 SOL',
  inputMint: USDC,
  outputMint: WRAPPED_SOL,
  inputAmountRaw: '25000000',
  outputAmountRaw: '166650100',
  minOutputAmountRaw: '165834166',
  slippageBps: 50,
  priceImpact: '0.12%',
  networkFeeLamports: 5000,
  route: ['Raydium CLMM', 'Whirlpool'],
  warnings: [{ mint: USDC, type: 'HAS_FREEZE_AUTHORITY', severity: 'warning', message: 'It can be frozen.' }],
};

type Trade = (request: swapV1.TradeRequest) => Promise<swapV1.TradeResponse>;

/** Lets the swap service answer this agent so, and says what it was asked. */
function swapDoes(trade: Trade): swapV1.TradeRequest[] {
  const asked: swapV1.TradeRequest[] = [];
  world.script.swap.trade = async (request: swapV1.TradeRequest) => {
    if (request.agentId !== agentId) return OPEN;
    asked.push(request);
    return trade(request);
  };
  return asked;
}

const fails = (code: ErrorCode, data: Facts = {}): Trade => {
  return async () => {
    throw AppError.received(code, { data: factsOf(code, data) });
  };
};

function trade(body: unknown = BODY, key?: string): Promise<Reply> {
  return client.post(PATH, body, key === undefined ? {} : { 'idempotency-key': key });
}

describe('a trade', () => {
  it('is answered with what was spent and what came in', async () => {
    const asked = swapDoes(async () => TRADED);
    const answer = await trade();
    expect(answer.body).toEqual({
      status: true,
      statusCode: 200,
      message: expect.any(String),
      data: {
        transactionId: asked[0]?.operationId,
        status: 'confirmed',
        transactionStatus: 'confirmed',
        signature: SIGNATURE,
        explorerUrl: `https://explorer.solana.com/tx/${SIGNATURE}`,
        ...FIELDS,
      },
    });
    expect(tradeAction.result.safeParse(answer.body.data).error).toBeUndefined();
    expect(asked[0]).toMatchObject({ agentId, from: 'USDC', to: 'SOL', amount: '25', cancelIfNotStarted: false });
    expect(asked[0]).toMatchObject({ slippageBps: 50, allowRisky: false, allowUnpricedOutput: false });
    expect(asked[0]?.maxPriceImpactBps).toBeUndefined();
  });

  it.each([
    ['1', 1],
    ['5000', 5_000],
    ['1e2', 100],
  ])('asks for what the caller tolerates: %s', async (text, slippageBps) => {
    const asked = swapDoes(async () => TRADED);
    const raw = `{"from":"${USDC}","to":"BONK","amount":0.000001,"slippageBps":${text},"allowRisky":true}`;
    expect((await client.call('POST', PATH, { raw })).status).toBe(200);
    expect(asked[0]).toMatchObject({ from: USDC, to: 'BONK', amount: '0.000001', slippageBps, allowRisky: true });
  });

  it.each([
    ['0.01', 1],
    ['0.29', 29],
    ['1.10e1', 1_100],
    ['50', 5_000],
  ])('asks for the price impact that the caller names, to the basis point: %s', async (text, maxPriceImpactBps) => {
    const asked = swapDoes(async () => TRADED);
    const raw = `{"from":"USDC","to":"BONK","amount":1,"maxPriceImpactPercent":${text},"allowUnpricedOutput":true}`;
    expect((await client.call('POST', PATH, { raw })).status).toBe(200);
    expect(asked[0]).toMatchObject({ maxPriceImpactBps, allowUnpricedOutput: true });
  });

  it.each(['0', '-1', '50.01', '0.001', '1e400', '1e-400'])('refuses a price impact of %s', async (text) => {
    const asked = swapDoes(async () => TRADED);
    const raw = `{"from":"USDC","to":"BONK","amount":1,"maxPriceImpactPercent":${text}}`;
    const answer = await client.call('POST', PATH, { raw });
    expectFailure(answer, 400, 'VALIDATION_ERROR');
    const reason = 'must be greater than 0, at most 50, with at most 2 decimals';
    expect(answer.body.data.details).toEqual([{ field: 'maxPriceImpactPercent', reason, problem: 'out_of_range' }]);
    expect(asked).toEqual([]);
  });

  it.each([
    ['', null],
    ['0', '0%'],
    ['-0.00004', '0%'],
    ['-0.00005', '0.0001%'],
    ['-1.5e-1', '0.15%'],
    ['0.01', '-0.01%'],
    ['-12', '12%'],
  ])('shows a price impact of %p as %p', async (priceImpactPercent, shown) => {
    swapDoes(async () => ({ ...TRADED, facts: { ...TRADED.facts!, priceImpactPercent } }));
    const { data } = (await trade()).body;
    expect(data.priceImpact).toBe(shown);
    expect(tradeAction.result.safeParse(data).error).toBeUndefined();
  });

  it('shows base units that no binary number could hold', async () => {
    const most = 18_446_744_073_709_551_615n;
    const output = { ...TRADED.facts!.output!, amount: most };
    swapDoes(async () => ({ ...TRADED, facts: { ...TRADED.facts!, output, minOutputAmount: most } }));
    expect((await trade()).body.data).toMatchObject({
      outputAmount: '18446744073.709551615 SOL',
      outputAmountRaw: most.toString(),
      minOutputAmountRaw: most.toString(),
    });
  });

  it.each([
    ['{"to":"SOL","amount":1}', 'from'],
    ['{"from":"","to":"SOL","amount":1}', 'from'],
    ['{"from":"USDC","amount":1}', 'to'],
    ['{"from":"USDC","to":7,"amount":1}', 'to'],
    ['{"from":"USDC","to":"SOL"}', 'amount'],
    ['{"from":"USDC","to":"SOL","amount":"1"}', 'amount'],
    ['{"from":"USDC","to":"SOL","amount":0}', 'amount'],
    ['{"from":"USDC","to":"SOL","amount":-1}', 'amount'],
    ['{"from":"USDC","to":"SOL","amount":1,"slippageBps":0}', 'slippageBps'],
    ['{"from":"USDC","to":"SOL","amount":1,"slippageBps":5001}', 'slippageBps'],
    ['{"from":"USDC","to":"SOL","amount":1,"slippageBps":0.5}', 'slippageBps'],
    ['{"from":"USDC","to":"SOL","amount":1,"slippageBps":"50"}', 'slippageBps'],
    ['{"from":"USDC","to":"SOL","amount":1,"slippageBps":null}', 'slippageBps'],
    ['{"from":"USDC","to":"SOL","amount":1,"allowRisky":"yes"}', 'allowRisky'],
    ['{"from":"USDC","to":"SOL","amount":1,"maxPriceImpactPercent":"5"}', 'maxPriceImpactPercent'],
    ['{"from":"USDC","to":"SOL","amount":1,"allowUnpricedOutput":1}', 'allowUnpricedOutput'],
    ['{"from":"USDC","to":"SOL","amount":1,"memo":"x"}', 'memo'],
    ['[]', 'body'],
  ])('refuses %s', async (raw, field) => {
    const asked = swapDoes(async () => TRADED);
    const answer = await client.call('POST', PATH, { raw });
    expectFailure(answer, 400, 'VALIDATION_ERROR');
    expect(answer.body.data.details[0].field).toBe(field);
    expect(asked).toEqual([]);
  });

  it.each([
    'INSUFFICIENT_FUNDS',
    'NO_ROUTE',
    'SLIPPAGE_EXCEEDED',
    'UNSAFE_TOKEN',
    'TRANSACTION_FAILED',
    'POLICY_VIOLATION',
    'UPSTREAM_ERROR',
    'UNSAFE_TRANSACTION',
    'SERVICE_UNAVAILABLE',
    'UPSTREAM_TIMEOUT',
    'TRANSACTION_EXPIRED',
  ] as const)('that fails with %s says so, and replays it', async (code) => {
    const asked = swapDoes(fails(code));
    const { http } = errorEntry(code);
    const retry = retryOf(code, {}, true);
    const answer = await trade(BODY, code);
    expectFailure(answer, http, code);
    expect(answer.body.data).toMatchObject({ retry, transactionId: asked[0]?.operationId });
    const again = await trade(BODY, code);
    expect([again.text, again.headers['idempotency-status']]).toEqual([answer.text, 'cached']);
    expect(asked).toHaveLength(1);
  });

  it('whose price moved on chain tells what the network took, as a number', async () => {
    swapDoes(fails('SLIPPAGE_EXCEEDED', { signature: SIGNATURE, networkFeeLamports: '5000' }));
    const { data } = (await trade()).body;
    expect(data).toMatchObject({ code: 'SLIPPAGE_EXCEEDED', signature: SIGNATURE, networkFeeLamports: 5000 });
  });

  it('that the policy does not allow is refused by that rule', async () => {
    swapDoes(fails('POLICY_VIOLATION', { rule: 'trading_disabled' }));
    const { data } = (await trade()).body;
    expect(data).toMatchObject({ code: 'POLICY_VIOLATION', rule: 'trading_disabled', limitUsd: null });
    expect(data).toMatchObject({ inputUsd: null, leastOutputUsd: null, lossPercent: null, maxLossPercent: null });
  });

  it('that loses too much is refused with the values of both sides', async () => {
    const values = {
      inputUsdMicros: '25000000',
      leastOutputUsdMicros: '20000001',
      lossPercent: 20,
      maxLossPercent: 10.5,
    };
    swapDoes(fails('POLICY_VIOLATION', { rule: 'trade_unfair', ...values }));
    const answer = await trade();
    expectFailure(answer, 403, 'POLICY_VIOLATION');
    const shown = { inputUsd: 25, leastOutputUsd: 20.000001, lossPercent: 20, maxLossPercent: 10.5 };
    expect(answer.body.data).toMatchObject({ rule: 'trade_unfair', ...shown });
  });

  it.each(['UNKNOWN_TOKEN', 'VALIDATION_ERROR'] as const)('refused with %s leaves its key free', async (code) => {
    swapDoes(fails(code));
    expectFailure(await trade(BODY, 'typo'), 400, code);
    swapDoes(async () => TRADED);
    expect((await trade({ ...BODY, to: 'JUP' }, 'typo')).status).toBe(200);
  });

  it('needs a token', async () => {
    expectFailure(await world.client.post(PATH, BODY), 401, 'AUTHENTICATION_ERROR');
  });
});

describe('a trade with a key', () => {
  it('happens once, and is replayed in the duplicate shape', async () => {
    const asked = swapDoes(async () => TRADED);
    const first = await trade(BODY, 'once');
    const second = await trade(BODY, 'once');
    expect([first.headers['idempotency-status'], second.headers['idempotency-status']]).toEqual(['fresh', 'cached']);
    expect(second.body.data).toEqual({ cached: true, originalResponse: first.body.data });
    expect(asked).toHaveLength(1);
  });

  it('is the same request with the defaults written out, and another with other values', async () => {
    swapDoes(async () => TRADED);
    await trade(BODY, 'mine');
    const defaults = { slippageBps: 50, allowRisky: false, allowUnpricedOutput: false };
    expect((await trade({ ...BODY, ...defaults }, 'mine')).status).toBe(200);
    const bounds = [{ maxPriceImpactPercent: 5 }, { allowUnpricedOutput: true }];
    for (const other of [{ slippageBps: 51 }, { allowRisky: true }, ...bounds, { to: 'JUP' }, { amount: 25.5 }]) {
      expectFailure(await trade({ ...BODY, ...other }, 'mine'), 422, 'IDEMPOTENCY_MISMATCH');
    }
  });

  it('is a 202 while its outcome is open, found in history, and resolved by itself', async () => {
    let landed = false;
    const asked = swapDoes(async () => (landed ? TRADED : OPEN));
    const answer = await trade(BODY, 'open');
    const { transactionId } = answer.body.data;
    expect([answer.status, answer.body.data]).toEqual([
      202,
      { status: 'submitted', transactionStatus: 'submitted', transactionId, signature: null, explorerUrl: null },
    ]);
    const shown = (await client.get(`/wallets/me/history/${transactionId}`)).body.data.transaction;
    expect(shown).toMatchObject({ id: transactionId, action: 'trade', asset: 'USDC', amount: 25 });
    // What it is to is a token, no recipient.
    expect(shown).not.toHaveProperty('to');
    landed = true;
    await eventually(async () => (await trade(BODY, 'open')).status === 200);
    expect(new Set(asked.map(({ operationId }) => operationId))).toEqual(new Set([transactionId]));
  });

  it('that its caller no longer asks about is polled, and never started', async () => {
    const asked = swapDoes(async ({ cancelIfNotStarted }) => {
      if (cancelIfNotStarted) throw new AppError('TRANSACTION_EXPIRED');
      return OPEN;
    });
    const { transactionId } = (await trade(BODY, 'left')).body.data;
    world.clock.aheadMs = FIRST_POLL_MS;
    await eventually(() => asked.some(({ cancelIfNotStarted }) => cancelIfNotStarted));
    expect(asked.at(-1)).toMatchObject({ operationId: transactionId, slippageBps: 50, amount: '25' });
    await eventually(async () => (await trade(BODY, 'left')).status === 504);
  });

  it('whose swap service is away leaves the key free', async () => {
    await world.services.swap.kill();
    expectFailure(await trade(BODY, 'away'), 503, 'SERVICE_UNAVAILABLE');
    await world.restartServices();
    const asked = swapDoes(async () => TRADED);
    expect([(await trade({ ...BODY, amount: 1 }, 'away')).status, asked.length]).toEqual([200, 1]);
  });

  it('whose swap service dies in the middle is submitted, not refused', async () => {
    swapDoes(async () => {
      void world.services.swap.kill();
      return new Promise(() => undefined);
    });
    const answering = trade(BODY, 'cut');
    await eventually(async () => (await client.get('/readyz')).status === 503);
    swapDoes(async () => TRADED);
    await world.restartServices();
    const answer = await answering;
    expect([200, 202]).toContain(answer.status);
    await eventually(async () => (await trade(BODY, 'cut')).status === 200);
  });
});

describe('a dry run of a trade', () => {
  it('has every field of the real answer, and what it would come to', async () => {
    const real = swapDoes(async () => TRADED);
    const asked: swapV1.DryRunTradeRequest[] = [];
    const { dryRunTrade } = world.script.swap;
    world.script.swap.dryRunTrade = async (request: swapV1.DryRunTradeRequest) => {
      asked.push(request);
      return await dryRunTrade(request);
    };
    const answer = await client.post(`${PATH}?dryRun=true`, { ...BODY, slippageBps: 10 }, { 'idempotency-key': 'dry' });
    expect([answer.status, answer.headers['idempotency-status']]).toEqual([200, undefined]);
    expect(answer.body.data).toMatchObject({
      ...{ transactionId: null, status: 'dry_run', signature: null, explorerUrl: null },
      ...FIELDS,
      ...{ networkFeeLamports: 5000, sponsored: false },
      policy: { allowed: true, rule: null, requestedUsd: 64.100001 },
    });
    expect(tradeAction.dryRunResult!.safeParse(answer.body.data).error).toBeUndefined();
    expect(asked).toEqual([
      {
        agentId,
        from: 'USDC',
        to: 'SOL',
        amount: '25',
        slippageBps: 10,
        allowRisky: false,
        allowUnpricedOutput: false,
      },
    ]);
    expect(real).toEqual([]);
    expect((await trade(BODY, 'dry')).headers['idempotency-status']).toBe('fresh');
  });

  it.each([
    [
      { inputUsdMicros: 25_000_000n, leastOutputUsdMicros: 24_875_124n, lossBps: 50, maxLossBps: 1_000 },
      { inputUsd: 25, leastOutputUsd: 24.875124, lossPercent: 0.5, maxLossPercent: 10 },
    ],
    [
      { inputUsdMicros: 25_000_000n, leastOutputUsdMicros: 25_002_500n, lossBps: -1, maxLossBps: 51 },
      { inputUsd: 25, leastOutputUsd: 25.0025, lossPercent: -0.01, maxLossPercent: 0.51 },
    ],
    [{ maxLossBps: 1_000 }, { inputUsd: null, leastOutputUsd: null, lossPercent: null, maxLossPercent: 10 }],
  ])('shows the values of its input and least output: %j', async (values, shown) => {
    const { dryRunTrade } = world.script.swap;
    world.script.swap.dryRunTrade = async (request: swapV1.DryRunTradeRequest) => {
      const { dryRun, ...reply } = await dryRunTrade(request);
      return { ...reply, dryRun: { ...dryRun!, decision: { ...dryRun!.decision!, trade: values } } };
    };
    const { data } = (await client.post(`${PATH}?dryRun=true`, BODY)).body;
    expect(data.policy.trade).toEqual(shown);
    expect(tradeAction.dryRunResult!.safeParse(data).error).toBeUndefined();
  });

  it('answers errors as the real request would', async () => {
    const fail = async (): Promise<never> => {
      throw new AppError('NO_ROUTE');
    };
    Object.assign(world.script.swap, { dryRunTrade: fail, trade: fail });
    const [dry, real] = [await client.post(`${PATH}?dryRun=true`, BODY), await trade()];
    expectFailure(dry, 400, 'NO_ROUTE');
    expect(dry.body.message).toBe(real.body.message);
    expectFailure(await client.post(`${PATH}?dryRun=maybe`, BODY), 400, 'VALIDATION_ERROR');
  });
});

describe('a trade that the owner must approve', () => {
  it('is a 202 that names the approval; the same key gets the result once it is decided', async () => {
    const approvalId = newId();
    const approval = { approvalId, expiresAtMs: 1_763_805_600_000n, reasons: ['above_amount'] };
    const state = walletV1.OperationState.OPERATION_STATE_AWAITING_APPROVAL;
    const asked = swapDoes(async () => (asked.length < 3 ? { ...OPEN, state, approval } : TRADED));
    for (let times = 0; times < 2; times += 1) {
      const { status, body } = await trade(BODY, 'waits');
      const { operationId: transactionId } = asked[0]!;
      expect([status, body.data]).toMatchObject([202, { status: 'awaiting_approval', transactionId, approvalId }]);
      expect(acceptedRecord.safeParse(body.data).error).toBeUndefined();
    }
    const done = await eventually(
      () => trade(BODY, 'waits'),
      ({ status }) => status === 200,
    );
    expect(done.body.data).toMatchObject({ originalResponse: { transactionStatus: 'confirmed' } });
    expect(new Set(asked.map(({ operationId }) => operationId)).size).toBe(1);
  });
});
