// What is traded: the same on both sides.

const USDC = { symbol: 'USDC', mint: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', decimals: 6, leastRaw: 10_000 };
const SOL = { symbol: 'SOL', mint: 'So11111111111111111111111111111111111111112', decimals: 9, leastRaw: 100_000 };

/** What the product tolerates by itself. */
export const SLIPPAGE_BPS = 50;

/** Of one turn and the next, one goes there and the other back; the amount is another for every `n`. */
export function tradeOf(turn, n) {
  const [from, to] = turn % 2 === 0 ? [USDC, SOL] : [SOL, USDC];
  return { from, to, raw: from.leastRaw + (n % 1_000) };
}
