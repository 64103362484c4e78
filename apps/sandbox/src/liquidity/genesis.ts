import type { AccountChange } from '../chain/account.js';
import { SYSTEM_PROGRAM } from '../chain/programs.js';
import type { Key } from '../encoding/keys.js';
import { unitPrice } from '../market/pair.js';
import { derivedAddress } from '../market/pool.js';
import { MAINNET_TOKENS, type MainnetToken } from '../tokens/mainnet.js';
import { seededAccount } from '../tokens/token-accounts.js';
import { AMM_V4_POOL, AMM_V4_PROGRAM } from './amm-v4.js';
import type { Sides } from './cpmm-layout.js';
import { authorityAddress, CPMM_PROGRAM } from './cpmm-program.js';
import { FEE_TIERS, feeTierAccounts } from './fee-tiers.js';
import { followAccount } from './followed-price.js';
import { plannedPool, poolAccounts, sortedByMint } from './pool-accounts.js';

/** What each side of a pool is worth unless asked otherwise. */
export const DEPTH_USD = '1000000';

const AMM_V4_BYTES = 752;

/** A program of a thief, with a pool that looks like Raydium's. */
const LOOK_ALIKE_PROGRAM = derivedAddress('look-alike program');

const POOLS = [
  { symbols: ['SOL', 'USDC'], tier: 0 },
  { symbols: ['JUP', 'SOL'], tier: 0 },
  { symbols: ['USDC', 'BONK'], tier: 0 },
  { symbols: ['SOL', 'USDC'], tier: 1 },
  { symbols: ['SOL', 'USDC'], tier: 0, program: LOOK_ALIKE_PROGRAM },
] as const;

/** Builds the accounts that a new world's liquidity venue begins with; the maker holds the LP tokens. */
export function liquidityAccounts(maker: { readonly key: Key }): AccountChange[] {
  const authority = seededAccount(authorityAddress(CPMM_PROGRAM).key, SYSTEM_PROGRAM, Buffer.alloc(0), 1_000_000_000n);
  const other = seededAccount(AMM_V4_POOL, AMM_V4_PROGRAM, Buffer.alloc(AMM_V4_BYTES));
  const pools = POOLS.flatMap(({ symbols: [one, other], tier, ...rest }) => {
    const tokens = sortedByMint(tokenOf(one), tokenOf(other));
    const amounts: Sides<bigint> = [firstAmount(tokens[0]), firstAmount(tokens[1])];
    const plan = { tokens, amounts, tier: FEE_TIERS[tier], creator: maker.key, ...rest };
    const pool = plannedPool(plan);
    const followed = { prices: `${tokens[0].usd}/${tokens[1].usd}`, skewPercent: 0 };
    return [...poolAccounts(plan, pool), followAccount(pool.address, followed)];
  });
  return [authority, other, ...feeTierAccounts(), ...pools];
}

function tokenOf(symbol: string): MainnetToken {
  return MAINNET_TOKENS.find((token) => token.symbol === symbol)!;
}

function firstAmount({ usd, decimals }: MainnetToken): bigint {
  const { over, under } = unitPrice(usd, decimals)!;
  return (BigInt(DEPTH_USD) * under) / over;
}
