import type { PriceBoard } from './price-board.js';
import type { AccountChange } from '../chain/account.js';
import type { Chain } from '../chain/chain.js';
import type { Key } from '../encoding/keys.js';
import type { TokenInfo } from '../tokens/mainnet.js';
import type { TokenRegistry } from '../tokens/registry.js';
import { type Pair, pairOf, reservesAt, unitPrice, type UnitPrice } from './pair.js';
import { makerAccountOf, pairAccounts, poolAccount, programAccountOf, tokenAccounts } from './pair-accounts.js';
import { type Pool, type PoolState, readPool, type Reserves } from './pool.js';
import type { Venue } from './venues.js';

/** How often pools follow a walking price. */
const FOLLOW_EVERY_MS = 1_000;

/** What keeps pools where they should be. */
export interface KeeperContext {
  readonly chain: Chain;
  readonly tokens: TokenRegistry;
  readonly prices: PriceBoard;
  readonly maker: Key;
}

/**
 * Keeps pools on the chain at the prices of the board. A pool remembers the reserves it was last given; it is moved
 * when the board asks for others, so a trade's own effect stays for as long as no price moves. Pools of tokens made
 * later come into being when both prices are there.
 */
export class PoolKeeper {
  private readonly followedMs = new Map<Key, number>();

  constructor(private readonly context: KeeperContext) {}

  /** A pool's account; undefined when there is none. */
  state({ address }: Pool): PoolState | undefined {
    const account = this.context.chain.account(address);
    return account && readPool(account.data);
  }

  /** Lets a pair's pools follow the board, at most once a second while prices walk. */
  follow(pair: Pair): void {
    const { prices, chain } = this.context;
    const nowMs = chain.clock.nowMs();
    const followedMs = this.followedMs.get(pair.table);
    if (!prices.isFrozen && followedMs !== undefined && nowMs - followedMs < FOLLOW_EVERY_MS) return;
    this.followedMs.set(pair.table, nowMs);
    this.move(pair, (state, target) => state.target.a !== target.a || state.target.b !== target.b);
  }

  /** Moves a pair's pools to the board's prices, regardless of past trades. */
  reset(pair: Pair): void {
    this.move(pair, ({ reserves }, target) => reserves.a !== target.a || reserves.b !== target.b);
  }

  /** Moves every pool of a token to the board's prices. */
  resetAll(mint: Key): void {
    const { tokens } = this.context;
    const token = tokens.get(mint);
    if (!token) return;
    const pairs = tokens.all().map((other) => pairOf(token, other));
    for (const pair of pairs) if (pair) this.reset(pair);
  }

  /** Takes a share of what a pair's pools pay out. */
  drain(pair: Pair, outputMint: Key, bps: number): void {
    const less = (reserve: bigint) => (reserve * BigInt(10_000 - bps)) / 10_000n;
    const changes = pair.pools.flatMap((pool) => {
      const state = this.state(pool);
      if (!state) return [];
      const { a, b } = state.reserves;
      const reserves = outputMint === pool.mintA ? { a: less(a), b } : { a, b: less(b) };
      return [poolAccount(pool, reserves, state.target)];
    });
    this.seed(changes);
  }

  private move(pair: Pair, isDue: (state: PoolState, target: Reserves) => boolean): void {
    const targets = this.targetsOf(pair);
    if (!targets) return;
    const changes = pair.pools.flatMap((pool) => {
      const state = this.state(pool);
      const target = targets(pool.venue);
      return state && isDue(state, target) ? [poolAccount(pool, target)] : [];
    });
    const isMissing = this.context.chain.account(pair.table) === undefined;
    this.seed(isMissing ? this.accountsOf(pair, targets) : changes);
  }

  /** What the board wants each venue's pool to hold; undefined when a price is missing or out of all proportion. */
  private targetsOf({ a, b, pools }: Pair): ((venue: Venue) => Reserves) | undefined {
    const priceOf = (token: TokenInfo): UnitPrice | undefined =>
      unitPrice(this.context.prices.usdText(token.mint), token.decimals);
    const [priceA, priceB] = [priceOf(a), priceOf(b)];
    if (!priceA || !priceB) return undefined;
    const isTradeable = pools.every(({ venue }) => reservesAt(venue, priceA, priceB) !== undefined);
    return isTradeable ? (venue) => reservesAt(venue, priceA, priceB)! : undefined;
  }

  private accountsOf(pair: Pair, targets: (venue: Venue) => Reserves): AccountChange[] {
    const { chain, maker } = this.context;
    const [a, b] = [pair.a, pair.b].map((token) => ({ ...token, mintAccount: chain.account(token.mint) }));
    const isStocked = ({ mint }: TokenInfo): boolean =>
      [programAccountOf(mint), makerAccountOf(maker, mint)].every((key) => chain.account(key) !== undefined);
    const stock = [a!, b!].filter((token) => !isStocked(token)).flatMap((token) => tokenAccounts(token, maker));
    return [...stock, ...pairAccounts({ ...pair, a: a!, b: b! }, targets)];
  }

  private seed(changes: readonly AccountChange[]): void {
    if (changes.length > 0) this.context.chain.seed(changes);
  }
}
