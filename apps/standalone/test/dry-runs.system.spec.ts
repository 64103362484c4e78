import { eventually } from '@agent-wallet/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AgentClient } from '../src/index.js';
import { deploy, type Deployment } from './harness/deployment.js';
import { newRecipient } from './harness/recipient.js';
import { depositsOf, usedWhenQuiet } from './harness/spending.js';
import { openSuperuser, type Superuser } from './harness/superuser.js';

let deployment: Deployment;
let superuser: Superuser;

beforeAll(async () => {
  // Of its own: no other agent changes a row. Checkpoints sign what is there, at times of their own.
  deployment = await deploy({ environment: { CHECKPOINT_INTERVAL_SECONDS: '3600' } });
  superuser = await openSuperuser(deployment);
});

afterAll(async () => {
  await superuser?.close();
  await deployment?.stop();
});

const WRAPPED_SOL = 'So11111111111111111111111111111111111111112';
const SCHEMAS = ['gateway', 'wallet', 'swap', 'policy', 'signer', 'history', 'events'];

/** The counters of requests, uses of sessions, that copies live, and what services remember of chain and prices. */
const NOT_OF_OPERATIONS = [
  'rate_windows',
  'sessions',
  'replicas',
  'chain_heads',
  'poll_batches',
  'watched_accounts',
  'request_counts',
  'aggregator_pauses',
  'accepted_prices',
  'accepted_highs',
  'price_entries',
  'price_pace',
];

