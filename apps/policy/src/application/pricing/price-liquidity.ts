import type { intentV1 } from '@agent-wallet/contracts';
import { AppError, type UsdPrice, usdMicros, valueInUsd } from '@agent-wallet/kernel';
import type { AcceptedPrices } from '@agent-wallet/prices';
import { addPlan, type CpmmPool, fairValue, readCpmmPool, TOKEN_2022_PROGRAM } from '@agent-wallet/solana';
import { additionFairness, type TradeFairness } from '../../domain/trade-fairness.js';
import { MAX_USD_MICROS, valueOf } from '../../domain/value.js';
import type { PolicyChain } from '../../ports/chain.js';
import { askUpstream, priceOf, readPrices, undefinedWithoutPrices } from './known-prices.js';

/** Value that an addition of liquidity takes, and what its share of the pool is worth. */
export interface AdditionValue {
  /** Value of both maxima at the highest prices of the last 24 hours, in micro-dollars; undefined when one has no price. */
  readonly valueUsdMicros: bigint | undefined;
  /** The part of it that is of the first token. */
  readonly side0UsdMicros: bigint | undefined;
  /** Mints of the pool, both of them: for a later removal can bring more of the one and less of the other. */
  readonly acquiredMints: readonly [string, string];
  /** The most that leaves, and the fair value of the share; undefined without prices. */
  readonly trade?: TradeFairness;
}

/** Extensions by which a mint takes a part of what is transferred. */
const FEES: ReadonlySet<string> = new Set(['transferFeeConfig', 'confidentialTransferFeeConfig']);

/**
 * Values additions of liquidity by policy's own reading of the pool. The service that asks may lie about the quote, and an
 * accomplice may have moved the pool: the program bounds what leaves, not what it is worth.
 */
export class PriceLiquidity {
  constructor(
    private readonly chain: Pick<PolicyChain, 'accounts' | 'mint'>,
    private readonly prices: AcceptedPrices,
  ) {}

  /**
   * @throws AppError VALIDATION_ERROR when the pool is not on chain, its tokens differ, or one withholds a fee;
   *   UPSTREAM_ERROR and UPSTREAM_TIMEOUT when the chain does not answer
   */
  async execute(add: intentV1.LiquidityAdd): Promise<AdditionValue> {
    const { pool: plan } = addPlan(add);
    const pool = await askUpstream(() => readCpmmPool(this.chain, plan.address));
    checkPool(pool, add.pool!);
    await askUpstream(() => checkFees(this.chain, pool));
    const [mint0, mint1] = [add.pool!.mint0, add.pool!.mint1];
    const acquiredMints = [mint0, mint1] as const;
    const found =
      (await askUpstream(() => readPrices(this.prices, acquiredMints)).catch(undefinedWithoutPrices)) ?? new Map();
    const spent = [
      { mint: mint0, amount: add.max0, decimals: pool.sides[0].decimals },
      { mint: mint1, amount: add.max1, decimals: pool.sides[1].decimals },
    ] as const;
    const [price0, price1] = [priceOf(found, spent[0]), priceOf(found, spent[1])];
    if (!price0 || !price1) return { valueUsdMicros: undefined, side0UsdMicros: undefined, acquiredMints };
    const side0UsdMicros = valueOf({ ...spent[0], price: price0.highest, rent: undefined });
    const side1UsdMicros = valueOf({ ...spent[1], price: price1.highest, rent: undefined });
    const trade = fairnessOf(add, pool, [price0.price, price1.price]);
    const sum = side0UsdMicros + side1UsdMicros;
    const valueUsdMicros = sum > MAX_USD_MICROS ? MAX_USD_MICROS : sum;
    return trade
      ? { valueUsdMicros, side0UsdMicros, acquiredMints, trade }
      : { valueUsdMicros: undefined, side0UsdMicros: undefined, acquiredMints };
  }
}

function checkPool(pool: CpmmPool | undefined, named: intentV1.LiquidityPool): asserts pool is CpmmPool {
  if (!pool) throw AppError.field('intent.liquidityAdd.pool', 'is not a pool on chain');
  const isSame = pool.sides.every(
    ({ tokenProgram, decimals }, i) =>
      tokenProgram === (i === 0 ? named.tokenProgram0 : named.tokenProgram1) &&
      decimals === (i === 0 ? named.decimals0 : named.decimals1),
  );
  if (!isSame) throw AppError.field('intent.liquidityAdd.pool', 'names other token programs or decimals than the pool');
}

/**
 * Refuses a token whose mint may withhold a fee: less would arrive in the vault than leaves, and what arrives is counted.
 * @throws AppError VALIDATION_ERROR
 */
async function checkFees(chain: Pick<PolicyChain, 'mint'>, { sides }: CpmmPool): Promise<void> {
  const ofNewProgram = sides.filter(({ tokenProgram }) => tokenProgram === TOKEN_2022_PROGRAM);
  const mints = await Promise.all(ofNewProgram.map(({ mint }) => chain.mint(mint)));
  const takesAll = mints.every((mint) => mint && !mint.extensions.some((name) => FEES.has(name)));
  if (!takesAll) throw AppError.field('intent.liquidityAdd.pool', 'has a token that withholds a fee of its transfers');
}

/** Compares both sides at present prices; undefined for values beyond what can be counted. */
function fairnessOf(
  { max0, max1, liquidity, slippageBps }: intentV1.LiquidityAdd,
  pool: CpmmPool,
  prices: readonly [UsdPrice, UsdPrice],
): TradeFairness | undefined {
  try {
    const value = (amount: bigint, side: 0 | 1) =>
      valueInUsd(amount, { decimals: pool.sides[side].decimals, price: prices[side] }, 'up');
    const input = usdMicros(value(max0, 0) + value(max1, 1));
    return additionFairness(input, fairValue(liquidity, pool, prices), slippageBps);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
