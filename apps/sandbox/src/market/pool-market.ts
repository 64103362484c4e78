import type { Account } from '../chain/account.js';
import { type Key, keyText, parseKey } from '../encoding/keys.js';
import type { Keypair } from '../chain/keypair.js';
import type { TokenInfo } from '../tokens/mainnet.js';
import type { Market, MarketMaker, Route, RouteOptions } from './market.js';
import { BASE_MINTS, type Pair, pairOf, unitPrice } from './pair.js';
import { makerAccountOf } from './pair-accounts.js';
import { type Hop, hopOf, hopOutput, type Path } from './path.js';
import { type KeeperContext, PoolKeeper } from './pool-keeper.js';
import { PoolRoute } from './pool-route.js';
import { bestSplit } from './split.js';
import { arrivalOf } from './transfer-fee.js';
import { VENUES } from './venues.js';

const MOST_PATHS = 3;
const MOST_UNITS = 2n ** 64n - 1n;

/** A pair with the mint that goes into it. */
interface Passage {
  readonly pair: Pair;
  readonly inputMint: Key;
}

/** The market over the chain's pools. Quotes let the pools they look at follow the board first. */
export class PoolMarket implements Market {
  readonly maker: MarketMaker;
  readonly venues = VENUES.map(({ name }) => name);
  private readonly keeper: PoolKeeper;

  constructor(
    private readonly context: Omit<KeeperContext, 'maker'>,
    maker: Keypair,
  ) {
    this.keeper = new PoolKeeper({ ...context, maker: maker.key });
    context.prices.onSet((mint) => this.keeper.resetAll(mint));
    const accountOf = (mint: Key | undefined): Key | undefined => mint && makerAccountOf(maker.key, mint);
    this.maker = {
      keypair: maker,
      tokenAccount: (mint) => {
        const account = accountOf(parseKey(mint));
        return account && context.chain.account(account) && keyText(account);
      },
    };
  }

  quote(inputMint: string, outputMint: string, inAmount: bigint, options: RouteOptions = {}): Route | undefined {
    const [input, output] = [this.token(inputMint), this.token(outputMint)];
    if (!input || !output || inAmount <= 0n || inAmount > MOST_UNITS) return undefined;
    const ways = this.waysBetween(input, output);
    for (const { pair } of ways.flat()) this.keeper.follow(pair);
    const arrival = arrivalOf(this.mintAccount(input));
    const paths = ways.flatMap((way) => this.pathsOf(way, arrival(inAmount), options.excludeDexes ?? []));
    const shares = bestSplit(paths, inAmount, arrival, mostPaths(paths, options.maxLegs));
    if (!shares) return undefined;
    const pools = new Set(shares.flatMap(({ result }) => result.path.map(({ pool }) => pool)));
    const used = ways.flat().filter(({ pair }) => pair.pools.some((pool) => pools.has(pool)));
    const tables = used.map(({ pair }) => pair.table);
    const outArrival = arrivalOf(this.mintAccount(output));
    const route = new PoolRoute({ input, output, inAmount, shares, arrival: outArrival, tables });
    return route.outAmount > 0n ? route : undefined;
  }

  fairOutput(inputMint: string, outputMint: string, inAmount: bigint): bigint | undefined {
    const [input, output] = [inputMint, outputMint].map((mint) => {
      const token = this.token(mint);
      return token && unitPrice(this.context.prices.usdText(token.mint), token.decimals);
    });
    return input && output && (inAmount * input.over * output.under) / (input.under * output.over);
  }

  moveAgainst(inputMint: string, outputMint: string, bps: number): void {
    for (const way of this.ways(inputMint, outputMint)) {
      const { pair, inputMint: mint } = way.at(-1)!;
      this.keeper.drain(pair, mint === pair.a.mint ? pair.b.mint : pair.a.mint, bps);
    }
  }

  follow(inputMint: string, outputMint: string): void {
    for (const { pair } of this.ways(inputMint, outputMint).flat()) this.keeper.reset(pair);
  }

  private ways(inputMint: string, outputMint: string): Passage[][] {
    const [input, output] = [this.token(inputMint), this.token(outputMint)];
    return input && output ? this.waysBetween(input, output) : [];
  }

  /** The pair of both, or else the ways over each base. */
  private waysBetween(input: TokenInfo, output: TokenInfo): Passage[][] {
    const direct = pairOf(input, output);
    if (direct) return [[{ pair: direct, inputMint: input.mint }]];
    if (input.mint === output.mint) return [];
    return BASE_MINTS.map((mint) => {
      const base = this.context.tokens.get(mint)!;
      return [
        { pair: pairOf(input, base)!, inputMint: input.mint },
        { pair: pairOf(base, output)!, inputMint: mint },
      ];
    });
  }

  /** One path for each venue: the best pool of each pair together, then the next best. */
  private pathsOf(way: readonly Passage[], inAmount: bigint, excluded: readonly string[]): Path[] {
    let amount = inAmount;
    const hops = way.map(({ pair, inputMint }) => {
      const sorted = this.hopsOf(pair, inputMint, excluded)
        .map((hop) => ({ hop, output: hopOutput(hop, amount) }))
        .sort((one, other) => Number(other.output - one.output));
      amount = sorted[0]?.output ?? 0n;
      return sorted.map(({ hop }) => hop);
    });
    const count = Math.min(...hops.map(({ length }) => length));
    return Array.from({ length: count }, (_, i) => hops.map((list) => list[i]!));
  }

  private hopsOf(pair: Pair, inputMint: Key, excluded: readonly string[]): Hop[] {
    return pair.pools.flatMap((pool) => {
      const state = excluded.includes(pool.venue.name) ? undefined : this.keeper.state(pool);
      return state ? [hopOf(pool, state.reserves, inputMint)] : [];
    });
  }

  private token(mint: string): TokenInfo | undefined {
    const parsed = parseKey(mint);
    return parsed && this.context.tokens.get(parsed);
  }

  private mintAccount({ mint }: TokenInfo): Account {
    return this.context.chain.account(mint)!;
  }
}

function mostPaths(paths: readonly Path[], maxLegs: number | undefined): number {
  const hops = paths[0]?.length ?? 1;
  return maxLegs === undefined ? MOST_PATHS : Math.min(MOST_PATHS, Math.floor(maxLegs / hops));
}
