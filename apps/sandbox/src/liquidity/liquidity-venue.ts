import type { AccountChange } from '../chain/account.js';
import type { Chain } from '../chain/chain.js';
import { tokenAmount } from '../chain/token-layout.js';
import type { Key } from '../encoding/keys.js';
import { unitPrice, type UnitPrice } from '../market/pair.js';
import type { PriceBoard } from '../market/price-board.js';
import type { TokenRegistry } from '../tokens/registry.js';
import { reservesAtPrice } from './constant-product.js';
import { type CpmmPool, isPool, poolBytes, readPool, type Sides } from './cpmm-layout.js';
import { followAccount, followAddress, readFollowed } from './followed-price.js';
import { plannedPool, poolAccounts, type PoolPlan, withBalance } from './pool-accounts.js';

/** How often pools follow a walking price. */
const FOLLOW_EVERY_MS = 1_000;

/** What keeps the pools where they should be. */
interface VenueContext {
  readonly chain: Chain;
  readonly tokens: TokenRegistry;
  readonly prices: PriceBoard;
}

/** A pool with what belongs to its LP tokens. */
export interface PoolState extends CpmmPool {
  readonly reserves: Sides<bigint>;
  /** How far the pool's price is kept above the board's; null: it does not follow the board. */
  readonly skewPercent: number | null;
}

/** Changes that the admin makes to a pool. */
interface PoolChange {
  readonly status?: number | undefined;
  readonly openTime?: bigint | undefined;
  readonly skewPercent?: number | undefined;
  /** Base units that a stranger sends to each vault. */
  readonly donations?: Sides<bigint> | undefined;
}

/**
 * Raydium's pools on this world's chain. A pool follows the price board when a price is set, and when the venue's API or
 * the admin API reads pools: then its vaults are moved to the board's ratio at a constant product, and its LP supply
 * stays. It is moved only when one of its two prices has changed since the last time, so that the effect of swaps and
 * deposits stays for as long as prices stand still. Reads of the chain alone move nothing.
 */
export class LiquidityVenue {
  private readonly addresses: Set<Key>;
  private followedMs: number | undefined;

  /** Finds the pools of a chain whose journal was read back. */
  constructor(private readonly context: VenueContext) {
    this.addresses = new Set();
    for (const [address, account] of context.chain.accounts.entries()) if (isPool(account)) this.addresses.add(address);
    context.prices.onSet((mint) => this.followNow(this.statesOf((pool) => pool.mints.includes(mint))));
  }

  /** Returns every pool at the board's prices. */
  pools(): PoolState[] {
    const { chain, prices } = this.context;
    const nowMs = chain.clock.nowMs();
    const isDue = this.followedMs === undefined || nowMs - this.followedMs >= FOLLOW_EVERY_MS;
    if (prices.isFrozen || isDue) {
      this.followedMs = nowMs;
      this.followNow(this.statesOf(() => true));
    }
    return this.statesOf(() => true);
  }

  /** Returns a pool as it is now; undefined when there is none. */
  pool(address: Key): PoolState | undefined {
    const account = this.addresses.has(address) ? this.context.chain.account(address) : undefined;
    return isPool(account) ? this.stateOf(readPool(address, account)) : undefined;
  }

  /** Makes a pool. Without a skew it does not follow the board. */
  create(plan: PoolPlan, skewPercent: number | null): PoolState {
    const pool = plannedPool(plan);
    const note = followAccount(pool.address, { prices: this.pricesText(pool), skewPercent });
    this.context.chain.seed([...poolAccounts(plan, pool), note]);
    this.addresses.add(pool.address);
    return this.pool(pool.address)!;
  }

  /** Changes a pool at once: its switches, then its price, then its donations. Returns false when no price is there. */
  change(pool: PoolState, { status, openTime, skewPercent, donations }: PoolChange): boolean {
    const changes: AccountChange[] = [];
    if (status !== undefined || openTime !== undefined) {
      const account = this.context.chain.account(pool.address)!;
      const data = poolBytes({ ...pool, status: status ?? pool.status, openTime: openTime ?? pool.openTime });
      changes.push({ key: pool.address, after: { ...account, data } });
    }
    let { reserves } = pool;
    if (skewPercent !== undefined) {
      const moved = this.reservesFor(pool, skewPercent);
      if (!moved) return false;
      reserves = moved;
      changes.push(followAccount(pool.address, { prices: this.pricesText(pool), skewPercent }));
    }
    if (donations) reserves = [reserves[0] + donations[0], reserves[1] + donations[1]];
    changes.push(...this.vaultChanges(pool, reserves));
    this.context.chain.seed(changes);
    return true;
  }

  /** Returns what both sides are worth together in whole dollars; undefined without a price. */
  valueUsd({ mints, decimals, reserves }: PoolState): bigint | undefined {
    const prices = this.prices({ mints, decimals });
    if (!prices) return undefined;
    const [one, other] = prices.map(({ over, under }, side) => (reserves[side]! * over) / under);
    return one! + other!;
  }

  private statesOf(isWanted: (pool: CpmmPool) => boolean): PoolState[] {
    return [...this.addresses].flatMap((address) => {
      const pool = this.pool(address);
      return pool && isWanted(pool) ? [pool] : [];
    });
  }

  private stateOf(pool: CpmmPool): PoolState {
    const { chain } = this.context;
    const { skewPercent } = readFollowed(chain.account(followAddress(pool.address)));
    const reserve = (side: 0 | 1): bigint => {
      const held = tokenAmount(chain.account(pool.vaults[side])!);
      return held - pool.protocolFees[side] - pool.fundFees[side] - pool.creatorFees[side];
    };
    return { ...pool, reserves: [reserve(0), reserve(1)], skewPercent };
  }

  private followNow(pools: readonly PoolState[]): void {
    const changes = pools.flatMap((pool) => {
      const { prices, skewPercent } = readFollowed(this.context.chain.account(followAddress(pool.address)));
      const now = this.pricesText(pool);
      if (skewPercent === null || prices === now) return [];
      const moved = this.reservesFor(pool, skewPercent);
      return moved
        ? [...this.vaultChanges(pool, moved), followAccount(pool.address, { prices: now, skewPercent })]
        : [];
    });
    if (changes.length > 0) this.context.chain.seed(changes);
  }

  private reservesFor(pool: PoolState, skewPercent: number): Sides<bigint> | undefined {
    const prices = this.prices(pool);
    return prices && reservesAtPrice(pool.reserves, prices, skewPercent);
  }

  private vaultChanges(pool: PoolState, reserves: Sides<bigint>): AccountChange[] {
    return ([0, 1] as const).flatMap((side) => {
      const by = reserves[side] - pool.reserves[side];
      if (by === 0n) return [];
      const after = this.context.chain.account(pool.vaults[side])!;
      return [withBalance({ key: pool.vaults[side], after }, pool.mints[side], tokenAmount(after) + by)];
    });
  }

  private prices({ mints, decimals }: Pick<CpmmPool, 'mints' | 'decimals'>): Sides<UnitPrice> | undefined {
    const [one, other] = mints.map((mint, side) => unitPrice(this.context.prices.usdText(mint), decimals[side]!));
    return one && other && [one, other];
  }

  private pricesText({ mints }: Pick<CpmmPool, 'mints'>): string {
    return mints.map((mint) => this.context.prices.usdText(mint) ?? '').join('/');
  }
}
