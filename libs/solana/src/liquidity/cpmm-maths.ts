/** The reserves that a pool holds for those who provide liquidity, and the liquidity tokens that share them. */
export interface CpmmState {
  /** Base units of each token, without the fees that the vaults hold for others. */
  readonly reserves: readonly [bigint, bigint];
  /** Base units of liquidity tokens by the pool's own count: the mint's supply is lower. */
  readonly lpSupply: bigint;
}

const BASIS_POINTS = 10_000n;

/**
 * Returns the base units of each token that the program takes for an exact amount of liquidity tokens: its share of the
 * reserve, rounded up unless it rounds down to 0. A transfer fee of the mint comes on top.
 */
export function amountsToAdd(liquidity: bigint, { reserves, lpSupply }: CpmmState): [bigint, bigint] {
  const need = (reserve: bigint): bigint => {
    const product = liquidity * reserve;
    const floor = product / lpSupply;
    return floor > 0n && product % lpSupply !== 0n ? floor + 1n : floor;
  };
  return [need(reserves[0]), need(reserves[1])];
}

/**
 * Returns the base units of each token that the program pays for an exact amount of liquidity tokens: its share of the
 * reserve, rounded down, before a transfer fee of the mint.
 */
export function amountsToRemove(liquidity: bigint, { reserves, lpSupply }: CpmmState): [bigint, bigint] {
  return [(liquidity * reserves[0]) / lpSupply, (liquidity * reserves[1]) / lpSupply];
}

/**
 * Returns the most liquidity tokens for which no side takes more than it may, even after the reserves have moved by the
 * tolerance. An undefined maximum bounds nothing.
 */
export function liquidityFor(
  maxima: readonly [bigint | undefined, bigint | undefined],
  { reserves, lpSupply }: CpmmState,
  slippageBps: number,
): bigint {
  const bounds = maxima.flatMap((max, i) => (max === undefined ? [] : (max * lpSupply) / reserves[i]!));
  const least = bounds.reduce((lowest, bound) => (bound < lowest ? bound : lowest));
  return (least * BASIS_POINTS) / (BASIS_POINTS + BigInt(slippageBps));
}

/** Returns the most that may leave where so much is quoted: the quote and the tolerance, rounded up. */
export function mostWithin(quoted: bigint, slippageBps: number): bigint {
  const product = quoted * (BASIS_POINTS + BigInt(slippageBps));
  return (product + BASIS_POINTS - 1n) / BASIS_POINTS;
}

/** Returns the least that must arrive where so much is quoted: the quote less the tolerance, rounded down, at least 1. */
export function leastWithin(quoted: bigint, slippageBps: number): bigint {
  const least = (quoted * (BASIS_POINTS - BigInt(slippageBps))) / BASIS_POINTS;
  return least > 0n ? least : 1n;
}
