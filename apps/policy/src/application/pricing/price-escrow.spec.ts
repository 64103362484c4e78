import { AppError } from '@agent-wallet/kernel';
import { type AcceptedPrices, type AcceptedPriceStore, acceptedPrices, type PriceResult } from '@agent-wallet/prices';
import { describe, expect, it } from '@jest/globals';
import { USDC } from '../permits/check-move.js';
import { PriceEscrow } from './price-escrow.js';

const AMOUNT = 3_000_000n;
const DOLLAR: PriceResult = {
  price: { digits: 1n, scale: 0 },
  decimals: 6,
  liquidityUsd: null,
  pricedAtMs: 0,
  readAtMs: 0,
};
const counting = { prices: async () => new Map([[USDC.mint, DOLLAR]]) };

/** Fails once with what a database is that is away. */
function onceAway<Answer>(answer: Answer): () => Promise<Answer> {
  let calls = 0;
  return async () => {
    calls += 1;
    if (calls === 1) throw new AppError('SERVICE_UNAVAILABLE');
    return answer;
  };
}

describe('the value of an escrow', () => {
  const healthy: AcceptedPriceStore = { load: async () => new Map(), save: async () => {} };

  it.each([
    ['read', { ...healthy, load: onceAway(new Map()) }],
    ['written', { ...healthy, save: onceAway(undefined) }],
  ] as const)('is nothing to decide on while accepted prices cannot be %s: not unknown', async (_, store) => {
    const escrows = new PriceEscrow(acceptedPrices({ counting, clock: { nowMs: () => 0 }, store }));
    await expect(escrows.execute(AMOUNT)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(await escrows.execute(AMOUNT)).toMatchObject({ valueUsdMicros: AMOUNT });
  });

  it.each(['UPSTREAM_TIMEOUT', 'UPSTREAM_ERROR'] as const)('is unknown while prices answer %s', async (code) => {
    const away: AcceptedPrices = { prices: () => Promise.reject(new AppError(code)) };
    expect(await new PriceEscrow(away).execute(AMOUNT)).toEqual({ valueUsdMicros: undefined, spent: undefined });
  });
});
