import type { AccountChange } from '../chain/account.js';
import { NATIVE_MINT, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../chain/programs.js';
import { mintBytes, TOKEN_ACCOUNT_BYTES, tokenAccountBytes } from '../chain/token-layout.js';
import { type Key, keyBytes } from '../encoding/keys.js';
import { type MarketToken, tokenAccount } from '../market/pair-accounts.js';
import { rent, seededAccount, tokenAccountOf } from '../tokens/token-accounts.js';
import { integerSqrt, LOCKED_LP } from './constant-product.js';
import { type CpmmPool, LP_DECIMALS, observationBytes, poolBytes, type Sides } from './cpmm-layout.js';
import {
  authorityAddress,
  CPMM_PROGRAM,
  lpMintAddress,
  observationAddress,
  poolAddress,
  vaultAddress,
} from './cpmm-program.js';
import type { FeeTier } from './fee-tiers.js';

/** A pool that is to be made. Tokens and amounts are in bytewise order of the mints. */
export interface PoolPlan {
  readonly tokens: Sides<MarketToken>;
  readonly amounts: Sides<bigint>;
  readonly tier: FeeTier;
  /** Who made it, and holds all LP tokens that are not locked. */
  readonly creator: Key;
  /** Another program than Raydium's, with addresses of its own. */
  readonly program?: Key | undefined;
  /** Another address than the program derives. */
  readonly address?: Key | undefined;
  /** Another owner of vaults and LP mint than the program derives. */
  readonly authority?: Key | undefined;
  readonly status?: number | undefined;
  readonly openTime?: bigint | undefined;
}

/** Puts two values in the order that pools have: by the bytes of their mints. */
export function sortedByMint<T extends { readonly mint: Key }>(one: T, other: T): Sides<T> {
  return one.mint < other.mint ? [one, other] : [other, one];
}

/** Returns a new pool as its account describes it. */
export function plannedPool(plan: PoolPlan): CpmmPool {
  const { tokens, tier, program = CPMM_PROGRAM } = plan;
  const mints: Sides<Key> = [tokens[0].mint, tokens[1].mint];
  const address = plan.address ?? poolAddress(program, tier.address, mints);
  const programOf = (token: MarketToken) => (token.program === 'token' ? TOKEN_PROGRAM : TOKEN_2022_PROGRAM);
  return {
    ...{ address, program, config: tier.address, creator: plan.creator, mints },
    vaults: [vaultAddress(program, address, mints[0]), vaultAddress(program, address, mints[1])],
    lpMint: lpMintAddress(program, address),
    tokenPrograms: [programOf(tokens[0]), programOf(tokens[1])],
    observation: observationAddress(program, address),
    authorityBump: authorityAddress(program).bump,
    status: plan.status ?? 0,
    decimals: [tokens[0].decimals, tokens[1].decimals],
    lpSupply: integerSqrt(plan.amounts[0] * plan.amounts[1]),
    ...{ protocolFees: [0n, 0n], fundFees: [0n, 0n], creatorFees: [0n, 0n] },
    openTime: plan.openTime ?? 0n,
  };
}

/** Builds the accounts of a new pool: itself, its vaults, LP mint and price record, and the creator's LP tokens. */
export function poolAccounts(plan: PoolPlan, pool = plannedPool(plan)): AccountChange[] {
  const authority = plan.authority ?? authorityAddress(pool.program).key;
  const held = pool.lpSupply - LOCKED_LP;
  const mint = mintBytes({ authority: keyBytes(authority), supply: held, decimals: LP_DECIMALS });
  const lpTokens = tokenAccountBytes(keyBytes(pool.lpMint), keyBytes(plan.creator), held);
  return [
    seededAccount(pool.address, pool.program, poolBytes(pool)),
    tokenAccount(pool.vaults[0], plan.tokens[0], authority, plan.amounts[0]),
    tokenAccount(pool.vaults[1], plan.tokens[1], authority, plan.amounts[1]),
    seededAccount(pool.lpMint, TOKEN_PROGRAM, mint),
    seededAccount(pool.observation, pool.program, observationBytes(pool.address)),
    seededAccount(tokenAccountOf(plan.creator, { mint: pool.lpMint, program: 'token' }), TOKEN_PROGRAM, lpTokens),
  ];
}

/** Gives a token account another balance; of wrapped SOL, other lamports too. */
export function withBalance({ key, after }: AccountChange, mint: Key, units: bigint): AccountChange {
  const data = Buffer.from(after!.data);
  data.writeBigUInt64LE(units, 64);
  const lamports = mint === NATIVE_MINT ? rent(TOKEN_ACCOUNT_BYTES) + units : after!.lamports;
  return { key, after: { ...after!, data, lamports } };
}
