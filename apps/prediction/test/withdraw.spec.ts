import { formatAmount, retryOf } from '@agent-wallet/kernel';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { endOf, owedTo } from './saga-checks.js';
import { Withdraw } from '../src/application/withdraw/withdraw.js';
import { type Copy, logger, MIN_WITHDRAWAL_USD_MICROS, SagaWorld } from './saga-world.js';
import type { CallMood } from './scripted-wallet.js';

let world: SagaWorld;

beforeAll(async () => {
  world = await SagaWorld.open();
});

beforeEach(() => world.calm());

afterEach(() => world.stopCopies());

afterAll(() => world.close());

/** An agent with a prediction balance: a refund that could not be sent. */
async function creditor(): Promise<{ agent: string; owed: bigint }> {
  const agent = world.agent();
  world.exchange.partial = 0n;
  world.wallet.next('payout', 'ends:POLICY_VIOLATION');
  await world.copy().buy.execute(world.buyCall(agent));
  world.calm();
  return { agent, owed: await owedTo(world, agent) };
}

async function withdraw(copy: Copy, agent: string, amount: bigint) {
  const call = world.withdrawCall(agent, amount);
  return { call, ...(await endOf(() => copy.withdraw.execute(call))) };
}

describe('a withdrawal', () => {
  it('of 1.13 pays exactly 1.13', async () => {
    const { agent, owed } = await creditor();
    const funds = world.wallet.fundsOf(agent);
    const { call, answer } = await withdraw(world.copy(), agent, 1_130_000n);
    expect(answer).toMatchObject({ isConfirmed: true, newBalanceUsdMicros: owed - 1_130_000n });
    expect(world.wallet.fundsOf(agent) - funds).toBe(1_130_000n);
    expect(world.wallet.landed(call.operationId, 1)).toHaveLength(1);
    await world.audit();
  });

  it('that is done does not fail when the balance cannot be read: a repeat returns it', async () => {
    const { agent, owed } = await creditor();
    const { engine, sagas, withdraw: whole } = world.copy();
    const ledger = { balanceOf: () => Promise.reject(new Error('the database is away')) };
    const call = world.withdrawCall(agent, 1_000_000n);
    const answer = await new Withdraw(sagas.withdrawals, engine, ledger, logger).execute(call);
    expect(answer).toMatchObject({ isConfirmed: false, signature: expect.stringMatching(/./) });
    expect(await whole.execute(call)).toMatchObject({ isConfirmed: true, newBalanceUsdMicros: owed - 1_000_000n });
  });

  it('of twenty at the same time never pays more than the balance', async () => {
    const { agent, owed } = await creditor();
    const funds = world.wallet.fundsOf(agent);
    const copies = [world.copy(), world.copy()];
    const ends = await Promise.all(Array.from({ length: 20 }, (_, i) => withdraw(copies[i % 2]!, agent, 1_000_000n)));
    const paid = BigInt(ends.filter(({ answer }) => answer).length);
    expect(paid).toBe(owed / 1_000_000n);
    expect(world.wallet.fundsOf(agent) - funds).toBe(paid * 1_000_000n);
    for (const { error } of ends.filter(({ answer }) => !answer)) {
      const data = { asset: 'USDC', availableRaw: (owed - paid * 1_000_000n).toString(), neededRaw: '1000000' };
      expect(error).toMatchObject({ code: 'INSUFFICIENT_FUNDS', data });
    }
    await world.audit();
  });

  it.each([0n, -10_000n, 1n, 1_130_001n, 10n ** 16n])('of %s micro-dollars is none', async (amount) => {
    const { withdraw: use } = world.copy();
    await expect(use.execute(world.withdrawCall(world.agent(), amount))).rejects.toMatchObject({
      details: [{ field: 'amountDollars' }],
    });
  });

  it('below the least one is refused, and the least one is paid', async () => {
    const { agent, owed } = await creditor();
    const { error } = await withdraw(world.copy(), agent, MIN_WITHDRAWAL_USD_MICROS - 10_000n);
    const reason = `must be at least 1, or the whole balance, ${formatAmount(owed - (owed % 10_000n), 6)}`;
    expect(error).toMatchObject({ code: 'VALIDATION_ERROR', details: [{ field: 'amountDollars', reason }] });
    expect(await owedTo(world, agent)).toBe(owed);
    expect((await withdraw(world.copy(), agent, MIN_WITHDRAWAL_USD_MICROS)).answer).toMatchObject({
      isConfirmed: true,
    });
    await world.audit();
  });

  it('of the whole balance is paid though it is less, and no smaller part of it is', async () => {
    const { agent, owed } = await creditor();
    await withdraw(world.copy(), agent, owed - (owed % 10_000n) - 500_000n);
    const funds = world.wallet.fundsOf(agent);
    const { error } = await withdraw(world.copy(), agent, 490_000n);
    const reason = 'must be the whole balance, 0.5, since that is less than 1';
    expect(error).toMatchObject({ code: 'VALIDATION_ERROR', details: [{ field: 'amountDollars', reason }] });
    expect((await withdraw(world.copy(), agent, 510_000n)).error?.code).toBe('INSUFFICIENT_FUNDS');
    expect((await withdraw(world.copy(), agent, 500_000n)).answer).toMatchObject({
      isConfirmed: true,
      newBalanceUsdMicros: owed % 10_000n,
    });
    expect(world.wallet.fundsOf(agent) - funds).toBe(500_000n);
    await world.audit();
  });

  it('that the treasury cannot pay is refused before anything moves', async () => {
    const { agent, owed } = await creditor();
    const { treasury } = world.wallet;
    world.wallet.treasury = 999_999n;
    const { error } = await withdraw(world.copy(), agent, 1_000_000n);
    world.wallet.treasury = treasury;
    expect(error?.code).toBe('SERVICE_UNAVAILABLE');
    expect(await owedTo(world, agent)).toBe(owed);
    await world.audit();
  });

  it('is rejected while the switch is off', async () => {
    const { agent, owed } = await creditor();
    world.isSwitchedOn = false;
    const { error } = await withdraw(world.copy(), agent, 1_000_000n);
    expect(error).toMatchObject({ code: 'POLICY_VIOLATION', data: { rule: 'prediction_markets_disabled' } });
    expect(await owedTo(world, agent)).toBe(owed);
  });

  const CALLS: Array<[CallMood[], string]> = [
    [['lost-after'], 'ok'],
    [['lost-before'], 'ok'],
    [['slow'], 'ok'],
    [['lost-after', 'away'], 'ok'],
    [['lost-before', 'away'], 'ok'],
    [['lost-before', 'away', 'lost-before', 'away', 'away'], 'ok'],
    [['away'], 'ok'],
    [['away', 'ends:SERVICE_UNAVAILABLE'], 'SERVICE_UNAVAILABLE'],
    [['ends:TRANSACTION_EXPIRED'], 'TRANSACTION_EXPIRED'],
    [['ends:TRANSACTION_FAILED'], 'SERVICE_UNAVAILABLE'],
    [['ends:POLICY_VIOLATION'], 'POLICY_VIOLATION'],
    [['lost-before', 'ends:TRANSACTION_EXPIRED'], 'TRANSACTION_EXPIRED'],
  ];

  it.each(CALLS)('with the calls %j ends as %s', async (moods, expected) => {
    const { agent, owed } = await creditor();
    const funds = world.wallet.fundsOf(agent);
    world.wallet.next('payout', ...moods);
    const { call, answer, error } = await withdraw(world.copy(), agent, 1_000_000n);
    if (expected === 'ok') expect(answer).toMatchObject({ isConfirmed: true });
    else expect(error?.code).toBe(expected);
    const paid = expected === 'ok' ? 1_000_000n : 0n;
    expect(world.wallet.fundsOf(agent) - funds).toBe(paid);
    expect(await owedTo(world, agent)).toBe(owed - paid);
    expect(world.wallet.landed(call.operationId, 1)).toHaveLength(expected === 'ok' ? 1 : 0);
    await world.audit();
  });

  it('whose payout lands with an error may be repeated with a new key, and names no transaction', async () => {
    const { agent, owed } = await creditor();
    world.wallet.next('payout', 'ends:TRANSACTION_FAILED');
    const { error } = await withdraw(world.copy(), agent, 1_000_000n);
    expect(error).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(error!.data).toEqual({});
    expect(retryOf(error!.code, error!.data, true)).toBe('new_key');
    expect((await withdraw(world.copy(), agent, 1_000_000n)).answer).toMatchObject({ isConfirmed: true });
    expect(await owedTo(world, agent)).toBe(owed - 1_000_000n);
    await world.audit();
  });

  it('whose payout gets no response for long never starts, and the balance is whole again', async () => {
    const { agent, owed } = await creditor();
    world.wallet.next('payout', ...Array.from({ length: 400 }, () => 'lost-before' as const));
    setTimeout(() => world.wallet.moods.splice(0), 1_700);
    const { error } = await withdraw(world.copy(), agent, 1_000_000n);
    expect(error?.code).toBe('SERVICE_UNAVAILABLE');
    expect(await owedTo(world, agent)).toBe(owed);
    await world.audit();
  });
});
