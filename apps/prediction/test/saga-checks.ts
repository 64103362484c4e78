import type { ReadBuy, ReadSale } from './read-order.js';
import { AppError } from '@agent-wallet/kernel';
import { expect } from '@jest/globals';
import type { Copy, SagaWorld } from './saga-world.js';

type BuyCall = ReturnType<SagaWorld['buyCall']>;
type SellCall = ReturnType<SagaWorld['sellCall']>;

/** How an operation ended. */
export interface End<Answer> {
  readonly answer?: Answer;
  readonly error?: AppError;
}

/** Repeats a call until it is final, as an agent does while the response says that it is in progress. */
export async function endOf<Answer extends { readonly isConfirmed: boolean }>(
  ask: () => Promise<Answer>,
): Promise<End<Answer>> {
  for (;;) {
    try {
      const answer = await ask();
      if (answer.isConfirmed) return { answer };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return { error };
    }
  }
}

/**
 * Buys through all scripted faults and checks the invariants. There is at most one order, one escrow and one refund.
 * The ledger matches chain and exchange, and the agent has all that the contracts did not cost.
 */
export async function buyToTheEnd(world: SagaWorld, copy: Copy, call: BuyCall): Promise<End<ReadBuy>> {
  const before = world.wallet.fundsOf(call.agentId) + (await owedTo(world, call.agentId));
  const end = await endOf(() => copy.buy.execute(call));
  await checkBuy(world, call, before);
  const spent = before - world.wallet.fundsOf(call.agentId) - (await owedTo(world, call.agentId));
  const { totalUsdMicros = 0n, feeUsdMicros = 0n } = end.answer?.order ?? {};
  expect(spent).toBe(totalUsdMicros + feeUsdMicros);
  return end;
}

async function checkBuy(world: SagaWorld, call: BuyCall, before: bigint): Promise<void> {
  await world.audit();
  expect(before).toBeGreaterThan(0n);
  for (const step of [1, 3]) expect(world.wallet.landed(call.operationId, step).length).toBeLessThanOrEqual(1);
  const published = await world.published(call.operationId);
  expect(published.map(({ revision }) => revision)).toEqual(published.map((_, i) => i + 1));
}

/** Sells through all scripted faults and checks the invariants. */
export async function sellToTheEnd(world: SagaWorld, copy: Copy, call: SellCall): Promise<End<ReadSale>> {
  const before = world.wallet.fundsOf(call.agentId) + (await owedTo(world, call.agentId));
  const held = await world.ledger.freeContractsOf(call.agentId, call.request.ticker, call.request.side);
  const end = await endOf(() => copy.sell.execute(call));
  await world.audit();
  expect(world.wallet.landed(call.operationId, 3).length).toBeLessThanOrEqual(1);
  const gained = world.wallet.fundsOf(call.agentId) + (await owedTo(world, call.agentId)) - before;
  const { totalUsdMicros = 0n, feeUsdMicros = 0n, filled = 0n } = end.answer?.order ?? {};
  expect(gained).toBe(totalUsdMicros - feeUsdMicros);
  expect(await world.ledger.freeContractsOf(call.agentId, call.request.ticker, call.request.side)).toBe(held - filled);
  return end;
}

/** All that the ledger owes an agent. */
export async function owedTo(world: SagaWorld, agentId: string): Promise<bigint> {
  const { availableUsdMicros, reservedUsdMicros } = await world.ledger.balanceOf(agentId);
  return availableUsdMicros + reservedUsdMicros;
}
