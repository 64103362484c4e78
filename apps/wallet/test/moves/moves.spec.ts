import { eventually } from '@agent-wallet/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AppError, formatAmount, newId } from '@agent-wallet/kernel';
import { requiredSigners, signatureText } from '@agent-wallet/solana';
import { type Copy, MoveWorld, outcomeOf } from './world.js';

const RENT = 2_039_280n;
const FEE = 5_000n;

let world: MoveWorld;
let copy: Copy;

beforeAll(async () => {
  world = await MoveWorld.open();
});
beforeEach(() => {
  copy = world.copy();
});
afterEach(async () => {
  world.policy.refusal = undefined;
  world.policy.isUnsure = false;
  await world.sandbox.disarm();
  await world.stopCopies();
});
afterAll(() => world?.close());

describe('an escrow', () => {
  it('brings USDC of the wallet to the treasury, and the wallet pays the network', async () => {
    const agent = await world.agent({ SOL: 0.1, USDC: 20 });
    const before = await world.holds(world.treasury);
    const call = world.call(agent, { direction: 'escrow', amount: 7_250_001n });
    const { isConfirmed, signature, amount } = await copy.move.execute(call);
    expect([isConfirmed, amount]).toEqual([true, 7_250_001n]);
    expect(await world.treasurySince(before)).toEqual([7_250_001n, 0n]);
    expect(await world.holds(agent.address)).toEqual([12_749_999n, 100_000_000n - FEE]);
    const { attempt } = await world.record(call);
    expect(requiredSigners(attempt!.message)).toEqual([agent.address]);
    expect(attempt!.signature).toEqual(Buffer.from(signature!));
    expect(world.landings.has(signatureText(signature!), agent.address)).toBe(true);
  });

  it('names its order to policy, and is another move without it', async () => {
    const amount = 1_000_000n;
    const order = { ticker: 'KXA-1', side: 'no', count: 200n, maxPriceUsdMicros: 480_000n, maxCostUsdMicros: amount };
    const agent = await world.agent({ SOL: 0.1, USDC: 5 });
    const named = world.call(agent, { direction: 'escrow', amount, order });
    await copy.move.execute(named);
    expect((await world.record(named)).attempt!.intent.action).toMatchObject({ $case: 'escrow', value: { order } });
    expect(await copy.move.execute(named)).toMatchObject({ isConfirmed: true });
    const { order: _, ...unnamed } = named.request;
    const others = [
      { ...named.request, order: { ...order, ticker: 'KXB-1' } },
      { ...named.request, amount: 2n },
      unnamed,
    ];
    for (const request of others) {
      const other = copy.move.execute({ ...named, request });
      await expect(other).rejects.toMatchObject({ code: 'IDEMPOTENCY_MISMATCH' });
    }
    expect(await world.sandbox.raw(agent.address, 'USDC')).toBe(4_000_000n);
  });

  it('of an agent without SOL is paid for by the sponsor', async () => {
    const agent = await world.agent({ USDC: 5 });
    const [, before] = await world.holds(world.sponsor);
    const call = world.call(agent, { direction: 'escrow', amount: 5_000_000n });
    await copy.move.execute(call);
    expect(await world.holds(agent.address)).toEqual([0n, 0n]);
    expect((await world.holds(world.sponsor))[1]).toBe(before - 2n * FEE);
    expect(requiredSigners((await world.record(call)).attempt!.message)).toEqual([world.sponsor, agent.address]);
  });

  it('of more than the wallet holds fails, and nothing is signed', async () => {
    const agent = await world.agent({ SOL: 0.1, USDC: 1 });
    const signed = world.signer.signed.size;
    const call = world.call(agent, { direction: 'escrow', amount: 1_000_001n });
    await expect(copy.move.execute(call)).rejects.toMatchObject({
      code: 'INSUFFICIENT_FUNDS',
      data: { asset: 'USDC', missingRaw: '1', outcome: 'failed' },
    });
    expect(world.signer.signed.size).toBe(signed);
    await copy.move.execute(world.call(agent, { direction: 'escrow', amount: 1_000_000n }));
  });

  it('that policy refuses is rejected for good', async () => {
    const agent = await world.agent({ SOL: 0.1, USDC: 1 });
    world.policy.refusal = new AppError('POLICY_VIOLATION', { data: { rule: 'prediction_markets_disabled' } });
    const call = world.call(agent, { direction: 'escrow', amount: 1n });
    const refused = { code: 'POLICY_VIOLATION', data: { rule: 'prediction_markets_disabled', outcome: 'rejected' } };
    await expect(copy.move.execute(call)).rejects.toMatchObject(refused);
    world.policy.refusal = undefined;
    await expect(copy.move.execute(call)).rejects.toMatchObject(refused);
    expect(await world.holds(agent.address)).toEqual([1_000_000n, 100_000_000n]);
  });

  it('that an owner must approve ends at once, and a later attempt moves it', async () => {
    const agent = await world.agent({ SOL: 0.1, USDC: 1 });
    const data = { approvalId: newId(), expiresAtMs: 1_000, reasons: ['above_amount'] };
    world.policy.refusal = new AppError('APPROVAL_REQUIRED', { data });
    const call = world.call(agent, { direction: 'escrow', amount: 1n });
    const required = { code: 'APPROVAL_REQUIRED', data: { ...data, outcome: 'rejected' } };
    await expect(copy.move.execute(call)).rejects.toMatchObject(required);
    world.policy.refusal = undefined;
    await expect(copy.move.execute(call)).rejects.toMatchObject(required);
    const again = { ...call, request: { ...call.request, attempt: 2 } };
    expect(await copy.move.execute(again)).toMatchObject({ isConfirmed: true });
    expect(await world.holds(agent.address)).toEqual([999_999n, 100_000_000n - FEE]);
  });

  it('is refused by a service that has no treasury, or one that takes no USDC', async () => {
    const agent = await world.agent({ SOL: 0.1, USDC: 1 });
    for (const treasury of [undefined, world.signer.newKey()]) {
      const other = world.copy({ operator: { treasury } });
      const call = world.call(agent, { direction: 'escrow', amount: 1n });
      expect(await outcomeOf(other.move.execute(call))).toBe('SERVICE_UNAVAILABLE failed');
      await other.engine.stop();
    }
  });
});

