import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { policyV1 } from '@agent-wallet/contracts';
import { AppError, newId } from '@agent-wallet/kernel';
import { HISTORY_ACTIONS } from '@agent-wallet/events';
import { transactionRecord } from '../src/api/history/transactions.js';
import { usageRoute } from '../src/api/policy-routes.js';
import { policyResult } from '../src/api/schemas/policy-records.js';
import { balancesRecord } from '../src/api/schemas/wallet-records.js';
import type { Client } from './client.js';
import { ADDRESS, DEFAULT_POLICY, historyRecord, listed, RECIPIENT, SIGNATURE, USDC } from './default-script.js';
import { FACTS, UNRESOLVED } from './published-facts.js';
import { World } from './world.js';

let world: World;
let client: Client;
beforeAll(async () => {
  world = await World.open();
  ({ client } = await world.login());
});
beforeEach(() => world.reset());
afterAll(() => world.close());

const READS = ['/wallets/me/balances', '/wallets/me/history', '/wallets/me/policy', '/wallets/me/policy/usage'];

describe('GET /wallets/me/balances', () => {
  it('answers as the specification says, exactly, with null where no price is known', async () => {
    const answer = await client.get('/wallets/me/balances');
    expect(answer.body).toEqual({
      status: true,
      statusCode: 200,
      message: expect.any(String),
      data: {
        chainAddress: ADDRESS,
        sol: { balance: 1.500000001, amountRaw: '1500000001', decimals: 9, usdValue: 225 },
        tokens: [
          {
            ...{ mint: USDC, symbol: 'USDC', balance: 64.1, amountRaw: '64100000', decimals: 6, usdValue: 64.1 },
            ...{ liquidity: null, scaled: false },
          },
          {
            mint: RECIPIENT,
            symbol: 'ODD',
            balance: 18446744073709552000,
            amountRaw: '18446744073709551615',
            decimals: 0,
            usdValue: null,
            ...{ liquidity: null, scaled: false },
          },
        ],
        totalUsdValue: 289.1,
        pricedAt: '2025-11-21T10:00:00.000Z',
      },
    });
    expect(answer.text).toContain('"balance":18446744073709551615');
    expect(balancesRecord.safeParse(answer.body.data).success).toBe(true);
  });
});

describe('GET /wallets/me/history', () => {
  it('answers a page', async () => {
    const asked: object[] = [];
    const id = newId();
    world.script.history.listTransactions = async (request) => {
      asked.push(request);
      return { ...listed([historyRecord(id)], 12n), hasMore: true, nextCursor: 'next' };
    };
    const answer = await client.get('/wallets/me/history?limit=1&offset=10&action=transfer');
    expect(answer.body.data).toEqual({
      transactions: [
        {
          id,
          action: 'transfer',
          asset: 'USDC',
          mint: USDC,
          decimals: 6,
          amount: 64.1,
          amountRaw: '64100000',
          to: RECIPIENT,
          signature: SIGNATURE,
          explorerUrl: expect.stringContaining(SIGNATURE),
          valueUsd: 64.09359,
          status: 'confirmed',
          metadata: {
            amountSent: 64.1,
            amountSentRaw: '64100000',
            fee: 0,
            feeRaw: '0',
            feeMode: 'added',
            rentLamports: 0,
            sponsored: false,
            memo: 'rent',
            networkFeeLamports: 5000,
            ...{ error: null, errorMessage: null },
          },
          createdAt: '2025-11-21T10:00:00.000Z',
          updatedAt: '2025-11-21T10:00:01.000Z',
        },
      ],
      pagination: { total: 12, totalIsExact: true, limit: 1, offset: 10, hasMore: true },
      nextCursor: 'next',
    });
    expect(asked[0]).toMatchObject({ limit: 1, offset: 10, action: 'transfer' });
    expect(transactionRecord.safeParse(answer.body.data.transactions[0]).success).toBe(true);
    await client.get('/wallets/me/history');
    expect(asked[1]).toMatchObject({ limit: 50, offset: 0, action: '' });
  });

  it('says when there is no more, and shows a record without amount and recipient', async () => {
    const bare = {
      ...historyRecord(newId()),
      action: 'policy_update',
      asset: '',
      amount: undefined,
      to: '',
      signature: '',
    };
    world.script.history.listTransactions = async () => listed([bare]);
    const { data } = (await client.get('/wallets/me/history')).body;
    expect(data.pagination.hasMore).toBe(false);
    expect(data.transactions[0]).toMatchObject({ asset: null, amount: null, amountRaw: null, signature: null });
    expect(data.transactions[0]).not.toHaveProperty('to');
  });

  it.each([
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=x', 'limit'],
    ['limit=1.5', 'limit'],
    ['limit=1&limit=2', 'limit'],
    ['limit=', 'limit'],
    ['offset=-1', 'offset'],
    ['action=theft', 'action'],
    ['page=2', 'page'],
    ['__proto__=1', '__proto__'],
    ['constructor=1', 'constructor'],
  ])('refuses ?%s', async (query, field) => {
    const answer = await client.get(`/wallets/me/history?${query}`);
    expect(answer.status).toBe(400);
    expect(answer.body.data).toMatchObject({ code: 'VALIDATION_ERROR', details: [{ field }] });
  });

  it.each(HISTORY_ACTIONS)('takes ?action=%s', async (action) => {
    const asked: object[] = [];
    world.script.history.listTransactions = async (request) => {
      asked.push(request);
      return listed([{ ...historyRecord(newId()), action, facts: FACTS[action] }]);
    };
    const { body } = await client.get(`/wallets/me/history?action=${action}`);
    expect(asked).toMatchObject([{ action }]);
    expect(body.data.transactions[0].action).toBe(action);
    expect(transactionRecord.safeParse(body.data.transactions[0]).error).toBeUndefined();
  });

  it.each(['transfer', 'trade'] as const)('shows null for what is not known yet of a %s', async (action) => {
    const { amount: _, ...record } = historyRecord(newId(), 'pending');
    world.script.history.listTransactions = async () => listed([{ ...record, action, facts: UNRESOLVED[action] }]);
    const [shown] = (await client.get('/wallets/me/history')).body.data.transactions;
    expect(transactionRecord.safeParse(shown).error).toBeUndefined();
    expect(shown).toMatchObject({ mint: null, amount: null });
    const unknown = { transfer: { amountSent: null, fee: null }, trade: { inputAmount: null, outputAmountRaw: null } };
    expect(shown.metadata).toMatchObject(unknown[action]);
  });

  it('takes both ends of the limit', async () => {
    for (const limit of [1, 100]) expect((await client.get(`/wallets/me/history?limit=${limit}`)).status).toBe(200);
  });

  it('answers one record, and 404 for what is none', async () => {
    for (const id of [newId(), 'nonsense', '%00', 'x'.repeat(300)]) {
      const answer = await client.get(`/wallets/me/history/${id}`);
      expect([answer.status, answer.body.data.code]).toEqual([404, 'NOT_FOUND']);
    }
  });
});

