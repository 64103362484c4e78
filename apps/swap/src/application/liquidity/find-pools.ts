import { type Clock, RecentlyUsed } from '@agent-wallet/kernel';
import { randomInt } from 'node:crypto';
import type { KnownPools, PoolDirectory } from '../../ports/pool-directory.js';

/** Sources of pools by their liquidity mints. */
interface PoolFinderSources {
  readonly known: KnownPools;
  readonly directory: Pick<PoolDirectory, 'byLpMint'>;
  readonly clock: Clock;
  /** Returns a random integer from 0 to below the bound; of the system when omitted. */
  readonly random?: (bound: number) => number;
}

/** Addresses of pools by liquidity mint. */
interface FoundPools {
  readonly known: ReadonlyMap<string, string>;
  /** Pools that the venue names, and this deployment does not know. */
  readonly listed: ReadonlyMap<string, string>;
}

/** Mints in one call to the venue, and calls at once. */
const CALL_MINTS = 50;
const MAX_CALLS = 10;
/** Mints without a pool that are remembered, and for how long: a new pool is listed by then. */
const MAX_KEPT = 50_000;
const KEPT_MS = 5 * 60_000;

/**
 * Finds pools by their liquidity mints: those known here, and others by the venue's list. Strangers can send a wallet any
 * number of mints that look like liquidity, so that the venue is asked for a bounded number of them, from a random one
 * on, and not again for those that it did not know a short while ago.
 */
export class FindPools {
  /** Time until which the venue is not asked again, by mint. */
  readonly #withoutPool = new RecentlyUsed<number>(MAX_KEPT);
  readonly #random: (bound: number) => number;

  constructor(private readonly sources: PoolFinderSources) {
    this.#random = sources.random ?? ((bound) => randomInt(bound));
  }

  /** Finds pools; only the known ones while the venue does not answer. */
  async byLpMint(lpMints: readonly string[]): Promise<FoundPools> {
    if (lpMints.length === 0) return { known: new Map(), listed: new Map() };
    const known = await this.sources.known.find(lpMints);
    const now = this.sources.clock.nowMs();
    const unknown = lpMints.filter((mint) => !known.has(mint) && (this.#withoutPool.use(mint) ?? 0) <= now);
    const listed = await Promise.all(this.#calls(unknown).map((mints) => this.#ask(mints)));
    return { known, listed: new Map(listed.flatMap((pools) => [...pools])) };
  }

  /** Parts mints into calls, from a random one on: no stranger chooses which are left out. */
  #calls(mints: readonly string[]): string[][] {
    const start = mints.length > CALL_MINTS * MAX_CALLS ? this.#random(mints.length) : 0;
    const chosen = [...mints.slice(start), ...mints.slice(0, start)].slice(0, CALL_MINTS * MAX_CALLS);
    const count = Math.ceil(chosen.length / CALL_MINTS);
    return Array.from({ length: count }, (_, i) => chosen.slice(i * CALL_MINTS, (i + 1) * CALL_MINTS));
  }

  async #ask(mints: readonly string[]): Promise<ReadonlyMap<string, string>> {
    try {
      const pools = await this.sources.directory.byLpMint(mints);
      const until = this.sources.clock.nowMs() + KEPT_MS;
      for (const mint of mints) if (!pools.has(mint)) this.#withoutPool.keep(mint, until);
      return pools;
    } catch {
      // Counted as a failed call to the venue. What is known here is worth showing without the rest.
      return new Map();
    }
  }
}
