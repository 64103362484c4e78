import { z } from 'zod';
import { instant } from './fields.js';

/** Response of `GET /exchange/status`. */
export const statusResponse = z
  .object({ exchange_active: z.boolean(), trading_active: z.boolean() })
  .transform((wire) => ({ tradingActive: wire.exchange_active && wire.trading_active }));

/** Response of `GET /exchange/user_data_timestamp`; Unix milliseconds. */
export const userDataTimestampResponse = z.object({ as_of_time: instant }).transform((wire) => wire.as_of_time);

const bucket = z
  .object({ refill_rate: z.number().positive(), bucket_capacity: z.number().positive() })
  .transform((wire) => ({ tokensPerSecond: wire.refill_rate, capacity: wire.bucket_capacity }));

/** Response of `GET /account/limits`. */
export const limitsResponse = z.object({ read: bucket, write: bucket });

/** Response of `GET /account/endpoint_costs`: only what differs from the default is listed. */
export const endpointCostsResponse = z
  .object({
    default_cost: z.int().positive(),
    endpoint_costs: z.array(z.object({ method: z.string(), path: z.string(), cost: z.int().min(0) })),
  })
  .transform((wire) => ({ defaultCost: wire.default_cost, costs: wire.endpoint_costs }));