describe('the policy', () => {
  const SHOWN = {
    maxSingleTransactionInUsd: 100,
    dailyLimitInUsd: 500,
    allowedRecipients: [],
    allowTrading: true,
    allowLiquidityProvision: true,
    allowPredictionMarkets: true,
    sessionExpirationHours: 168,
    newRecipients: 'allow',
    newRecipientCoolDownHours: 0,
    approveAboveInUsd: null,
    allowedTokens: null,
    allowedMarkets: null,
  };

  it('is read', async () => {
    const answer = await client.get('/wallets/me/policy');
    expect(answer.body.data).toEqual({
      ...{ policy: SHOWN, claimed: false, version: 1, approvalLifetimeHours: 24 },
      ...{ maxTradeLossPercent: null, unpricedTokens: [], allowMailLogin: true, warnings: [] },
    });
    expect(policyResult.safeParse(answer.body.data).error).toBeUndefined();
  });

  it('is read with the fields for the owner alone, and with its warnings', async () => {
    const newRecipients = policyV1.NewRecipients.NEW_RECIPIENTS_DENY;
    const policy = { ...DEFAULT_POLICY, newRecipients, maxTradeLossBps: 1_250, unpricedTokens: [RECIPIENT] };
    world.script.policy.getPolicy = async () => ({ policy });
    const { data } = (await client.get('/wallets/me/policy')).body;
    expect(data).toMatchObject({
      ...{ maxTradeLossPercent: 12.5, unpricedTokens: [RECIPIENT] },
      warnings: [{ code: 'recipients_do_not_limit_trades' }, { code: 'recipients_do_not_limit_bets' }],
    });
  });

  it('is changed in the fields that are sent, exactly', async () => {
    const asked: policyV1.UpdatePolicyRequest[] = [];
    world.script.policy.updatePolicy = async (request) => {
      asked.push(request);
      return { policy: { ...DEFAULT_POLICY, dailyLimitUsdMicros: 1_000_000_000_000_000n } };
    };
    const answer = await client.patch('/wallets/me/policy', {
      maxSingleTransactionInUsd: 0.000001,
      dailyLimitInUsd: 1e9,
      allowedRecipients: [RECIPIENT],
      allowTrading: false,
      sessionExpirationHours: 8760,
    });
    expect(answer.body).toMatchObject({ status: true, statusCode: 200, data: { policy: { dailyLimitInUsd: 1e9 } } });
    const { agentId: _, ...change } = asked[0]!;
    expect(change).toEqual({
      maxSingleTransactionUsdMicros: 1n,
      dailyLimitUsdMicros: 1_000_000_000_000_000n,
      allowedRecipients: { entries: [RECIPIENT] },
      allowTrading: false,
      allowLiquidityProvision: undefined,
      allowPredictionMarkets: undefined,
      sessionExpirationHours: 8760,
    });
    await client.patch('/wallets/me/policy', { allowedRecipients: [] });
    expect(asked[1]?.allowedRecipients).toEqual({ entries: [] });
  });

  it('sets and clears what an owner must approve', async () => {
    const asked: policyV1.UpdatePolicyRequest[] = [];
    world.script.policy.updatePolicy = async (request) => {
      asked.push(request);
      const newRecipients = policyV1.NewRecipients.NEW_RECIPIENTS_DENY;
      return { policy: { ...DEFAULT_POLICY, newRecipients, approveAboveUsdMicros: 25_500_001n } };
    };
    const fields = { newRecipients: 'deny', newRecipientCoolDownHours: 168, approveAboveInUsd: 25.500001 };
    const answer = await client.patch('/wallets/me/policy', fields);
    expect(answer.body.data.policy).toMatchObject({ newRecipients: 'deny', approveAboveInUsd: 25.500001 });
    await client.patch('/wallets/me/policy', { approveAboveInUsd: null, newRecipientCoolDownHours: 0 });
    await client.patch('/wallets/me/policy', { allowTrading: false });
    const { NEW_RECIPIENTS_DENY } = policyV1.NewRecipients;
    expect(asked.map(({ newRecipients, approveAbove }) => [newRecipients, approveAbove])).toEqual([
      [NEW_RECIPIENTS_DENY, { usdMicros: 25_500_001n }],
      [undefined, { usdMicros: undefined }],
      [undefined, undefined],
    ]);
    expect(asked.map(({ newRecipientCoolDownHours }) => newRecipientCoolDownHours)).toEqual([168, 0, undefined]);
  });

  it('sets, empties and clears what may be acquired', async () => {
    const asked: policyV1.UpdatePolicyRequest[] = [];
    world.script.policy.updatePolicy = async (request) => {
      asked.push(request);
      return { policy: { ...DEFAULT_POLICY, allowedTokens: { entries: [] }, allowedMarkets: { entries: ['KX'] } } };
    };
    const answer = await client.patch('/wallets/me/policy', { allowedTokens: [], allowedMarkets: ['KX', 'KXA-1'] });
    expect(answer.body.data.policy).toMatchObject({ allowedTokens: [], allowedMarkets: ['KX'] });
    await client.patch('/wallets/me/policy', { allowedTokens: null, allowTrading: false });
    expect(asked.map(({ allowedTokens, allowedMarkets }) => [allowedTokens, allowedMarkets])).toEqual([
      [{ list: { entries: [] } }, { list: { entries: ['KX', 'KXA-1'] } }],
      [{ list: undefined }, undefined],
    ]);
  });

  it('is not loosened without the owner, and each field that the change loosens is named', async () => {
    const loosens = [{ field: 'dailyLimitInUsd', before: '500', after: '600' }];
    world.script.policy.updatePolicy = () => {
      throw new AppError('POLICY_LOOSENING_NEEDS_OWNER', { data: { loosens, suggestion: 'Propose the change.' } });
    };
    const answer = await client.patch('/wallets/me/policy', { dailyLimitInUsd: 600 });
    expect(answer.body).toMatchObject({
      status: false,
      statusCode: 403,
      data: { code: 'POLICY_LOOSENING_NEEDS_OWNER', loosens, suggestion: 'Propose the change.', retry: 'never' },
    });
  });

  it('is not changed by nothing', async () => {
    world.script.policy.updatePolicy = () => {
      throw new AppError('INTERNAL_ERROR');
    };
    expect((await client.patch('/wallets/me/policy', {})).body.data).toMatchObject({ policy: SHOWN, warnings: [] });
  });

  it.each([
    ['{"maxSingleTransactionInUsd":0}', 'maxSingleTransactionInUsd'],
    ['{"maxSingleTransactionInUsd":-1}', 'maxSingleTransactionInUsd'],
    ['{"maxSingleTransactionInUsd":"100"}', 'maxSingleTransactionInUsd'],
    ['{"maxSingleTransactionInUsd":null}', 'maxSingleTransactionInUsd'],
    ['{"dailyLimitInUsd":1000000000.000001}', 'dailyLimitInUsd'],
    ['{"maxTradeLossPercent":5}', 'maxTradeLossPercent'],
    ['{"approveAboveInUsd":0}', 'approveAboveInUsd'],
    ['{"approveAboveInUsd":0.0000001}', 'approveAboveInUsd'],
    ['{"approveAboveInUsd":"5"}', 'approveAboveInUsd'],
    ['{"allowedTokens":["SOL"]}', 'allowedTokens.0'],
    [`{"allowedTokens":["${RECIPIENT}","${RECIPIENT}"]}`, 'allowedTokens'],
    ['{"allowedTokens":"all"}', 'allowedTokens'],
    ['{"allowedMarkets":["KX-"]}', 'allowedMarkets.0'],
    ['{"allowedMarkets":["KX","KX"]}', 'allowedMarkets'],
    [JSON.stringify({ allowedMarkets: Array.from({ length: 101 }, (_, n) => `KX${n}`) }), 'allowedMarkets'],
    ['{"newRecipients":"ask"}', 'newRecipients'],
    ['{"newRecipients":null}', 'newRecipients'],
    ['{"newRecipientCoolDownHours":169}', 'newRecipientCoolDownHours'],
    ['{"newRecipientCoolDownHours":0.5}', 'newRecipientCoolDownHours'],
    ['{"dailyLimitInUsd":0.0000001}', 'dailyLimitInUsd'],
    ['{"dailyLimitInUsd":1e400}', 'dailyLimitInUsd'],
    ['{"allowedRecipients":"all"}', 'allowedRecipients'],
    ['{"allowedRecipients":["x"]}', 'allowedRecipients.0'],
    [`{"allowedRecipients":["${RECIPIENT}","${RECIPIENT}"]}`, 'allowedRecipients'],
    [
      JSON.stringify({
        allowedRecipients: Array.from(
          { length: 501 },
          (_, n) => RECIPIENT.slice(0, -3) + `${n + 111}`.replaceAll('0', 'z'),
        ),
      }),
      'allowedRecipients',
    ],
    ['{"allowTrading":"true"}', 'allowTrading'],
    ['{"allowPredictionMarkets":1}', 'allowPredictionMarkets'],
    ['{"sessionExpirationHours":0}', 'sessionExpirationHours'],
    ['{"sessionExpirationHours":8761}', 'sessionExpirationHours'],
    ['{"sessionExpirationHours":1.5}', 'sessionExpirationHours'],
    ['{"dailyLimit":5}', 'dailyLimit'],
    ['[]', 'body'],
    ['null', 'body'],
    ['7', 'body'],
  ])('refuses %s', async (raw, field) => {
    const answer = await client.call('PATCH', '/wallets/me/policy', { raw });
    expect(answer.status).toBe(400);
    expect(answer.body.data).toMatchObject({ code: 'VALIDATION_ERROR', details: [{ field }] });
  });

  it('wait for a service that is just coming back', async () => {
    expect((await client.get('/wallets/me/policy')).status).toBe(200);
    await world.services.policy.kill();
    const reading = client.get('/wallets/me/policy');
    await world.services.policy.restart();
    expect((await reading).status).toBe(200);
    expect((await client.get('/wallets/me/policy/usage')).status).toBe(200);
  });

  it('shows its usage', async () => {
    const answer = await client.get('/wallets/me/policy/usage');
    expect(answer.body.data).toEqual({
      usedUsd: 64.1,
      settledUsd: 64.1,
      reservedUsd: 0,
      remainingTodayUsd: 435.9,
      maxAllowedNowUsd: 100,
      windowStartsAt: '2025-11-20T10:00:00.000Z',
      resetsAt: '2025-11-21T10:00:00.000Z',
      grant: null,
    });
    expect(usageRoute.response.safeParse(answer.body.data).success).toBe(true);
    const { getUsage } = world.script.policy;
    world.script.policy.getUsage = async (request) => ({
      ...(await getUsage(request)),
      resetsAtMs: 0n,
    });
    expect((await client.get('/wallets/me/policy/usage')).body.data.resetsAt).toBeNull();
  });
});

describe('reads behind which something is wrong', () => {
  it.each(READS)('%s answers an error of the catalogue', async (path) => {
    const fail = () => {
      throw new AppError('UPSTREAM_TIMEOUT', { message: 'node 10.0.0.7 said no' });
    };
    world.script.wallet.getBalances = fail;
    world.script.history.listTransactions = fail;
    world.script.policy.getPolicy = fail;
    world.script.policy.getUsage = fail;
    const answer = await client.get(path);
    expect([answer.status, answer.body.data.code]).toEqual([504, 'UPSTREAM_TIMEOUT']);
    expect(answer.text).not.toContain('10.0.0.7');
  });

  it.each(READS)('%s answers 503 when the service is away', async (path) => {
    await Promise.all(Object.values(world.services).map((service) => service.kill()));
    const answer = await client.get(path);
    expect([answer.status, answer.body.data.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
  });

  it.each(READS)('%s needs a token', async (path) => {
    const answer = await world.client.get(path);
    expect([answer.status, answer.body.data.code]).toEqual([401, 'AUTHENTICATION_ERROR']);
  });
});
