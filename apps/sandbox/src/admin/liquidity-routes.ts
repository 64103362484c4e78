import { AmountError, parseAmount } from '@agent-wallet/kernel';
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { deriveKeypair } from '../chain/keypair.js';
import { keyText, parseKey } from '../encoding/keys.js';
import { BadRequest, type JsonRoute, readBy } from '../http/json-server.js';
import { integerSqrt, LOCKED_LP } from '../liquidity/constant-product.js';
import { FEE_TIERS } from '../liquidity/fee-tiers.js';
import { DEPTH_USD } from '../liquidity/genesis.js';
import type { PoolState } from '../liquidity/liquidity-venue.js';
import { swapAsMaker } from '../liquidity/maker-swap.js';
import { plannedPool, type PoolPlan, sortedByMint } from '../liquidity/pool-accounts.js';
import { unitPrice } from '../market/pair.js';
import type { MarketToken } from '../market/pair-accounts.js';
import { SendingFailed } from '../tokens/sender.js';
import type { AdminContext } from './admin-context.js';
import { readAddress } from './read-parameters.js';

/** The program's maths must not overflow on the way. */
const MOST_UNITS = 1n << 62n;
const USD_SCALE = 6;
const STATUS_BITS = 7;

const Raw = z.string().regex(/^(0|[1-9]\d{0,19})$/, 'must be an integer as text');
const Address = z.string().refine((text) => parseKey(text) !== undefined, 'must be an address');
const Skew = z.number().gt(-99.9).max(100_000);
const Status = z.int().min(0).max(STATUS_BITS);
const OpenTime = z.int().min(0);

const PoolBody = z.strictObject({
  mintA: z.string(),
  mintB: z.string(),
  configIndex: z.union([z.literal(0), z.literal(1)]).default(0),
  depthUsd: z.string().optional(),
  amountA: Raw.optional(),
  amountB: Raw.optional(),
  status: Status.optional(),
  openTime: OpenTime.optional(),
  address: z.enum(['pda', 'free']).default('pda'),
  owner: Address.optional(),
  authority: Address.optional(),
  skewPercent: Skew.optional(),
});

const ChangeBody = z.strictObject({
  status: Status.optional(),
  openTime: OpenTime.optional(),
  skewPercent: Skew.optional(),
  donate0Raw: Raw.optional(),
  donate1Raw: Raw.optional(),
});

const SwapBody = z.strictObject({ mint: z.string(), amountRaw: Raw });

type PoolOrder = z.infer<typeof PoolBody>;

/** Looks at the liquidity venue's pools, makes some, moves them, and swaps in them as the market maker. */
export function liquidityRoutes(context: AdminContext): JsonRoute[] {
  const { liquidity, journal } = context;
  return [
    { method: 'GET', path: '/liquidity/pools', answer: () => ({ body: { pools: liquidity.pools().map(poolJson) } }) },
    {
      method: 'POST',
      path: '/liquidity/pools',
      answer: async ({ body }) => {
        const pool = makePool(context, readBy(PoolBody, body));
        await journal.synced();
        return { body: addressesJson(pool) };
      },
    },
    {
      method: 'PATCH',
      path: '/liquidity/pools/{pool}',
      answer: async ({ names, body }) => {
        const pool = readPool(context, names['pool']);
        changePool(context, pool, readBy(ChangeBody, body));
        await journal.synced();
        return { body: poolJson(liquidity.pool(pool.address)!) };
      },
    },
    {
      method: 'POST',
      path: '/liquidity/pools/{pool}/swaps',
      answer: async ({ names, body }) => {
        const swapped = await swap(context, readPool(context, names['pool']), readBy(SwapBody, body));
        await journal.synced();
        return { body: swapped };
      },
    },
  ];
}

function makePool(context: AdminContext, order: PoolOrder): PoolState {
  const plan = readPlan(context, order);
  const { address } = plannedPool(plan);
  if (context.chain.account(address)) throw new BadRequest(`there is a pool ${keyText(address)} already`, 409);
  const supply = integerSqrt(plan.amounts[0] * plan.amounts[1]);
  if (supply <= LOCKED_LP) throw new BadRequest(`the amounts are too small: ${supply} LP units`);
  const hasPrices = plan.tokens.every((token) => priceOf(context, token) !== undefined);
  const hasAmounts = order.amountA !== undefined;
  if (order.skewPercent !== undefined && !hasPrices) throw new BadRequest('skewPercent needs a price of both tokens');
  const follows = hasPrices && (!hasAmounts || order.skewPercent !== undefined);
  const pool = context.liquidity.create(plan, follows ? (order.skewPercent ?? 0) : null);
  const { skewPercent } = order;
  if (skewPercent !== undefined && !context.liquidity.change(pool, { skewPercent }))
    throw new BadRequest('skewPercent leaves a side empty');
  return context.liquidity.pool(pool.address)!;
}

function readPlan(context: AdminContext, order: PoolOrder): PoolPlan {
  const [a, b] = [readToken(context, order, 'mintA'), readToken(context, order, 'mintB')];
  if (a.mint === b.mint) throw new BadRequest('mintA and mintB must differ');
  const amounts = readAmounts(context, order, [a, b]);
  const sides = sortedByMint({ mint: a.mint, amount: amounts[0] }, { mint: b.mint, amount: amounts[1] });
  return {
    tokens: sortedByMint(a, b),
    amounts: [sides[0].amount, sides[1].amount],
    tier: FEE_TIERS[order.configIndex],
    creator: context.maker.key,
    program: parseKey(order.owner),
    authority: parseKey(order.authority),
    address: order.address === 'free' ? deriveKeypair(randomBytes(32), 'pool').key : undefined,
    status: order.status,
    openTime: order.openTime === undefined ? undefined : BigInt(order.openTime),
  };
}

