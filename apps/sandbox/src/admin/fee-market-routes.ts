import { z } from 'zod';
import { type JsonRoute, readBy } from '../http/json-server.js';
import type { AdminContext } from './admin-context.js';

/** Keeps twice the price an exact JSON number. */
const MOST_MICRO_LAMPORTS = 1_000_000_000_000;

const FeeMarketBody = z.strictObject({
  priceMicroLamports: z.int().min(0).max(MOST_MICRO_LAMPORTS).default(0),
  spreadPercent: z.number().min(0).max(100).default(0),
  seed: z.int().default(0),
});

/** Sets the price of block space. */
export function feeMarketRoutes({ chain, journal }: AdminContext): JsonRoute[] {
  return [
    {
      method: 'POST',
      path: '/fee-market',
      answer: async ({ body }) => {
        const period = chain.setFeeMarket(readBy(FeeMarketBody, body));
        await journal.synced();
        return { body: period };
      },
    },
  ];
}
