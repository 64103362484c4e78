import { z } from 'zod';
import { address, decimalU64 } from './fields.js';

/** Body of `POST …/execute`. The same body may be sent again: it cannot execute twice. */
export const executeBody = z.object({
  /** Base64 of the transaction with our signatures; a maker's own one is added there. */
  signedTransaction: z.base64().min(1),
  /** ID from the order. */
  requestId: z.string().min(1),
  /** Present on `/swap/v2` only. */
  lastValidBlockHeight: z
    .string()
    .regex(/^[0-9]+$/)
    .optional(),
});

/** Body of a `…/execute` request. */
export type ExecuteBody = z.output<typeof executeBody>;

/**
 * Response of `POST …/execute` with status 200, also for most failures. After the first post only the chain shows how a
 * trade ended: none of these fields decides it.
 */
export const executeResponse = z.object({
  /** The documents show it missing once, with code -1. */
  status: z.enum(['Success', 'Failed']).optional(),
  /** 0 for success, below 0 for the aggregator's own errors, above 0 for those of a program on chain. */
  code: z.int(),
  signature: z.string().optional(),
  /** "0" when it never landed. */
  slot: decimalU64.optional(),
  error: z.string().optional(),
  /** Base units that the wallet lost and gained, by the aggregator's account. */
  totalInputAmount: decimalU64.optional(),
  totalOutputAmount: decimalU64.optional(),
  inputAmountResult: decimalU64.optional(),
  outputAmountResult: decimalU64.optional(),
  swapEvents: z
    .array(z.object({ inputMint: address, inputAmount: decimalU64, outputMint: address, outputAmount: decimalU64 }))
    .optional(),
});

/** Response of `…/execute`; amounts in base units. */
export type ExecuteResponse = z.output<typeof executeResponse>;
