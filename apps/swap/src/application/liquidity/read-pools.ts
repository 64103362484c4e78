import { type Clock, formatAmount, NAMED_TOKENS, notFound, type UsdPrice } from '@agent-wallet/kernel';
import { isKnown, type KnownPrice, type PriceResult, type UsdPrices } from '@agent-wallet/prices';
import { type CpmmPool, fairValue, isAddress, type MintState, readCpmmPools } from '@agent-wallet/solana';
import { isNamed, powersOver } from './pool-safety.js';
import { isLargeEnough } from './pool-worth.js';
import type { PoolDirectory } from '../../ports/pool-directory.js';
import type { LiquidityChain } from '../../ports/swap-chain.js';

/** A pool, and its value at market prices. */
export interface ShownPool {
  readonly pool: CpmmPool;
  /** In the order of the sides. */
  readonly symbols: readonly [string, string];
  /** Decimal text: how much of the second token the pool gives for one of the first. */
  readonly price: string;
  /** Undefined without both prices. */
  readonly prices: readonly [UsdPrice, UsdPrice] | undefined;
  /** Unix milliseconds of the older of both prices. */
  readonly pricedAtMs: number | undefined;
  /** Micro-dollars; undefined without prices, or beyond what can be counted. */
  readonly valueUsdMicros: bigint | undefined;
  /** Reason why nothing can be added to it, as far as it, its mints and their prices tell; undefined for nothing of these. */
  readonly unsupportedReason: UnsupportedReason | undefined;
}

/** Reason against every addition to a pool. */
type UnsupportedReason = 'deposits_paused' | 'not_open' | 'transfer_fee' | 'unsafe_token' | 'unpriced' | 'too_small';

/** Sources of pools. */
interface PoolSources {
  readonly chain: Pick<LiquidityChain, 'accounts' | 'mintState'>;
  readonly prices: UsdPrices;
  readonly directory: PoolDirectory;
  readonly clock: Clock;
}

/** Decimals of a pool's price. */
const PRICE_DECIMALS = 18;

/** Reads pools from the chain, and values them at market prices. */
export class ReadPools {
  constructor(private readonly sources: PoolSources) {}

  /** Lists the venue's pools that live on chain. @throws AppError UPSTREAM_ERROR, UPSTREAM_TIMEOUT, VALIDATION_ERROR */
  async list(query: Parameters<PoolDirectory['list']>[0]): Promise<{ pools: readonly ShownPool[]; cursor: string }> {
    const page = await this.sources.directory.list(query);
    return { pools: await this.shown(page.pools), cursor: page.cursor };
  }

  /** Returns one pool, without asking the venue. @throws AppError NOT_FOUND, UPSTREAM_ERROR, UPSTREAM_TIMEOUT */
  async get(address: string): Promise<ShownPool> {
    const [pool] = isAddress(address) ? await this.shown([address]) : [];
    if (!pool) throw notFound('pool', 'Choose one of GET /liquidity/pools.');
    return pool;
  }

  /** Reads these pools; those that do not live on chain are left out. */
  async shown(addresses: readonly string[]): Promise<ShownPool[]> {
    const { chain, clock } = this.sources;
    const pools = (await readCpmmPools(chain, addresses)).filter((pool) => pool !== undefined);
    const mints = [...new Set(pools.flatMap(({ sides }) => sides.map(({ mint }) => mint)))];
    const [found, obstacles] = await Promise.all([this.#prices(mints), this.#obstacles(mints)]);
    const priceOf = ({ mint, decimals }: CpmmPool['sides'][number]): KnownPrice | undefined => {
      const answer = found.get(mint);
      return isKnown(answer) && answer.decimals === decimals ? answer : undefined;
    };
    return pools.map((pool) => {
      const ofMints = pool.sides.map(({ mint }) => obstacles.get(mint)).find((reason) => reason !== undefined);
      const isOpen = pool.openTimeSeconds * 1_000n <= BigInt(clock.nowMs());
      const ofState = pool.isDepositOpen ? (isOpen ? undefined : 'not_open') : 'deposits_paused';
      return shownPool(pool, pool.sides.map(priceOf), ofState ?? ofMints);
    });
  }

  /** Asks for prices; a list without values is worth more than none. */
  async #prices(mints: readonly string[]): Promise<ReadonlyMap<string, PriceResult>> {
    const none: ReadonlyMap<string, PriceResult> = new Map();
    return mints.length === 0 ? none : this.sources.prices.prices(mints, { isShown: true }).catch(() => none);
  }

  /** Finds what the mints without a name have against them, in one call to the chain. */
  async #obstacles(mints: readonly string[]): Promise<ReadonlyMap<string, UnsupportedReason | undefined>> {
    const unnamed = mints.filter((mint) => !isNamed(mint));
    const states = await Promise.all(unnamed.map((mint) => this.sources.chain.mintState(mint)));
    return new Map(unnamed.map((mint, i) => [mint, obstacleOf(states[i]!)]));
  }
}

function obstacleOf(mint: MintState | null): UnsupportedReason | undefined {
  if (mint?.transferFee) return 'transfer_fee';
  return mint && powersOver(mint).length === 0 ? undefined : 'unsafe_token';
}

function shownPool(
  pool: CpmmPool,
  [first, second]: readonly (KnownPrice | undefined)[],
  obstacle: UnsupportedReason | undefined,
): ShownPool {
  const prices = first && second ? ([first.price, second.price] as const) : undefined;
  const valueUsdMicros = prices && valueOrUndefined(pool.lpSupply, pool, prices);
  const ofWorth =
    valueUsdMicros === undefined ? 'unpriced' : isLargeEnough(valueUsdMicros) ? undefined : ('too_small' as const);
  return {
    pool,
    symbols: [symbolOf(pool.sides[0].mint), symbolOf(pool.sides[1].mint)],
    price: spotPrice(pool),
    prices,
    pricedAtMs: first && second && Math.min(first.pricedAtMs, second.pricedAtMs),
    valueUsdMicros,
    unsupportedReason: obstacle ?? ofWorth,
  };
}

/** Returns the fair value of liquidity tokens; undefined when it is more than can be counted. */
export function valueOrUndefined(
  liquidity: bigint,
  pool: CpmmPool,
  prices: readonly [UsdPrice, UsdPrice],
): bigint | undefined {
  try {
    return fairValue(liquidity, pool, prices);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Returns the symbol of a token that has a name here, or its mint: a stranger chooses all other symbols. */
function symbolOf(mint: string): string {
  return NAMED_TOKENS.find((token) => token.mint === mint)?.symbol ?? mint;
}

function spotPrice({ reserves, sides }: CpmmPool): string {
  const numerator = reserves[1] * 10n ** BigInt(sides[0].decimals + PRICE_DECIMALS);
  return formatAmount(numerator / (reserves[0] * 10n ** BigInt(sides[1].decimals)), PRICE_DECIMALS);
}
