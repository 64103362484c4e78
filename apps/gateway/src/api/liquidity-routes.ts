import { mintNamed } from '@agent-wallet/kernel';
import { z } from 'zod';
import { poolResponse, poolsResponse, positionsResponse } from '../application/responses/liquidity-response.js';
import { required } from '../ports/services.js';
import { defineRoute, type Route } from './route.js';
import { USDC } from './schemas/examples.js';
import { optionalText, queryCursor, queryInteger } from './schemas/fields.js';
import { address, amountText, baseUnits, decimals, percentNumber, usd } from './schemas/units.js';
import { pricedAt, venueRecord } from './schemas/wallet-records.js';

const READ = { method: 'GET', auth: 'bearer', area: 'Liquidity' } as const;

const poolIdentityFields = {
  pool: address('The pool.'),
  venue: venueRecord,
  lpMint: address('The mint of its liquidity tokens.'),
};

const tokenFields = {
  mint: address().nullable().meta({ description: 'Null for the native coin.' }),
  symbol: z.string(),
  decimals: decimals(),
};

const poolRecord = z
  .strictObject({
    ...poolIdentityFields,
    tokens: z.array(
      z.strictObject({ ...tokenFields, reserve: amountText(), reserveRaw: baseUnits() }).meta({ id: 'PoolToken' }),
    ),
    price: z
      .string()
      .meta({ description: 'How much of the second token the pool gives for one of the first: decimal text.' }),
    feeBps: z
      .number()
      .min(0)
      .meta({ 'x-unit': 'Bps', description: 'What a trade in the pool costs, in basis points.' }),
    valueUsd: usd().nullable().meta({ description: 'At market prices, never the pool’s own; null without prices.' }),
    depositsOpen: z.boolean(),
    withdrawalsOpen: z.boolean(),
    unsupportedReason: z
      .enum(['deposits_paused', 'not_open', 'transfer_fee', 'unsafe_token', 'unpriced', 'too_small'])
      .nullable()
      .meta({
        description:
          'Why nothing can be added here. Null when pool, mints and prices allow it; a token that is not verified is ' +
          'refused even so (`UNSAFE_TOKEN`).',
      }),
  })
  .meta({ id: 'Pool', description: 'Two tokens that a program trades.' });

const positionRecord = z
  .strictObject({
    positionId: z.string(),
    ...poolIdentityFields,
    amounts: z
      .array(
        z.strictObject({ ...tokenFields, amount: amountText(), amountRaw: baseUnits() }).meta({ id: 'PositionToken' }),
      )
      .meta({ description: 'What a removal of all would bring now.' }),
    liquidityRaw: baseUnits('Liquidity tokens.'),
    sharePercent: percentNumber('The share of the pool, at most 4 decimals, rounded down.'),
    usdValue: usd().nullable().meta({ description: 'At market prices, never the pool’s own; null without prices.' }),
  })
  .meta({ id: 'LiquidityPosition', description: 'A share of a pool.' });

const POOL = {
  pool: '7JuwJuNU88gurFnyWeiyGKbFmExMWcmRZntn9imEzdny',
  venue: 'raydium-cpmm',
  lpMint: 'Ff68JGeEiUEF859B2xEaPX82vuFeuwxqoxGNHTZPAuKR',
} as const;

const POOL_EXAMPLE: z.input<typeof poolRecord> = {
  ...POOL,
  tokens: [
    { mint: null, symbol: 'SOL', decimals: 9, reserve: '7142.857142857 SOL', reserveRaw: '7142857142857' },
    { mint: USDC, symbol: 'USDC', decimals: 6, reserve: '1000000 USDC', reserveRaw: '1000000000000' },
  ],
  price: '140.0000000000028',
  feeBps: 25,
  valueUsd: 1_999_999.999999,
  depositsOpen: true,
  withdrawalsOpen: true,
  unsupportedReason: null,
};

/** Reads of pools and positions. */
export const LIQUIDITY_ROUTES: readonly Route[] = [
  defineRoute(
    {
      ...READ,
      id: 'getLiquidityPools',
      tool: true,
      path: '/liquidity/pools',
      summary: 'List pools, the largest first',
      notes: 'A venue lists them; every figure is read from the chain. A page may have fewer than `limit`.',
      query: z.strictObject({
        mint: optionalText(64, 'Only pools of this token: symbol or mint.'),
        mint2: optionalText(64, 'And of this token.'),
        limit: queryInteger({ min: 1, max: 100, default: 20 }, 'Pools on a page.'),
        cursor: queryCursor(),
      }),
      response: z.strictObject({ pools: z.array(poolRecord), cursor: z.string() }).meta({ id: 'PoolPage' }),
      errors: ['UPSTREAM_ERROR', 'UPSTREAM_TIMEOUT'],
      example: { response: { pools: [POOL_EXAMPLE], cursor: '' } },
    },
    async ({ input: { query } }, { services: { swap } }) => {
      const found = await swap.pools({ ...query, mint: mintNamed(query.mint), mint2: mintNamed(query.mint2) });
      return { data: poolsResponse(found) };
    },
  ),
  defineRoute(
    {
      ...READ,
      id: 'getLiquidityPool',
      tool: true,
      path: '/liquidity/pools/{pool}',
      summary: 'Get one pool',
      params: z.strictObject({ pool: z.string().meta({ description: 'Address of the pool.' }) }),
      response: poolRecord,
      errors: ['NOT_FOUND', 'UPSTREAM_ERROR', 'UPSTREAM_TIMEOUT'],
      example: { response: POOL_EXAMPLE },
    },
    async ({ input: { params } }, { services: { swap } }) => {
      const { pool } = await swap.pool(params.pool);
      return { data: poolResponse(required(pool, 'pool')) };
    },
  ),
  defineRoute(
    {
      ...READ,
      id: 'getLiquidityPositions',
      tool: true,
      path: '/liquidity/positions',
      summary: 'List positions in pools',
      response: z
        .strictObject({ positions: z.array(positionRecord), totalUsdValue: usd('Sum of the known values.'), pricedAt })
        .meta({ id: 'LiquidityPositions' }),
      errors: ['UPSTREAM_ERROR', 'UPSTREAM_TIMEOUT'],
      example: {
        response: {
          positions: [
            {
              ...POOL,
              positionId: POOL.pool,
              amounts: [
                { mint: null, symbol: 'SOL', decimals: 9, amount: '0.177683013 SOL', amountRaw: '177683013' },
                { mint: USDC, symbol: 'USDC', decimals: 6, amount: '24.875621 USDC', amountRaw: '24875621' },
              ],
              liquidityRaw: '2097352701',
              sharePercent: 0.0024,
              usdValue: 49.751242,
            },
          ],
          totalUsdValue: 49.751242,
          pricedAt: '2026-11-21T10:00:00.000Z',
        },
      },
    },
    async ({ caller: { agentId } }, { services: { swap } }) => {
      return { data: positionsResponse(await swap.positions(agentId)) };
    },
  ),
];
