import type { intentV1 } from '@agent-wallet/contracts';
import {
  addressBytes,
  amountsToAdd,
  amountsToRemove,
  CPMM_AUTHORITY,
  CPMM_PROGRAM,
  type CpmmAddresses,
  cpmmAddresses,
  leastWithin,
  mostWithin,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  WRAPPED_SOL_MINT,
} from '@agent-wallet/solana';
import { type PolicyPeers, USDC } from './policy-peers.js';
import { newWallet } from './service.js';

/** A mint whose bytes stand before those of wrapped SOL. */
export const JUP = 'JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN';

/** A token of a pool. */
export interface TestSide {
  readonly mint: string;
  readonly decimals: number;
  readonly tokenProgram: string;
  /** Base units that belong to those who provide liquidity. */
  readonly reserve: bigint;
  /** Base units in the vault that belong to the protocol, the fund and the creator. */
  readonly fees?: readonly [bigint, bigint, bigint];
}

type Pair<T> = readonly [T, T];

/** A pool as it was written. */
export interface TestPool extends CpmmAddresses {
  readonly config: string;
  readonly sides: Pair<TestSide>;
  readonly lpSupply: bigint;
}

/**
 * The supply of a pool of 200,000 dollars where a unit of its liquidity tokens is worth a micro-dollar, 100,000 dollars of
 * each token being in it.
 */
const LP_SUPPLY = 200_000_000_000n;
const SIDE_USD = 100_000;

/** A new token that is to be one side of a pool. */
export interface NewSide {
  readonly decimals: number;
  /** Its price; undefined for none. */
  readonly usd?: string | undefined;
  /** The price at which the pool holds it: `usd` when omitted. */
  readonly poolUsd?: string;
  readonly tokenProgram?: string;
  /** A mint that exists, rather than a new one. */
  readonly mint?: string;
  readonly fees?: readonly [bigint, bigint, bigint];
}

/** Ten dollars of it are 2.5 tokens. */
export const FOUR_DOLLARS: NewSide = { decimals: 9, usd: '4' };
/** Ten dollars of it are 20 tokens. */
export const HALF_DOLLAR: NewSide = { decimals: 6, usd: '0.5' };
export const SOL_SIDE: NewSide = { decimals: 9, usd: '150', mint: WRAPPED_SOL_MINT };
export const USDC_SIDE: NewSide = { decimals: 6, usd: '1', mint: USDC };
export const JUP_SIDE: NewSide = { decimals: 6, usd: '0.5', mint: JUP };

/** Writes a pool that stands at its prices, of two new tokens unless the test says otherwise. */
export function newPool(
  world: PolicyPeers,
  [one, other]: Pair<NewSide> = [FOUR_DOLLARS, HALF_DOLLAR],
  change: Partial<Pick<TestPool, 'config' | 'lpSupply'>> = {},
): TestPool {
  const pool = { config: newWallet().address, lpSupply: LP_SUPPLY, ...change };
  return writePool(world, { ...pool, sides: [newSide(world, one), newSide(world, other)] });
}

function newSide(world: PolicyPeers, side: NewSide): TestSide {
  const { decimals, usd, poolUsd = usd ?? '1', tokenProgram = TOKEN_PROGRAM, mint = newWallet().address, fees } = side;
  world.mints.set(mint, { program: tokenProgram, decimals });
  if (usd !== undefined) world.prices.set(mint, { usd, decimals });
  const reserve = BigInt(Math.round((SIDE_USD * 10 ** decimals) / Number(poolUsd)));
  return { mint, decimals, tokenProgram, reserve, ...(fees ? { fees } : {}) };
}

/** Writes a pool with its config and its vaults at the addresses that derive from its config and its mints. */
export function writePool(
  world: PolicyPeers,
  { config, sides: given, lpSupply }: Pick<TestPool, 'config' | 'sides' | 'lpSupply'>,
): TestPool {
  const [one, other] = given;
  const isOrdered = Buffer.compare(addressBytes(one.mint), addressBytes(other.mint)) < 0;
  const sides: Pair<TestSide> = isOrdered ? [one, other] : [other, one];
  const addresses = cpmmAddresses({ config, mints: [sides[0].mint, sides[1].mint] });
  const pool = { ...addresses, config, sides, lpSupply };
  world.accounts.set(pool.pool, { owner: CPMM_PROGRAM, data: poolData(pool) });
  world.accounts.set(config, { owner: CPMM_PROGRAM, data: configData() });
  pool.vaults.forEach((vault, i) => {
    const { tokenProgram } = sides[i]!;
    world.accounts.set(vault, { owner: tokenProgram, data: vaultData(sides[i]!) });
  });
  return pool;
}

/** Writes the same pool with other reserves, as after swaps. */
export function moveReserves(world: PolicyPeers, pool: TestPool, move: (reserve: bigint, side: number) => bigint) {
  const [one, other] = pool.sides;
  const moved = (side: TestSide, i: number) => ({ ...side, reserve: move(side.reserve, i) });
  return writePool(world, { ...pool, sides: [moved(one, 0), moved(other, 1)] });
}

