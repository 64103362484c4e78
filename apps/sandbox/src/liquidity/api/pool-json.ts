import { formatAmount } from '@agent-wallet/kernel';
import { RawJson } from '../../encoding/json.js';
import { type Key, keyText } from '../../encoding/keys.js';
import type { TokenInfo } from '../../tokens/mainnet.js';
import { programIdOf } from '../../tokens/token-accounts.js';
import type { TokenRegistry } from '../../tokens/registry.js';
import { LP_DECIMALS } from '../cpmm-layout.js';
import { authorityAddress, CPMM_PROGRAM } from '../cpmm-program.js';
import { FEE_TIERS, type FeeTier } from '../fee-tiers.js';
import type { PoolState } from '../liquidity-venue.js';

const RATE_PARTS = 1_000_000;
const QUIET_PERIOD = {
  ...{ volume: 0, volumeQuote: 0, volumeFee: 0, apr: 0, feeApr: 0 },
  ...{ priceMin: 0, priceMax: 0, rewardApr: [] },
};

/** A pool as the API lists it: a real one of the chain, or one that only the listing knows. */
export interface ListedPool {
  readonly id: Key;
  readonly programId: Key;
  /** The pool whose tokens and amounts are shown. */
  readonly state: PoolState;
  readonly tvlUsd: number;
  /** The keys that are shown, if not the pool's own. */
  readonly keysOf?: PoolState | undefined;
}

/** Builds a pool's entry in lists. */
export function poolInfo(pool: ListedPool, tokens: TokenRegistry): Record<string, unknown> {
  const { state, tvlUsd } = pool;
  const [amountA, amountB] = ([0, 1] as const).map((side) => formatAmount(state.reserves[side], state.decimals[side]));
  const lpAmount = formatAmount(state.lpSupply, LP_DECIMALS);
  const isCpmm = pool.programId === CPMM_PROGRAM;
  const tier = tierOf(state.config);
  return {
    type: 'Standard',
    ...{ programId: keyText(pool.programId), id: keyText(pool.id) },
    ...{ mintA: mintJson(state, 0, tokens), mintB: mintJson(state, 1, tokens) },
    ...{ rewardDefaultPoolInfos: 'Ecosystem', rewardDefaultInfos: [] },
    price: Number(amountB) / Number(amountA),
    ...{ mintAmountA: new RawJson(amountA!), mintAmountB: new RawJson(amountB!) },
    feeRate: Number(tier.tradeFeeRate) / RATE_PARTS,
    openTime: String(state.openTime),
    tvl: tvlUsd,
    ...{ day: QUIET_PERIOD, week: QUIET_PERIOD, month: QUIET_PERIOD },
    pooltype: [],
    ...{ farmUpcomingCount: 0, farmOngoingCount: 0, farmFinishedCount: 0 },
    ...(isCpmm ? { config: tierJson(tier) } : { marketId: keyText(pool.id) }),
    lpMint: lpMintJson(pool),
    lpPrice: Number(lpAmount) === 0 ? 0 : tvlUsd / Number(lpAmount),
    lpAmount: new RawJson(lpAmount),
    burnPercent: 0,
  };
}

/** Builds the keys that a client needs for a pool's instructions. */
export function poolKeys(pool: ListedPool, tokens: TokenRegistry): Record<string, unknown> {
  const shown = pool.keysOf ?? pool.state;
  return {
    ...{ programId: keyText(pool.programId), id: keyText(pool.id) },
    ...{ mintA: mintJson(pool.state, 0, tokens), mintB: mintJson(pool.state, 1, tokens) },
    openTime: String(pool.state.openTime),
    vault: { A: keyText(shown.vaults[0]), B: keyText(shown.vaults[1]) },
    authority: keyText(authorityAddress(pool.programId).key),
    mintLp: lpMintJson(pool),
    config: tierJson(tierOf(pool.state.config)),
    observationId: keyText(shown.observation),
  };
}

/** Builds a fee tier's entry. */
export function tierJson(tier: FeeTier): Record<string, unknown> {
  return {
    ...{ id: keyText(tier.address), index: tier.index },
    protocolFeeRate: Number(tier.protocolFeeRate),
    tradeFeeRate: Number(tier.tradeFeeRate),
    fundFeeRate: Number(tier.fundFeeRate),
    createPoolFee: String(tier.createPoolFee),
    creatorFeeRate: 0,
  };
}

function tierOf(config: Key): FeeTier {
  return FEE_TIERS.find(({ address }) => address === config)!;
}

function mintJson({ mints }: PoolState, side: 0 | 1, tokens: TokenRegistry): Record<string, unknown> {
  return tokenJson(tokens.get(mints[side])!);
}

function lpMintJson({ keysOf, state }: ListedPool): Record<string, unknown> {
  const { lpMint } = keysOf ?? state;
  return tokenJson({ mint: lpMint, symbol: '', name: '', decimals: LP_DECIMALS, program: 'token' });
}

function tokenJson(token: TokenInfo): Record<string, unknown> {
  return {
    ...{ chainId: 101, address: keyText(token.mint), programId: programIdOf(token).toBase58(), logoURI: '' },
    ...{ symbol: token.symbol, name: token.name, decimals: token.decimals, tags: [], extensions: {} },
  };
}
