import { NATIVE_MINT } from '../../chain/programs.js';
import { type Key, key } from '../../encoding/keys.js';

const DOLLARS: ReadonlySet<Key> = new Set([
  key('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'),
  key('Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB'),
]);

/** What the aggregator keeps of an output: nothing between pegged tokens, little between SOL and dollars. */
export function platformFeeBps(inputMint: Key, outputMint: Key): number {
  const dollars = [inputMint, outputMint].filter((mint) => DOLLARS.has(mint)).length;
  if (dollars === 2) return 0;
  return dollars === 1 && [inputMint, outputMint].includes(NATIVE_MINT) ? 2 : 10;
}

/** The slippage the aggregator picks when none is given. */
export function estimatedSlippageBps(inputMint: Key, outputMint: Key): number {
  return DOLLARS.has(inputMint) && DOLLARS.has(outputMint) ? 10 : 50;
}