describe('a payout', () => {
  it('brings USDC of the treasury to the wallet, signed and paid for by the treasury alone', async () => {
    const agent = await world.agent({ SOL: 0.1, USDC: 1 });
    const before = await world.holds(world.treasury);
    const call = world.call(agent, { direction: 'payout', amount: 1_130_000n, step: 3 });
    const { isConfirmed, signature } = await copy.move.execute(call);
    expect(isConfirmed).toBe(true);
    expect(await world.treasurySince(before)).toEqual([-1_130_000n, -FEE]);
    expect(await world.holds(agent.address)).toEqual([2_130_000n, 100_000_000n]);
    const { attempt } = await world.record(call);
    expect(requiredSigners(attempt!.message)).toEqual([world.treasury]);
    const landed = await world.chain.transaction(signatureText(signature!), 'confirmed');
    expect(landed).toMatchObject({ error: null, signatures: [signatureText(signature!)] });
  });

  it("makes the agent's account when it has none, and the treasury pays its rent", async () => {
    const agent = await world.agent({});
    const before = await world.holds(world.treasury);
    const call = world.call(agent, { direction: 'payout', amount: 1n });
    await copy.move.execute(call);
    expect(await world.holds(agent.address)).toEqual([1n, 0n]);
    expect(await world.treasurySince(before)).toEqual([-1n, -FEE - RENT]);
    await copy.move.execute(world.call(agent, { direction: 'payout', amount: 1n }));
    expect(await world.treasurySince(before)).toEqual([-2n, -2n * FEE - RENT]);
  });

  it('that the treasury cannot cover is refused before anything is signed', async () => {
    const agent = await world.agent({});
    const [usdc] = await world.holds(world.treasury);
    const signed = world.signer.signed.size;
    const call = world.call(agent, { direction: 'payout', amount: usdc + 1n });
    expect(await outcomeOf(copy.move.execute(call))).toBe('SERVICE_UNAVAILABLE failed');
    await expect(copy.dryRun.execute(agent.agentId, call.request)).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    });
    expect(world.signer.signed.size).toBe(signed);
    const { dryRun } = await copy.dryRun.execute(agent.agentId, { direction: 'payout', amount: usdc });
    expect(dryRun).toMatchObject({ networkFeeLamports: FEE, isSponsored: false, balanceChanges: [{ amount: usdc }] });
  });

  it('that the treasury lacks the lamports for is refused, too: to the lamport', async () => {
    const treasury = world.signer.newKey();
    await world.sandbox.faucet(treasury, 'USDC', 10);
    const poor = world.copy({ operator: { treasury } });
    const agent = await world.agent({});
    const minimum = await world.chain.rentExemptMinimumLamports(0);
    const enough = RENT + FEE + minimum;
    await world.sandbox.faucet(treasury, 'SOL', formatAmount(enough - 1n, 9));
    const call = world.call(agent, { direction: 'payout', amount: 1n });
    expect(await outcomeOf(poor.move.execute(call))).toBe('SERVICE_UNAVAILABLE failed');
    await world.sandbox.faucet(treasury, 'SOL', '0.000000001');
    expect(await outcomeOf(poor.move.execute(world.next(call)))).toBe('confirmed');
    expect(await world.sandbox.raw(agent.address, 'USDC')).toBe(1n);
    await poor.engine.stop();
  });
});

