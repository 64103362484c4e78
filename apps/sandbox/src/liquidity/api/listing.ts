import type { Key } from '../../encoding/keys.js';
import { derivedAddress } from '../../market/pool.js';
import { AMM_V4_KEYS, AMM_V4_POOL, AMM_V4_PROGRAM } from '../amm-v4.js';
import { CPMM_PROGRAM } from '../cpmm-program.js';
import type { LiquidityVenue, PoolState } from '../liquidity-venue.js';
import type { ListedPool } from './pool-json.js';

/** An address at which there is nothing. */
const FAKE_POOL = derivedAddress('fake pool');
const TVL_LIE = 1_000;

/** False facts in a response of the API. */
export interface Lies {
  /** Lists pools of other programs as Raydium's, and one that is nowhere. */
  readonly fakePool: boolean;
  /** Shows another pool's vaults, LP mint and price record. */
  readonly wrongKeys: boolean;
  /** Shows a thousand times the value. */
  readonly lyingTvl: boolean;
}

/** Returns all pools that the API knows, the most valuable first. */
export function listedPools(venue: LiquidityVenue, lies: Lies): ListedPool[] {
  const states = venue.pools();
  const own = states.filter(({ program }) => program === CPMM_PROGRAM);
  const listed: ListedPool[] = own.map((state) => listedPool(venue, state));
  const first = own[0];
  if (first) {
    const shown = listedPool(venue, { ...first, ...AMM_V4_KEYS });
    listed.push({ ...shown, id: AMM_V4_POOL, programId: AMM_V4_PROGRAM });
  }
  if (lies.fakePool) {
    const fakes = states.filter(({ program }) => program !== CPMM_PROGRAM);
    listed.push(...fakes.map((state) => ({ ...listedPool(venue, state), programId: CPMM_PROGRAM })));
    if (first) listed.push({ ...listedPool(venue, first), id: FAKE_POOL });
  }
  return listed
    .map((pool, index) => ({
      ...pool,
      tvlUsd: lies.lyingTvl ? pool.tvlUsd * TVL_LIE : pool.tvlUsd,
      keysOf: lies.wrongKeys ? listed[(index + 1) % listed.length]!.state : undefined,
    }))
    .sort((one, other) => other.tvlUsd - one.tvlUsd);
}

/** Whether a pool trades these mints; a mint left out matches all. */
export function trades({ state }: ListedPool, mints: ReadonlyArray<Key | undefined>): boolean {
  return mints.every((mint) => mint === undefined || state.mints.includes(mint));
}

function listedPool(venue: LiquidityVenue, state: PoolState): ListedPool {
  const tvlUsd = Number(venue.valueUsd(state) ?? 0n);
  return { id: state.address, programId: state.program, state, tvlUsd };
}