/** Every row of every service, by table. */
async function everyRow(): Promise<Record<string, string>> {
  const tables = await superuser.rows<{ name: string }>(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
     where table_schema = any($1) and table_type = 'BASE TABLE' and table_name <> all($2) order by 1`,
    SCHEMAS,
    NOT_OF_OPERATIONS,
  );
  const found: Record<string, string> = {};
  for (const { name } of tables) {
    found[name] = JSON.stringify(await superuser.rows(`select t::text as row from ${name} as t order by 1`));
  }
  return found;
}

/** The rows once nothing is under way any more. */
async function rowsWhenQuiet(): Promise<Record<string, string>> {
  let last = await everyRow();
  return eventually(
    async () => {
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      const [before, after] = [last, await everyRow()];
      last = after;
      return { rows: after, isQuiet: JSON.stringify(before) === JSON.stringify(after) };
    },
    ({ isQuiet }) => isQuiet,
    30_000,
  ).then(({ rows }) => rows);
}

const richAgent = () => deployment.agent({ SOL: 1, USDC: 250, [WRAPPED_SOL]: 2 });

/** What the wallet holds on chain, by the names of a dry run's changes. */
async function holdings(agent: AgentClient, mints: ReadonlyArray<string | null>): Promise<Record<string, bigint>> {
  const entries = mints.map(async (mint) => [
    String(mint),
    await deployment.sandbox.balanceRaw(agent.address, mint ?? 'SOL'),
  ]);
  return Object.fromEntries((await Promise.all(entries)) as Array<[string, bigint]>);
}

describe('a dry run', () => {
  it('changes no row of any service and nothing on chain', async () => {
    const agent = await richAgent();
    await eventually(
      () => depositsOf(agent),
      ({ length }) => length === 3,
      60_000,
    );
    const before = await rowsWhenQuiet();
    expect(Object.keys(before).length).toBeGreaterThan(15);
    const landed = await deployment.sandbox.transactions(agent.address);
    for (const { status } of [
      await agent.dryTransfer({ to: newRecipient(), amount: 1, mint: 'USDC', memo: 'rent' }),
      await agent.dryTransfer({ to: newRecipient(), amount: 0.1 }),
      await agent.dryTransfer({ to: newRecipient(), amount: 101, mint: 'USDC' }),
      await agent.dryTrade({ from: 'USDC', to: 'SOL', amount: 1 }),
      await agent.dryUnwrap(),
      await agent.dryUnwrap({ amount: 0.5 }),
    ]) {
      expect(status).toBe(200);
    }
    expect((await agent.dryTransfer({ to: newRecipient(), amount: 1, mint: 'NOPE' })).status).toBe(400);
    expect((await agent.dryTransfer({ to: newRecipient(), amount: 5_000, mint: 'USDC' })).status).toBe(400);
    expect(await rowsWhenQuiet()).toEqual(before);
    expect(await deployment.sandbox.transactions(agent.address)).toEqual(landed);
    expect(await usedWhenQuiet(agent)).toBe(0n);
  });

  it.each([
    ['a token to a recipient who has none of it', { amount: 12.5, mint: 'USDC' }],
    ['the native coin', { amount: 0.1 }],
  ])('tells exactly what a transfer of %s does', async (_, order) => {
    const agent = await richAgent();
    const to = newRecipient();
    const dry = (await agent.dryTransfer({ to, ...order })).body.data;
    const mints = dry.balanceChanges.map(({ mint }) => mint);
    const before = await holdings(agent, mints);
    const real = (await agent.transfer({ to, ...order })).body.data;
    const after = await holdings(agent, mints);
    expect(real.status).toBe('confirmed');
    expect(dry).toMatchObject({
      ...{ status: 'dry_run', signature: null, transactionId: null, explorerUrl: null, sponsored: false },
      ...{ amount: real.amount, amountRaw: real.amountRaw, amountSent: real.amountSent, fee: real.fee },
      ...{ feeMode: real.feeMode, totalDeducted: real.totalDeducted, networkFeeLamports: 5_000 },
    });
    for (const { mint, amountRaw } of dry.balanceChanges) {
      expect([mint, after[String(mint)]! - before[String(mint)]!]).toEqual([mint, BigInt(amountRaw)]);
    }
    const { requestedUsd, usedUsd, remainingUsd } = dry.policy;
    expect([usedUsd, remainingUsd]).toEqual([0, 500]);
    expect(await usedWhenQuiet(agent)).toBe(BigInt(Math.round(requestedUsd! * 1_000_000)));
  });

  it.each([{}, { amount: 0.5 }])('tells exactly what an unwrap of %j does', async (order) => {
    const agent = await richAgent();
    const dry = (await agent.dryUnwrap(order)).body.data;
    const mints = dry.balanceChanges.map(({ mint }) => mint);
    const before = await holdings(agent, mints);
    const real = (await agent.unwrap(order)).body.data;
    const after = await holdings(agent, mints);
    expect(real).toMatchObject({ status: 'confirmed', amount: dry.amount, amountRaw: dry.amountRaw });
    for (const { mint, amountRaw } of dry.balanceChanges) {
      expect([mint, after[String(mint)]! - before[String(mint)]!]).toEqual([mint, BigInt(amountRaw)]);
    }
  });

  it('and the request itself say that trading is off before they say that the wallet is empty', async () => {
    const agent = await deployment.agent();
    const order = { from: 'usdc', to: 'SOL', amount: 5 };
    expect((await agent.trade(order)).body.data).toMatchObject({
      code: 'INSUFFICIENT_FUNDS',
      asset: 'USDC',
      decimals: 6,
    });
    expect((await agent.patchPolicy({ allowTrading: false })).status).toBe(200);
    const refused = { rule: 'trading_disabled', limitUsd: null };
    expect(await agent.dryTrade(order)).toMatchObject({
      status: 200,
      body: { data: { inputAmountRaw: '5000000', balanceChanges: [], policy: { allowed: false, ...refused } } },
    });
    expect(await agent.trade(order)).toMatchObject({
      status: 403,
      body: { data: { code: 'POLICY_VIOLATION', retry: 'never', ...refused } },
    });
    expect((await agent.transfer({ to: newRecipient(), amount: 2 })).body.data).toMatchObject({
      ...{ code: 'INSUFFICIENT_FUNDS', asset: 'SOL', mint: null, decimals: 9, missingRaw: expect.any(String) },
      missingLamports: expect.any(Number),
    });
  });

  it('says with 200 that policy refuses, and with 400 what cannot be done', async () => {
    const agent = await richAgent();
    const refused = await agent.dryTransfer({ to: newRecipient(), amount: 101, mint: 'USDC' });
    expect(refused.status).toBe(200);
    expect(refused.body.data.policy).toMatchObject({ allowed: false, rule: 'single_transaction_limit', limitUsd: 100 });
    for (const [order, code] of [
      [{ to: newRecipient(), amount: 5_000, mint: 'USDC' }, 'INSUFFICIENT_FUNDS'],
      [{ to: newRecipient(), amount: 1, mint: 'NOPE' }, 'UNKNOWN_TOKEN'],
      [{ to: 'nobody', amount: 1 }, 'INVALID_ADDRESS'],
      [{ to: newRecipient(), amount: 0.000000001 }, 'VALIDATION_ERROR'],
    ] as const) {
      const [dry, real] = [await agent.dryTransfer(order), await agent.transfer(order)];
      expect([dry.status, dry.body.data.code]).toEqual([400, code]);
      expect([real.status, real.body.data.code, real.body.message]).toEqual([400, code, dry.body.message]);
    }
  });
});
