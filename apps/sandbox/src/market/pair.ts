import { readDecimal } from '@agent-wallet/kernel';
import { isPlainPrice } from './price-board.js';
import { type Key, key, keyBytes } from '../encoding/keys.js';
import { NATIVE_MINT } from '../chain/programs.js';
import type { TokenInfo } from '../tokens/mainnet.js';
import { derivedAddress, type Pool, poolOf, type Reserves } from './pool.js';
import { type Venue, VENUES } from './venues.js';

/** Every other token has pools against these two. */
export const BASE_MINTS: readonly Key[] = [key('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'), NATIVE_MINT];

/** What no vault's balance lets a pool promise. */
const MOST_RESERVE = 50_000_000_000_000_000n;

/** Two tokens that trade directly, with one pool for each venue. `b` is a base. */
export interface Pair {
  readonly a: TokenInfo;
  readonly b: TokenInfo;
  readonly pools: readonly Pool[];
  /** The lookup table with all accounts a route over this pair names. */
  readonly table: Key;
}

/** Two tokens as the pair they trade in; undefined when they do not trade directly. */
export function pairOf(one: TokenInfo, other: TokenInfo): Pair | undefined {
  if (one.mint === other.mint) return undefined;
  const base = BASE_MINTS.find((mint) => one.mint === mint || other.mint === mint);
  if (base === undefined) return undefined;
  const [a, b] = one.mint === base ? [other, one] : [one, other];
  const pools = VENUES.map((venue) => poolOf(venue, a.mint, b.mint));
  return { a, b, pools, table: derivedAddress('table', keyBytes(a.mint), keyBytes(b.mint)) };
}

/** A price as an exact fraction of dollars for one base unit. */
export interface UnitPrice {
  readonly over: bigint;
  readonly under: bigint;
}

/** The price of a token's base unit; undefined when the text is not a positive plain decimal. */
export function unitPrice(usdText: string | undefined, decimals: number): UnitPrice | undefined {
  if (usdText === undefined || !isPlainPrice(usdText)) return undefined;
  const { digits, scale } = readDecimal(usdText);
  return digits > 0n ? { over: digits, under: 10n ** BigInt(scale + decimals) } : undefined;
}

/** What a pool holds at these prices: both sides worth the venue's depth, or less when base units would not fit. */
export function reservesAt(venue: Venue, a: UnitPrice, b: UnitPrice): Reserves | undefined {
  const [wantedA, wantedB] = [a, b].map(({ over, under }) => (venue.depthUsd * under) / over) as [bigint, bigint];
  const most = wantedA > wantedB ? wantedA : wantedB;
  const fit = (amount: bigint) => (most > MOST_RESERVE ? (amount * MOST_RESERVE) / most : amount);
  const reserves = { a: fit(wantedA), b: fit(wantedB) };
  return reserves.a > 0n && reserves.b > 0n ? reserves : undefined;
}
