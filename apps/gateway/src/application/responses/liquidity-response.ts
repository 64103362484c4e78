import type { swapV1 } from '@agent-wallet/contracts';
import { formatAmount, WRAPPED_SOL_MINT } from '@agent-wallet/kernel';
import { required } from '../../ports/services.js';
import { orNull } from './cents.js';
import { amountNumber, type ExactJson, isoTime, usdNumber } from './exact-json.js';

/** The only venue; a program of another may come. */
export const VENUE = 'raydium-cpmm';

const PERCENT_DECIMALS = 4;
const RATE_PER_BPS_DECIMALS = 2;

/** Returns a pool as the API shows it. */
export function poolResponse(pool: swapV1.Pool): Record<string, ExactJson> {
  return {
    ...poolIdentity(pool),
    tokens: pool.tokens.map((token) => tokenOf(token, 'reserve')),
    price: pool.price,
    feeBps: amountNumber(pool.tradeFeeRate, RATE_PER_BPS_DECIMALS),
    valueUsd: usdOf(pool.valueUsdMicros),
    depositsOpen: pool.depositsOpen,
    withdrawalsOpen: pool.withdrawalsOpen,
    unsupportedReason: pool.unsupportedReason === '' ? null : pool.unsupportedReason,
  };
}

/** Returns a page of pools. */
export function poolsResponse({ pools, cursor }: swapV1.ListPoolsResponse): Record<string, ExactJson> {
  return { pools: pools.map(poolResponse), cursor };
}

/** Returns the positions of a wallet, with their sum. */
export function positionsResponse(found: swapV1.ListPositionsResponse): Record<string, ExactJson> {
  const { positions, pricedAtMs } = found;
  const total = positions.reduce((sum, { usdMicros = 0n }) => sum + usdMicros, 0n);
  return {
    positions: positions.map(({ pool: of, amounts, liquidity, usdMicros }) => {
      const pool = required(of, 'pool');
      return {
        ...poolIdentity(pool),
        positionId: pool.pool,
        amounts: amounts.map((token) => tokenOf(token, 'amount')),
        liquidityRaw: liquidity.toString(),
        sharePercent: amountNumber((liquidity * 10n ** 6n) / pool.lpSupply, PERCENT_DECIMALS),
        usdValue: usdOf(usdMicros),
      };
    }),
    totalUsdValue: usdOf(total),
    pricedAt: pricedAtMs === 0n ? null : isoTime(pricedAtMs),
  };
}

function poolIdentity({ pool, lpMint }: swapV1.Pool) {
  return { pool, venue: VENUE, lpMint };
}

function tokenOf({ mint, symbol, decimals, amount }: swapV1.PoolToken, name: 'reserve' | 'amount') {
  return {
    mint: mint === WRAPPED_SOL_MINT ? null : mint,
    symbol,
    decimals,
    [name]: `${formatAmount(amount, decimals)} ${symbol}`,
    [`${name}Raw`]: amount.toString(),
  };
}

function usdOf(micros: bigint | undefined): ExactJson {
  return orNull(micros, usdNumber);
}
