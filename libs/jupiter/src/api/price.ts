import { z } from 'zod';
import { address } from './fields.js';

/** Response of `GET /price/v3?ids=a,b`, by mint. A token without a price that can be relied on is absent. */
export const priceResponse = z.record(
  address,
  z.object({
    usdPrice: z.number(),
    decimals: z.int().min(0).max(255),
    blockId: z.int().nullable(),
    /** Percent. */
    priceChange24h: z.number().nullable(),
    liquidity: z.number(),
    /** ISO 8601. */
    createdAt: z.string(),
  }),
);
