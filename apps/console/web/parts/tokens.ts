import { TEXTS } from '../texts.js';
import { showUnits } from './show.js';

/** A token that the page knows by itself. */
export interface KnownToken {
  readonly symbol: string;
  readonly decimals: number;
}

/** The eight tokens with a symbol. Every other one is shown by its address. */
const KNOWN: Readonly<Record<string, KnownToken>> = {
  native: { symbol: 'SOL', decimals: 9 },
  So11111111111111111111111111111111111111112: { symbol: 'SOL', decimals: 9 },
  EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v: { symbol: 'USDC', decimals: 6 },
  Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB: { symbol: 'USDT', decimals: 6 },
  JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN: { symbol: 'JUP', decimals: 6 },
  DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPB263: { symbol: 'BONK', decimals: 5 },
  EKpQGSJtjMFqKZ9KQanSqYXRcF8fBopzLHYxdM65zcjm: { symbol: 'WIF', decimals: 6 },
  '4k3Dyjzvzp8eMZWUXbBCjEvwSkkk59S5iCNLY3QrkX6R': { symbol: 'RAY', decimals: 6 },
  orcaEKTdK7LKz57vaAYr9QeNsVEPfiu6QeMU1kektZE: { symbol: 'ORCA', decimals: 6 },
};

/** Returns a token that the page knows. */
export function knownToken(mint: string): KnownToken | undefined {
  return Object.hasOwn(KNOWN, mint) ? KNOWN[mint] : undefined;
}

/** Shows an amount. Without decimals that a document states or the page knows, it stays in base units. */
export function showTokens(mint: string, amount: string, decimals = knownToken(mint)?.decimals): string {
  const symbol = knownToken(mint)?.symbol;
  if (decimals === undefined) return `${showUnits(amount, 0)} ${TEXTS.approval.baseUnits}`;
  return [showUnits(amount, decimals), symbol].filter(Boolean).join(' ');
}