function readToken({ tokens, chain }: AdminContext, order: PoolOrder, name: 'mintA' | 'mintB'): MarketToken {
  const token = tokens.find(order[name]);
  if (!token) throw new BadRequest(`${name}: unknown token: ${order[name]}`);
  return { ...token, mintAccount: chain.account(token.mint) };
}

function readAmounts(
  context: AdminContext,
  order: PoolOrder,
  tokens: readonly [MarketToken, MarketToken],
): readonly [bigint, bigint] {
  const { amountA, amountB, depthUsd } = order;
  if ((amountA === undefined) !== (amountB === undefined)) throw new BadRequest('amountA and amountB belong together');
  if (amountA !== undefined && depthUsd !== undefined)
    throw new BadRequest('either depthUsd or amountA and amountB are allowed');
  const amounts =
    amountA === undefined
      ? tokens.map((token) => amountWorth(context, token, depthUsd ?? DEPTH_USD))
      : [BigInt(amountA), BigInt(amountB!)];
  for (const amount of amounts) {
    if (amount === 0n || amount >= MOST_UNITS) throw new BadRequest(`a side must hold 1 to 2^62 - 1 units: ${amount}`);
  }
  return [amounts[0]!, amounts[1]!];
}

function amountWorth(context: AdminContext, token: MarketToken, depthUsd: string): bigint {
  const price = priceOf(context, token);
  if (!price) throw new BadRequest(`${token.symbol} has no price: give amountA and amountB`);
  try {
    return (parseAmount(depthUsd, USD_SCALE) * price.under) / (price.over * 10n ** BigInt(USD_SCALE));
  } catch (error) {
    if (error instanceof AmountError) throw new BadRequest(`depthUsd: ${error.message}`);
    throw error;
  }
}

function priceOf({ prices }: AdminContext, { mint, decimals }: MarketToken): ReturnType<typeof unitPrice> {
  return unitPrice(prices.usdText(mint), decimals);
}

function readPool({ liquidity }: AdminContext, text: string | undefined): PoolState {
  const pool = liquidity.pool(readAddress('pool', text));
  if (!pool) throw new BadRequest(`unknown pool: ${text}`, 404);
  return pool;
}

function changePool({ liquidity }: AdminContext, pool: PoolState, order: z.infer<typeof ChangeBody>): void {
  const { status, openTime, skewPercent, donate0Raw, donate1Raw } = order;
  if (Object.keys(order).length === 0)
    throw new BadRequest('status, openTime, skewPercent, donate0Raw or donate1Raw is required');
  const given = [BigInt(donate0Raw ?? 0), BigInt(donate1Raw ?? 0)] as const;
  if (given.some((units, side) => pool.reserves[side]! + units >= MOST_UNITS))
    throw new BadRequest('a donation is too large: a side must stay below 2^62 units');
  const isDone = liquidity.change(pool, {
    ...{ status, skewPercent, donations: given },
    openTime: openTime === undefined ? undefined : BigInt(openTime),
  });
  if (!isDone) throw new BadRequest('skewPercent needs a price of both tokens, and must leave no side empty');
}

async function swap(
  context: AdminContext,
  pool: PoolState,
  { mint, amountRaw }: z.infer<typeof SwapBody>,
): Promise<unknown> {
  const token = context.tokens.find(mint);
  const side = token ? pool.mints.indexOf(token.mint) : -1;
  if (side < 0) throw new BadRequest(`mint: the pool does not hold ${mint}`);
  const amount = BigInt(amountRaw);
  if (amount === 0n || amount >= MOST_UNITS) throw new BadRequest('amountRaw must be 1 to 2^62 - 1');
  try {
    const { amountIn, amountOut, signature } = await swapAsMaker(context, pool, side === 0 ? 0 : 1, amount);
    const [amountInRaw, amountOutRaw] = [amountIn, amountOut].map(String);
    return { amountInRaw, amountOutRaw, signature: keyText(signature) };
  } catch (error) {
    throw error instanceof SendingFailed ? new BadRequest(error.message, 422) : error;
  }
}

function addressesJson(pool: PoolState): Record<string, unknown> {
  return {
    pool: keyText(pool.address),
    lpMint: keyText(pool.lpMint),
    vaults: pool.vaults.map(keyText),
    config: keyText(pool.config),
    mint0: keyText(pool.mints[0]),
    mint1: keyText(pool.mints[1]),
  };
}

function poolJson(pool: PoolState): unknown {
  const texts = (sides: readonly bigint[]) => sides.map(String);
  return {
    ...addressesJson(pool),
    owner: keyText(pool.program),
    configIndex: FEE_TIERS.findIndex(({ address }) => address === pool.config),
    reserves: texts(pool.reserves),
    lpSupply: String(pool.lpSupply),
    protocolFees: texts(pool.protocolFees),
    fundFees: texts(pool.fundFees),
    status: pool.status,
    openTime: Number(pool.openTime),
    skewPercent: pool.skewPercent,
  };
}