const NO_FEES = [0n, 0n, 0n] as const;

function poolData({ config, vaults, lpMint, sides, lpSupply }: TestPool): Buffer {
  const data = Buffer.alloc(637);
  data.write('f7ede3f5d7c3de46', 0, 'hex');
  const address = (at: number, text: string) => data.set(addressBytes(text), at);
  address(8, config);
  address(40, newWallet().address);
  vaults.forEach((vault, i) => address(72 + 32 * i, vault));
  address(136, lpMint);
  sides.forEach(({ mint, tokenProgram, decimals, fees = NO_FEES }, i) => {
    address(168 + 32 * i, mint);
    address(232 + 32 * i, tokenProgram);
    data[331 + i] = decimals;
    [341, 357, 397].forEach((at, n) => data.writeBigUInt64LE(fees[n]!, at + 8 * i));
  });
  address(296, newWallet().address);
  data[328] = 253;
  data[330] = 9;
  data.writeBigUInt64LE(lpSupply, 333);
  return data;
}

function configData(): Buffer {
  const data = Buffer.alloc(236);
  data.write('daf42168cbcb2b6f', 0, 'hex');
  [2_500n, 120_000n, 40_000n].forEach((rate, i) => data.writeBigUInt64LE(rate, 12 + 8 * i));
  return data;
}

/** Token account of the program's; one of Token-2022 says what it is, and that its owner never changes. */
export function vaultData({ mint, reserve, tokenProgram, fees = NO_FEES }: TestSide, owner = CPMM_AUTHORITY): Buffer {
  const data = Buffer.alloc(165);
  data.set(addressBytes(mint), 0);
  data.set(addressBytes(owner), 32);
  data.writeBigUInt64LE(
    fees.reduce((sum, fee) => sum + fee, reserve),
    64,
  );
  data[108] = 1;
  return tokenProgram === TOKEN_2022_PROGRAM ? Buffer.concat([data, Buffer.of(2, 7, 0, 0, 0)]) : data;
}

function named({ config, sides }: TestPool): intentV1.LiquidityPool {
  const [side0, side1] = sides;
  return {
    config,
    ...{ mint0: side0.mint, tokenProgram0: side0.tokenProgram, decimals0: side0.decimals },
    ...{ mint1: side1.mint, tokenProgram1: side1.tokenProgram, decimals1: side1.decimals },
  };
}

const stateOf = ({ sides, lpSupply }: TestPool) => ({
  reserves: [sides[0].reserve, sides[1].reserve] as const,
  lpSupply,
});

/** An honest addition of twenty dollars' worth, where a pool's unit is a micro-dollar, with what the test cares about. */
export function addIntent(
  wallet: string,
  pool: TestPool,
  change: Partial<intentV1.LiquidityAdd> = {},
): intentV1.Intent & { readonly action: { readonly $case: 'liquidityAdd'; readonly value: intentV1.LiquidityAdd } } {
  const { liquidity = 20_000_000n, slippageBps = 50 } = change;
  const [quoted0, quoted1] = amountsToAdd(liquidity, stateOf(pool));
  const quoted = { quoted0: change.quoted0 ?? quoted0, quoted1: change.quoted1 ?? quoted1 };
  const maxima = { max0: mostWithin(quoted.quoted0, slippageBps), max1: mostWithin(quoted.quoted1, slippageBps) };
  const value = { pool: named(pool), liquidity, slippageBps, ...quoted, ...maxima, ...change };
  return { wallet, action: { $case: 'liquidityAdd', value } };
}

/** An honest removal of twenty dollars' worth, with what the test cares about. */
export function removeIntent(
  wallet: string,
  pool: TestPool,
  change: Partial<intentV1.LiquidityRemove> = {},
): intentV1.Intent & {
  readonly action: { readonly $case: 'liquidityRemove'; readonly value: intentV1.LiquidityRemove };
} {
  const { liquidity = 20_000_000n, slippageBps = 50 } = change;
  const [quoted0, quoted1] = amountsToRemove(liquidity, stateOf(pool));
  const quoted = { quoted0: change.quoted0 ?? quoted0, quoted1: change.quoted1 ?? quoted1 };
  const minima = { min0: leastWithin(quoted.quoted0, slippageBps), min1: leastWithin(quoted.quoted1, slippageBps) };
  const value = { pool: named(pool), liquidity, slippageBps, ...quoted, ...minima, ...change };
  return { wallet, action: { $case: 'liquidityRemove', value } };
}

/** So much of both tokens: what is quoted is the most that may leave. */
export function taking(max0: bigint, max1: bigint): Partial<intentV1.LiquidityAdd> {
  return { quoted0: max0, quoted1: max1, max0, max1 };
}
