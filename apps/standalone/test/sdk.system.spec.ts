import { AgentWallet, isApiError, logIn, type StreamEvent } from '@agent-wallet/sdk';
import { FileStore } from '@agent-wallet/sdk/node';
import { eventually } from '@agent-wallet/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Deployment, shareDeployment } from './harness/deployment.js';
import { SOL_USDC } from './harness/liquidity.js';
import { addMarket } from './harness/predicting.js';
import { newRecipient, received } from './harness/recipient.js';
import { openForBot } from './harness/tokens-example.js';

let deployment: Deployment;
let folder: string;
let wallet: AgentWallet;

beforeAll(async () => {
  deployment = await shareDeployment();
  folder = await mkdtemp(path.join(tmpdir(), 'sdk-'));
  const options = { baseUrl: deployment.url(), store: new FileStore(folder) };
  ({ wallet } = await logIn(options, 'sdk@agents.example', ({ email }) => deployment.sandbox.otp(email)));
  await wallet.faucet({ token: 'SOL', amount: '2' });
  await wallet.faucet({ token: 'USDC', amount: '300' });
});
afterAll(() => rm(folder, { recursive: true }));

describe('the SDK', () => {
  it('reads the agent, its balances, its policy and its sessions', async () => {
    const { agentId, email, claimed } = await wallet.me();
    expect([email, claimed]).toEqual(['sdk@agents.example', false]);
    const { sol, tokens } = await wallet.balances();
    expect([sol.amountRaw, tokens[0]?.amountRaw]).toEqual(['2000000000', '300000000']);
    const { version } = await wallet.policy.get();
    const changed = await wallet.policy.update({ maxSingleTransactionInUsd: 90 }, { version });
    expect([changed.version, changed.policy.maxSingleTransactionInUsd]).toEqual([version + 1, 90]);
    const stale = await wallet.policy.update({ allowTrading: false }, { version }).catch((error: unknown) => error);
    expect(isApiError(stale, 'VERSION_MISMATCH') && stale.data.version).toBe(version + 1);
    expect((await wallet.sessions.list()).sessions).toHaveLength(1);
    expect(agentId).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('pays to the base unit, once for a key, and learns why not', async () => {
    const to = newRecipient();
    await deployment.sandbox.faucet(to, 'USDC', 1);
    expect(await wallet.dryRun.transfer({ to, amount: '0.3', mint: 'USDC' })).toMatchObject({
      transactionStatus: 'dry_run',
      amountRaw: '300000',
    });
    const first = await wallet.transfer({ to, amount: '0.3', mint: 'USDC' }, { key: 'invoice-1' });
    const again = await wallet.transfer({ to, amount: '0.3', mint: 'USDC' }, { key: 'invoice-1' });
    expect(again).toEqual(first);
    await wallet.transfer({ to, amount: 700_001n, mint: 'USDC' });
    expect(await received(deployment, to)).toBe(1_000_001n);
    const refused = await wallet.transfer({ to, amount: '91', mint: 'USDC' }).catch((error: unknown) => error);
    expect(isApiError(refused, 'POLICY_VIOLATION') && refused.data.rule).toBe('single_transaction_limit');
    expect(isApiError(refused, 'POLICY_VIOLATION') && refused.data.maxAllowedNowUsd).toBe(90);
    await eventually(
      () => wallet.pending(),
      (left) => left.length === 0,
    );
  });

  it('trades, provides liquidity, and buys, sells and counts contracts', async () => {
    const traded = await wallet.trade({ from: 'USDC', to: 'SOL', amount: 25_000_000n, slippageBps: 100 });
    expect(traded).toMatchObject({ transactionStatus: 'confirmed', inputAmountRaw: '25000000' });
    const added = await wallet.liquidity.add({ pool: SOL_USDC, token: 'USDC', amount: '5' });
    const { positions } = await wallet.liquidity.positions();
    expect(positions[0]?.positionId).toBe(added.positionId);
    const removed = await wallet.liquidity.remove({ positionId: added.positionId, percent: 100 });
    expect(removed.received).toHaveLength(2);
    const ticker = await addMarket(deployment);
    const bought = await wallet.predictions.buy({ ticker, side: 'yes', count: 3 });
    expect(bought).toMatchObject({ status: 'filled', count: 3 });
    expect(await wallet.predictions.sell({ ticker, side: 'yes', count: 1 })).toMatchObject({ count: 1 });
    const [position] = (await wallet.predictions.positions()).positions;
    expect(position).toMatchObject({ ticker, quantity: 2 });
  });

  it('opens a token that trades within its limits alone, and ends it', async () => {
    const bot = new AgentWallet({ baseUrl: deployment.url() }, await openForBot(wallet));
    await bot.trade({ from: 'USDC', to: 'SOL', amount: '2' });
    const [token, ...others] = (await wallet.tokens.list()).tokens;
    expect(others).toEqual([]);
    expect(token).toMatchObject({
      name: 'Trading bot',
      scopes: ['read', 'trade'],
      recipients: null,
      totalLimitInUsd: null,
    });
    expect(token?.usedTodayUsd).toBeGreaterThanOrEqual(2);
    const above = await bot.trade({ from: 'USDC', to: 'SOL', amount: '21' }).catch((error: unknown) => error);
    expect(isApiError(above, 'POLICY_VIOLATION') && above.data.rule).toBe('grant_limit');
    const paid = bot.transfer({ to: newRecipient(), amount: '1', mint: 'USDC' });
    await expect(paid).rejects.toMatchObject({ code: 'INSUFFICIENT_SCOPE', status: 403 });
    await expect(bot.tokens.list()).rejects.toMatchObject({ code: 'INSUFFICIENT_SCOPE' });
    expect(await wallet.tokens.end(token!.id)).toEqual({ ended: true });
    await expect(bot.balances()).rejects.toMatchObject({ code: 'AUTHENTICATION_ERROR' });
  });

  it('iterates over pages', async () => {
    const ids = new Set<string>();
    for await (const { id } of wallet.history({ action: 'transfer', limit: 1 })) ids.add(id);
    expect(ids.size).toBe(3);
    expect(await wallet.predictions.markets({ limit: 2 }).all(5)).toHaveLength(5);
    const { pools } = await wallet.get('/liquidity/pools', { query: { limit: 1 } });
    expect(pools).toHaveLength(1);
  });

  it('follows what changes, from any place on, without gaps', async () => {
    const stop = new AbortController();
    const events: StreamEvent[] = [];
    const after = 3;
    for await (const event of wallet.events({ after, signal: stop.signal })) {
      events.push(event);
      if (event.type === 'change' && event.sequence === after + 3) break;
    }
    expect(events.flatMap((event) => (event.type === 'change' ? [event.sequence] : []))).toEqual(
      [1, 2, 3].map((n) => after + n),
    );
  });

  it('changes its token by a refresh, and ends its session', async () => {
    const before = wallet.token;
    await wallet.sessions.refresh();
    expect(wallet.token).not.toBe(before);
    await wallet.sessions.logOut();
    await expect(wallet.me()).rejects.toMatchObject({ code: 'AUTHENTICATION_ERROR', status: 401 });
  });
});
