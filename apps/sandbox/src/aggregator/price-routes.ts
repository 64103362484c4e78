import { RawJson } from '../encoding/json.js';
import { keyText, parseKey } from '../encoding/keys.js';
import { BadRequest, type JsonRoute } from '../http/json-server.js';
import { MAINNET_TOKENS } from '../tokens/mainnet.js';
import type { AggregatorContext } from './aggregator-context.js';

const MOST_IDS = 50;
const CUSTOM_LIQUIDITY_USD = 100_000;

/** GET /price/v3?ids=: prices of up to 50 mints; those without a price are left out. */
export function priceRoutes({ chain, tokens, prices }: AggregatorContext): JsonRoute[] {
  const liquidity = new Map(MAINNET_TOKENS.map((t) => [t.mint, t.liquidityUsd]));
  const createdAt = new Date(chain.genesis.origin.timeMs).toISOString();
  return [
    {
      method: 'GET',
      path: '/price/v3',
      answer: ({ query }) => {
        const ids = (query.get('ids') ?? '').split(',').filter((id) => id !== '');
        if (ids.length === 0) throw new BadRequest('ids is required');
        if (ids.length > MOST_IDS) throw new BadRequest(`at most ${MOST_IDS} ids`);
        const headSlot = chain.view().confirmed;
        const body: Record<string, unknown> = {};
        for (const id of ids) {
          const mint = parseKey(id);
          if (mint === undefined) throw new BadRequest(`not a mint: ${id}`);
          const token = tokens.get(mint);
          const price = token && prices.published('aggregator', mint, headSlot);
          if (!price) continue;
          body[keyText(mint)] = {
            createdAt,
            liquidity: price.liquidityUsd ?? liquidity.get(mint) ?? CUSTOM_LIQUIDITY_USD,
            usdPrice: new RawJson(price.usdText),
            blockId: price.blockId,
            decimals: token.decimals,
            priceChange24h: price.change24hPercent ?? 0,
          };
        }
        return { body };
      },
    },
  ];
}
