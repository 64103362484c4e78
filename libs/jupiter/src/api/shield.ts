import { z } from 'zod';
import { address } from './fields.js';

/** One thing to know of a token before it is bought. */
const shieldWarning = z.object({
  /** NOT_VERIFIED, HAS_FREEZE_AUTHORITY, … ; "{n}%_TRANSFER_FEES" among them, so no closed list. */
  type: z.string(),
  message: z.string(),
  severity: z.enum(['info', 'warning', 'critical']),
  source: z.string().optional(),
});

/** Response of `GET /ultra/v1/shield?mints=a,b`: warnings by mint. */
export const shieldResponse = z.object({ warnings: z.record(address, z.array(shieldWarning)) });
