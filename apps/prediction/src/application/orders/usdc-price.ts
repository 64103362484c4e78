import { NAMED_TOKENS, type UsdPrice } from '@agent-wallet/kernel';
import { isKnown, type UsdPrices } from '@agent-wallet/prices';
import { unavailable } from './market-snapshot.js';

/** The token in which agents pay and are paid: one is taken for one dollar. */
export const USDC = NAMED_TOKENS.find(({ symbol }) => symbol === 'USDC')!;

const PERCENT = 100n;
const LEAST_PERCENT = 99n;
const MOST_PERCENT = 101n;

/**
 * Agents pay dollars with USDC: not while it is worth something else.
 * @throws AppError SERVICE_UNAVAILABLE; UPSTREAM_ERROR, UPSTREAM_TIMEOUT when no source says what it is worth
 */
export async function assertUsdcIsADollar(prices: UsdPrices): Promise<void> {
  const reading = (await prices.prices([USDC.mint])).get(USDC.mint);
  if (!isKnown(reading)) throw unavailable('The price of USDC is not known right now.');
  if (!isADollar(reading.price)) throw unavailable('USDC is not worth a dollar right now.');
}

/** Reports whether a price is from 0.99 to 1.01 dollars. */
function isADollar({ digits, scale }: UsdPrice): boolean {
  const dollar = 10n ** BigInt(scale);
  return digits * PERCENT >= LEAST_PERCENT * dollar && digits * PERCENT <= MOST_PERCENT * dollar;
}
