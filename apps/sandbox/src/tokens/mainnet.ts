import { type Key, key } from '../encoding/keys.js';

/** A token of the sandbox's world. */
export interface TokenInfo {
  readonly mint: Key;
  readonly symbol: string;
  readonly name: string;
  readonly decimals: number;
  readonly program: 'token' | 'token-2022';
}

/** A token as it is on mainnet, with the price and the liquidity the sandbox starts it with. */
export interface MainnetToken extends TokenInfo {
  readonly usd: string;
  /** How far the walk goes from the price, in hundredths of a percent. */
  readonly walkBps: number;
  readonly liquidityUsd: number;
  readonly freezable: boolean;
}

/** Mainnet's mints at their real addresses, so that a client written for mainnet runs unchanged. */
export const MAINNET_TOKENS: readonly MainnetToken[] = (
  [
    ['SOL', 'Wrapped SOL', 'So11111111111111111111111111111111111111112', 9, '150'],
    ['USDC', 'USD Coin', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', 6, '1'],
    ['USDT', 'USDT', 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB', 6, '1'],
    ['JUP', 'Jupiter', 'JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN', 6, '0.5'],
    ['BONK', 'Bonk', 'DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPB263', 5, '0.00002'],
    ['WIF', 'dogwifhat', 'EKpQGSJtjMFqKZ9KQanSqYXRcF8fBopzLHYxdM65zcjm', 6, '0.8'],
    ['RAY', 'Raydium', '4k3Dyjzvzp8eMZWUXbBCjEvwSkkk59S5iCNLY3QrkX6R', 6, '2.5'],
    ['ORCA', 'Orca', 'orcaEKTdK7LKz57vaAYr9QeNsVEPfiu6QeMU1kektZE', 6, '2'],
  ] as const
).map(([symbol, name, mint, decimals, usd]) => {
  const isDollar = symbol === 'USDC' || symbol === 'USDT';
  const market = { usd, walkBps: isDollar ? 3 : 200, liquidityUsd: 50_000_000, freezable: isDollar };
  return { symbol, name, mint: key(mint), decimals, program: 'token', ...market };
});
