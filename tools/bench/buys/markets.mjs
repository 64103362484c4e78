// Where both sides buy.

const MARKETS = 8;
const DEPTH = 10_000_000;

/** Contracts of a purchase, and its limit in dollars: there is something to bring back. */
export const COUNT = 1;
export const LIMIT = '0.6000';
export const LIMIT_CENTS = 60;

/** Opens markets that nobody can empty; their tickers. */
export async function openMarkets(sandbox) {
  const tickers = Array.from({ length: MARKETS }, (_, i) => `BENCH-${i}`);
  for (const ticker of tickers) {
    await sandbox.addMarket({ ticker, title: `${ticker}?`, yesBid: 48, yesAsk: 52, size: DEPTH });
  }
  return tickers;
}

/** Each side by turns, so that what is held cancels out. */
export function sideOf(n) {
  return Math.floor(n / MARKETS) % 2 === 0 ? 'yes' : 'no';
}
