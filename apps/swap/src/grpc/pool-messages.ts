import type { swapV1 } from '@agent-wallet/contracts';
import { AppError } from '@agent-wallet/kernel';
import { isAddress } from '@agent-wallet/solana';
import type { ShownPosition } from '../application/liquidity/list-positions.js';
import type { ShownPool } from '../application/liquidity/read-pools.js';

const MAX_LIMIT = 100;

/** Reads the filters of a page of pools. @throws AppError VALIDATION_ERROR */
export function poolQueryOf({ mint, mint2, limit, cursor }: swapV1.ListPoolsRequest) {
  if (mint !== '' && !isAddress(mint)) throw AppError.field('mint', 'must be the address of a mint');
  if (mint2 !== '' && !isAddress(mint2)) throw AppError.field('mint2', 'must be the address of a mint');
  if (mint2 !== '' && mint === '') throw AppError.field('mint', 'is required with mint2', 'required');
  if (limit < 1 || limit > MAX_LIMIT) throw AppError.field('limit', `must be from 1 to ${MAX_LIMIT}`, 'out_of_range');
  return { mints: [mint, mint2].filter((each) => each !== ''), limit, cursor };
}

/** Converts a pool to its wire form. */
export function toPool(shown: ShownPool): swapV1.Pool {
  const { pool, price, valueUsdMicros, unsupportedReason } = shown;
  return {
    pool: pool.address,
    lpMint: pool.lpMint,
    tokens: tokensOf(shown, pool.reserves),
    lpSupply: pool.lpSupply,
    tradeFeeRate: pool.tradeFeeRate,
    price,
    valueUsdMicros,
    depositsOpen: pool.isDepositOpen,
    withdrawalsOpen: pool.isWithdrawalOpen,
    unsupportedReason: unsupportedReason ?? '',
  };
}

/** Converts positions to their wire form. */
export function toPositions(positions: readonly ShownPosition[]): swapV1.ListPositionsResponse {
  const times = positions.flatMap(({ shown, usdMicros }) => (usdMicros === undefined ? [] : (shown.pricedAtMs ?? [])));
  return {
    positions: positions.map(({ shown, amounts, liquidity, usdMicros }) => {
      return { pool: toPool(shown), amounts: tokensOf(shown, amounts), liquidity, usdMicros };
    }),
    pricedAtMs: BigInt(times.length > 0 ? Math.min(...times) : 0),
  };
}

function tokensOf({ pool, symbols }: ShownPool, amounts: readonly [bigint, bigint]): swapV1.PoolToken[] {
  return pool.sides.map(({ mint, decimals }, i) => ({ mint, symbol: symbols[i]!, decimals, amount: amounts[i]! }));
}
