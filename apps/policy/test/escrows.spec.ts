import { type intentV1, policyV1 } from '@agent-wallet/contracts';
import { MAX_BASE_UNITS, newId } from '@agent-wallet/kernel';
import { associatedTokenAddress, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '@agent-wallet/solana';
import { eventually } from '@agent-wallet/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { USDC } from './policy-peers.js';
import { passBound, permittedEscrow, permittedPayout, settle } from './permitted-transfer.js';
import { PolicyUnderTest } from './policy-under-test.js';
import {
  authorization,
  escrowIntent,
  MOVES_A_DAY,
  newWallet,
  payoutIntent,
  type PolicyClient,
  SPONSOR,
  sponsored,
  TREASURY,
  transferIntent,
} from './service.js';

const { OUTCOME_OPEN, OUTCOME_SETTLED, OUTCOME_FAILED, OUTCOME_EXPIRED } = policyV1.Outcome;
const own = newWallet();
const { address } = own;
const stranger = newWallet().address;

/** What an escrow of one USDC pays for. */
const ORDER: intentV1.EscrowOrder = {
  ...{ ticker: 'KXHIGHNY-26NOV24-T50', side: 'yes', count: 200n },
  ...{ maxPriceUsdMicros: 480_000n, maxCostUsdMicros: 1_000_000n },
};

let policy: PolicyUnderTest;
let wallet: PolicyClient;

beforeAll(async () => {
  policy = await PolicyUnderTest.start();
  wallet = policy.wallet;
  policy.world.prices.set(USDC, { usd: '1.0000001', decimals: 6 });
});
afterAll(() => policy.stop());
beforeEach(() => policy.newAgent());

const check = (intent: intentV1.Intent) => wallet.dryRunAuthorize({ agentId: policy.agentId, intent });
const authorize = (intent: intentV1.Intent, change: Partial<policyV1.AuthorizeRequest> = {}) =>
  wallet.authorize({ ...authorization(policy.agentId, intent).request, ...change });

describe('an escrow', () => {
  it('counts what its USDC are worth, rounded up', async () => {
    expect(await check(escrowIntent(address))).toMatchObject({ allowed: true, valueUsdMicros: 1_000_001n });
    expect(await policy.reservedFor(escrowIntent(address))).toBe(1_000_001n);
    expect(await policy.reservedFor(escrowIntent(address, { amount: 10_000_000n }))).toBe(10_000_001n);
    expect(await policy.usage()).toEqual({ used: 0n, reserved: 11_000_002n });
  });

  it('of the largest u64 is above every limit', async () => {
    const amount = MAX_BASE_UNITS;
    const intent = escrowIntent(address, { amount, order: { ...ORDER, maxCostUsdMicros: amount } });
    expect(await check(intent)).toMatchObject({ allowed: false, rule: 'single_transaction_limit' });
    await expect(authorize(intent)).rejects.toMatchObject({ data: { rule: 'single_transaction_limit' } });
  });

  it('is for a market that is listed by its ticker or a beginning of it', async () => {
    await policy.change({ allowedMarkets: { list: { entries: ['KXHIGHNY'] } } });
    const rule = 'market_not_allowed';
    const intent = escrowIntent(address, { order: { ...ORDER, ticker: 'KXHIGHNYC-26NOV24' } });
    expect(await check(intent)).toMatchObject({ allowed: false, rule });
    await expect(authorize(intent)).rejects.toMatchObject({ code: 'POLICY_VIOLATION', data: { rule } });
    expect(await policy.reservedFor(escrowIntent(address, { order: ORDER }))).toBe(1_000_001n);
  });

  it('must name its order', async () => {
    const details = [{ field: 'intent.escrow.order' }];
    const check = authorize(escrowIntent(address, { order: undefined }));
    await expect(check).rejects.toMatchObject({ code: 'VALIDATION_ERROR', details });
  });

  it.each<[keyof intentV1.EscrowOrder, Partial<intentV1.EscrowOrder>]>([
    ['ticker', { ticker: '' }],
    ['side', { side: 'maybe' }],
    ['side', { side: '' }],
    ['count', { count: 0n }],
    ['maxPriceUsdMicros', { maxPriceUsdMicros: 0n }],
    ['maxCostUsdMicros', { maxCostUsdMicros: 999_999n }],
    ['maxCostUsdMicros', { maxCostUsdMicros: 1_000_001n }],
  ])('whose order has another %s than makes sense is refused', async (name, change) => {
    const intent = escrowIntent(address, { order: { ...ORDER, ...change } });
    const field = `intent.escrow.order.${name}`;
    await expect(check(intent)).rejects.toMatchObject({ code: 'VALIDATION_ERROR', details: [{ field }] });
  });

  it('is refused by the switch with its name, and by the limits with their figures', async () => {
    await policy.change({ allowPredictionMarkets: false });
    await expect(authorize(escrowIntent(address))).rejects.toMatchObject({
      code: 'POLICY_VIOLATION',
      data: { rule: 'prediction_markets_disabled', suggestion: 'Ask the owner to switch on allowPredictionMarkets.' },
    });
    expect(await check(escrowIntent(address))).toMatchObject({ allowed: false, rule: 'prediction_markets_disabled' });
    await policy.change({ allowPredictionMarkets: true, maxSingleTransactionUsdMicros: 1_000_001n });
    await expect(authorize(escrowIntent(address, { amount: 1_000_001n }))).rejects.toMatchObject({
      code: 'POLICY_VIOLATION',
      data: { rule: 'single_transaction_limit', requestedUsdMicros: '1000002', limitUsdMicros: '1000001' },
    });
    expect(await policy.reservedFor(escrowIntent(address))).toBe(1_000_001n);
  });

  it('goes to the treasury regardless of the allowed recipients, and may be sponsored', async () => {
    await policy.change({ allowedRecipients: { entries: [stranger] } });
    expect(await policy.reservedFor(sponsored(escrowIntent(address)))).toBe(1_000_001n);
    await expect(policy.reservedFor(transferIntent(address))).rejects.toMatchObject({ code: 'POLICY_VIOLATION' });
  });

  it('is the first step of its operation', async () => {
    const error = { code: 'VALIDATION_ERROR', details: [{ field: 'step' }] };
    await expect(authorize(escrowIntent(address), { step: 2 })).rejects.toMatchObject(error);
  });
});

describe('a payout', () => {
  it('takes nothing of any limit, and is any step', async () => {
    await policy.change({ maxSingleTransactionUsdMicros: 1n, dailyLimitUsdMicros: 1n, allowPredictionMarkets: false });
    for (const step of [1, 2, 3, 7]) {
      expect(await authorize(payoutIntent(address), { step })).toMatchObject({ reservedUsdMicros: 0n });
    }
    expect(await check(payoutIntent(address))).toMatchObject({ allowed: true, valueUsdMicros: 0n });
    expect(await policy.usage()).toEqual({ used: 0n, reserved: 0n });
  });

  it('needs no price', async () => {
    policy.world.pricesAreAway = true;
    try {
      expect(await authorize(payoutIntent(address))).toMatchObject({ reservedUsdMicros: 0n });
    } finally {
      policy.world.pricesAreAway = false;
    }
  });

  it('beyond what the deployment pays in a day is none of the agent’s doing', async () => {
    const all = payoutIntent(address, { amount: 100_000_000_001n });
    const error = { code: 'SERVICE_UNAVAILABLE', data: { reason: 'treasury_daily_limit' } };
    await expect(authorize(all)).rejects.toMatchObject(error);
    await expect(check(all)).rejects.toMatchObject(error);
  });

  it('beyond the moves of a day is refused, as a buy is, and a refund is not', async () => {
    const buy = escrowIntent(address, { amount: 10_000n });
    const { request } = authorization(policy.agentId, buy);
    await wallet.authorize(request);
    for (let n = 1; n < MOVES_A_DAY; n += 1) await authorize(n % 2 === 0 ? buy : payoutIntent(address));
    const rule = 'treasury_moves_per_day';
    const suggestion = expect.stringMatching(/^Try again later: each one counts for 24 hours\./);
    for (const refused of [buy, payoutIntent(address)]) {
      const error = { code: 'POLICY_VIOLATION', data: { rule, suggestion } };
      await expect(authorize(refused)).rejects.toMatchObject(error);
      expect(await check(refused)).toMatchObject({ allowed: false, rule });
    }
    const refund = payoutIntent(address, { amount: 10_000n });
    expect(await authorize(refund, { operationId: request.operationId, step: 3 })).toMatchObject({ permit: {} });
  });

  it('beyond the escrow of its operation is a conflict', async () => {
    const { request } = authorization(policy.agentId, escrowIntent(address));
    await wallet.authorize(request);
    const { operationId } = request;
    const tooMuch = authorize(payoutIntent(address, { amount: 1_000_001n }), { operationId, step: 3 });
    await expect(tooMuch).rejects.toMatchObject({ code: 'PERMIT_CONFLICT', data: { reason: 'payout_beyond_escrow' } });
    expect(await authorize(payoutIntent(address), { operationId, step: 3 })).toMatchObject({ reservedUsdMicros: 0n });
  });

  it('is refused to a frozen agent', async () => {
    const ops = await policy.service.as('ops');
    const order = { agentId: policy.agentId, operator: 'test', reason: 'a test' };
    await ops.setFreeze({ ...order, frozen: true });
    await expect(authorize(payoutIntent(address))).rejects.toMatchObject({ data: { rule: 'frozen' } });
    const spending = policyV1.Spending.SPENDING_SELF;
    const checked = wallet.checkSpending({ agentId: policy.agentId, spending });
    await expect(checked).rejects.toMatchObject({ data: { rule: 'frozen' } });
  });
});

describe('a caller that lies', () => {
  const lies: ReadonlyArray<readonly [string, Partial<intentV1.Escrow>, string]> = [
    ['the treasury', { treasury: stranger }, 'treasury'],
    ['the treasury, being none', { treasury: '' }, 'treasury'],
    ['the treasury, being the sponsor', { treasury: SPONSOR.address }, 'treasury'],
    ['the mint', { mint: stranger }, 'mint'],
    ['the mint, being the native coin', { mint: '', tokenProgram: '', decimals: 9 }, 'mint'],
    ['the program', { tokenProgram: TOKEN_2022_PROGRAM }, 'tokenProgram'],
    ['the decimals', { decimals: 5 }, 'decimals'],
    ['the amount, being nothing', { amount: 0n }, 'amount'],
  ];

  it.each(lies)('about %s is refused by name', async (_, change, field) => {
    const { request } = authorization(policy.agentId, transferIntent(address));
    const intents = { escrow: escrowIntent(address, change), payout: payoutIntent(address, change) };
    for (const [name, intent] of Object.entries(intents)) {
      const error = { code: 'VALIDATION_ERROR', details: [{ field: `intent.${name}.${field}` }] };
      await expect(wallet.authorize({ ...request, intent })).rejects.toMatchObject(error);
      await expect(check(intent)).rejects.toMatchObject(error);
    }
  });

  it.each([escrowIntent(TREASURY.address), payoutIntent(TREASURY.address)])(
    'about whose the treasury is, is refused: %#',
    async (intent) => {
      const { request } = authorization(policy.agentId, transferIntent(address));
      const error = { code: 'VALIDATION_ERROR', details: [{ field: `intent.${intent.action!.$case}.treasury` }] };
      await expect(wallet.authorize({ ...request, intent })).rejects.toMatchObject(error);
    },
  );

  it('about who pays for a payout is refused', async () => {
    const { request } = authorization(policy.agentId, payoutIntent(address));
    const error = { code: 'VALIDATION_ERROR', details: [{ field: 'intent.sponsor' }] };
    const intent = sponsored(payoutIntent(address));
    await expect(wallet.authorize({ ...request, intent })).rejects.toMatchObject(error);
    await expect(wallet.authorize({ ...request, intent: payoutIntent('nobody') })).rejects.toMatchObject({
      details: [{ field: 'intent.wallet' }],
    });
  });
});

describe('what an escrow counts', () => {
  const spent = (used: bigint) => ({ used, reserved: 0n });

  /** An escrow of one dollar that has landed. */
  async function landedEscrow(): Promise<string> {
    const { request, message, signature, shown } = await permittedEscrow(policy, own);
    policy.world.land(message, signature, { commitment: 'confirmed' });
    expect(await settle(policy, shown)).toBe(OUTCOME_SETTLED);
    expect(await policy.usage()).toEqual(spent(1_000_001n));
    return request.operationId;
  }

  it('is less once a payout of its operation is final, and not before', async () => {
    const operationId = await landedEscrow();
    const intent = payoutIntent(address, { amount: 400_000n, createsRecipientAccount: true });
    const { message, signature, shown } = await permittedPayout(policy, intent, operationId);
    expect(await settle(policy, shown)).toBe(OUTCOME_OPEN);
    policy.world.land(message, signature, { commitment: 'confirmed' });
    expect(await settle(policy, shown)).toBe(OUTCOME_OPEN);
    expect(await policy.usage()).toEqual(spent(1_000_001n));
    policy.world.land(message, signature);
    expect(await settle(policy, shown)).toBe(OUTCOME_SETTLED);
    expect(await policy.usage()).toEqual(spent(600_001n));
  });

  it.each([
    ['failed', { failed: true }, OUTCOME_FAILED],
    ['never landed', undefined, OUTCOME_EXPIRED],
  ] as const)('stays when its payout %s', async (_, landed, outcome) => {
    const operationId = await landedEscrow();
    const { message, signature, shown } = await permittedPayout(policy, payoutIntent(address), operationId);
    if (landed) policy.world.land(message, signature, landed);
    else passBound(policy.world);
    await eventually(async () => (await settle(policy, shown)) === outcome);
    expect(await policy.usage()).toEqual(spent(1_000_001n));
  });

  it('is less by a payout whose signature was never reported: it is searched for at the recipient', async () => {
    const operationId = await landedEscrow();
    const payout = await permittedPayout(policy, payoutIntent(address), operationId);
    policy.world.land(payout.message, payout.signature);
    passBound(policy.world);
    await eventually(async () => (await settle(policy, payout.unsigned)) === OUTCOME_SETTLED);
    expect(policy.world.asked).toContain(
      associatedTokenAddress({ owner: address, mint: USDC, tokenProgram: TOKEN_PROGRAM }),
    );
    expect(policy.world.asked).not.toContain(TREASURY.address);
    expect(await policy.usage()).toEqual(spent(0n));
  });

  it('stays when the payout is of no operation with an escrow', async () => {
    await landedEscrow();
    const { message, signature, shown } = await permittedPayout(policy, payoutIntent(address), newId());
    policy.world.land(message, signature);
    expect(await settle(policy, shown)).toBe(OUTCOME_SETTLED);
    expect(await policy.usage()).toEqual(spent(1_000_001n));
  });
});
