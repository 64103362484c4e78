import { z } from 'zod';
import { RawJson } from '../encoding/json.js';
import { keyText } from '../encoding/keys.js';
import { BadRequest, type JsonRoute, readBy } from '../http/json-server.js';
import type { Deviation, PriceSource } from '../market/price-board.js';
import type { AdminContext } from './admin-context.js';
import { readPrice } from './read-parameters.js';

const MOST_AGE_SECONDS = 10 * 365 * 24 * 3600;

const PriceBody = z.union([
  z.strictObject({ freeze: z.boolean() }),
  z.strictObject({
    token: z.string(),
    usd: z.union([z.number(), z.string(), z.null()]).optional(),
    usdRaw: z.string().optional(),
    ageSeconds: z.number().min(0).max(MOST_AGE_SECONDS).optional(),
  }),
  z.strictObject({
    token: z.string(),
    source: z.enum(['aggregator', 'oracle']),
    usd: z.union([z.number(), z.string(), z.null()]).optional(),
    usdRaw: z.string().optional(),
    ageSeconds: z.number().min(0).max(MOST_AGE_SECONDS).optional(),
    liquidityUsd: z.number().min(0).optional(),
    change24hPercent: z.number().min(-100).optional(),
    confidencePercent: z.number().min(0).max(100).optional(),
  }),
]);

type Orders = Exclude<z.infer<typeof PriceBody>, { freeze: boolean }>;
type DeviationOrder = Extract<Orders, { source: PriceSource }>;
type PriceOrder = Exclude<Orders, DeviationOrder>;

/**
 * Reads, sets, removes, ages or freezes prices. `usdRaw` puts any JSON text in a price's place. With `source` only what
 * that source publishes changes, until the price is set again without.
 */
export function priceAdminRoutes(context: AdminContext): JsonRoute[] {
  return [
    { method: 'GET', path: '/prices', answer: () => ({ body: list(context) }) },
    {
      method: 'POST',
      path: '/prices',
      answer: async ({ body }) => {
        const order = readBy(PriceBody, body);
        if ('freeze' in order) context.prices.freeze(order.freeze);
        else if ('source' in order) deviate(context, order);
        else change(context, order);
        await context.journal.synced();
        return { body: list(context) };
      },
    },
  ];
}

function list({ chain, tokens, prices }: AdminContext): unknown {
  const headSlot = chain.view().confirmed;
  const known = tokens.all().map((token) => {
    const price = prices.get(token.mint, headSlot);
    return {
      token: token.symbol,
      mint: keyText(token.mint),
      usd: price ? new RawJson(price.usdText) : null,
      blockId: price?.blockId ?? null,
      aggregator: shownDeviation(prices.deviation('aggregator', token.mint)),
      oracle: shownDeviation(prices.deviation('oracle', token.mint)),
    };
  });
  return { frozen: prices.isFrozen, prices: known };
}

function change({ chain, tokens, prices }: AdminContext, order: PriceOrder): void {
  const token = tokens.find(order.token);
  if (!token) throw new BadRequest(`unknown token: ${order.token}`);
  const ageMs = Math.round((order.ageSeconds ?? 0) * 1000);
  const usdText = order.usdRaw === undefined ? plainText(order.usd) : jsonText(order.usdRaw);
  if (usdText === null) prices.change(token.mint, { kind: 'remove' });
  else if (usdText !== undefined) prices.change(token.mint, { kind: 'set', usdText, ageMs });
  else if (order.ageSeconds === undefined) throw new BadRequest('usd, usdRaw or ageSeconds is required');
  else if (!prices.get(token.mint, chain.view().confirmed)) throw new BadRequest(`${token.symbol} has no price to age`);
  else prices.change(token.mint, { kind: 'age', ageMs });
}

function deviate({ tokens, prices }: AdminContext, order: DeviationOrder): void {
  const token = tokens.find(order.token);
  if (!token) throw new BadRequest(`unknown token: ${order.token}`);
  const { source, ageSeconds, liquidityUsd, change24hPercent, confidencePercent } = order;
  const usdText = order.usdRaw === undefined ? plainText(order.usd) : jsonText(order.usdRaw);
  const ageMs = ageSeconds === undefined ? undefined : Math.round(ageSeconds * 1000);
  const fields = { usdText, ageMs, liquidityUsd, change24hPercent, confidencePercent };
  const set = Object.entries(fields).filter(([, to]) => to !== undefined);
  if (set.length === 0) {
    throw new BadRequest('usd, usdRaw, ageSeconds, liquidityUsd, change24hPercent or confidencePercent is required');
  }
  prices.change(token.mint, { kind: 'deviate', source, deviation: Object.fromEntries(set) });
}

function shownDeviation(deviation: Deviation | undefined): unknown {
  if (!deviation) return undefined;
  const { usdText, ageMs, ...rest } = deviation;
  return {
    ...(usdText === undefined ? {} : { usd: usdText === null ? null : new RawJson(usdText) }),
    ...(ageMs === undefined ? {} : { ageSeconds: ageMs / 1000 }),
    ...rest,
  };
}

function plainText(usd: string | number | null | undefined): string | null | undefined {
  return usd === undefined || usd === null ? usd : readPrice(usd);
}

/** One JSON value of any kind: numbers no double can hold are fine. */
function jsonText(raw: string): string {
  try {
    JSON.parse(raw);
    return raw;
  } catch {
    throw new BadRequest('usdRaw must be JSON');
  }
}