describe('a dry run of a move', () => {
  it('says what an escrow would come to, and leaves nothing behind', async () => {
    const agent = await world.agent({ SOL: 0.1, USDC: 20 });
    const { dryRun } = await copy.dryRun.execute(agent.agentId, { direction: 'escrow', amount: 20_000_000n });
    expect(dryRun).toMatchObject({ decision: { allowed: true }, networkFeeLamports: FEE, isSponsored: false });
    expect(dryRun.balanceChanges).toMatchObject([
      { symbol: 'USDC', amount: -20_000_000n },
      { symbol: 'SOL', amount: -FEE },
    ]);
    const more = copy.dryRun.execute(agent.agentId, { direction: 'escrow', amount: 20_000_001n });
    await expect(more).rejects.toMatchObject({ code: 'INSUFFICIENT_FUNDS' });
    const { rowCount } = await world.database.pool.query('select from operations where agent_id = $1', [agent.agentId]);
    expect(rowCount).toBe(0);
  });

  it('tells that the sponsor would pay for an agent without SOL', async () => {
    const agent = await world.agent({ USDC: 20 });
    const { dryRun } = await copy.dryRun.execute(agent.agentId, { direction: 'escrow', amount: 1n });
    expect(dryRun).toMatchObject({
      isSponsored: true,
      networkFeeLamports: 2n * FEE,
      balanceChanges: [{ amount: -1n }],
    });
  });
});

describe('the treasury', () => {
  it('is reported both as finalized blocks have it and as confirmed ones do', async () => {
    const agent = await world.agent({ SOL: 0.1, USDC: 10 });
    const reading = world.readTreasury();
    const before = await eventually(
      () => reading.execute(),
      ({ finalizedAmount, confirmedAmount }) => finalizedAmount === confirmedAmount,
    );
    expect(before).toMatchObject({ address: world.treasury, confirmedAmount: (await world.holds(world.treasury))[0] });
    await copy.move.execute(world.call(agent, { direction: 'escrow', amount: 5n }));
    const at = await reading.execute();
    expect([at.confirmedAmount, at.finalizedAmount]).toEqual([before.confirmedAmount + 5n, before.finalizedAmount]);
    const final = await eventually(
      () => reading.execute(),
      ({ finalizedAmount }) => finalizedAmount === before.finalizedAmount + 5n,
    );
    expect(final.finalizedSlot).toBeGreaterThan(before.finalizedSlot);
    expect(final.lamports).toBe((await world.holds(world.treasury))[1]);
  });
});
