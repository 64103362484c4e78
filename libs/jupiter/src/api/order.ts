import { z } from 'zod';
import { address, basisPoints, decimalU64, lamports } from './fields.js';

/** One leg of a route, as the order describes it: for people to read, never for the decision. */
const routeLeg = z.object({
  swapInfo: z.object({
    ammKey: z.string(),
    /** Name of the venue. */
    label: z.string(),
    inputMint: address,
    outputMint: address,
    inAmount: decimalU64,
    outAmount: decimalU64,
  }),
  percent: z.number(),
  bps: z.number(),
  usdValue: z.number().optional(),
});

/**
 * Response of `GET …/order`, on `/swap/v2` and `/ultra/v1`: a quote and, for a taker, the transaction to sign. Amounts
 * are base units as bigint. Nothing of it is believed: only the transaction's own bytes are.
 */
export const orderResponse = z.object({
  mode: z.enum(['ultra', 'manual']),
  inputMint: address,
  outputMint: address,
  inAmount: decimalU64,
  /** Before slippage, after fees. */
  outAmount: decimalU64,
  /** The least that arrives; a maker's fixed price has the same as `outAmount`. */
  otherAmountThreshold: decimalU64,
  swapMode: z.literal('ExactIn'),
  /** 0 for a maker's fixed price. */
  slippageBps: basisPoints,
  /** Decimal ratio; negative is a loss. */
  priceImpactPct: z.string(),
  /** Percentage points; negative is a loss. */
  priceImpact: z.number().optional(),
  inUsdValue: z.number().optional(),
  outUsdValue: z.number().optional(),
  swapUsdValue: z.number().optional(),
  routePlan: z.array(routeLeg),
  feeMint: address.optional(),
  feeBps: basisPoints,
  platformFee: z.object({ amount: decimalU64.optional(), feeBps: basisPoints, feeMint: address.optional() }),
  referralAccount: address.optional(),
  signatureFeeLamports: lamports,
  /** With tips. */
  prioritizationFeeLamports: lamports,
  /** An estimate. */
  rentFeeLamports: lamports,
  signatureFeePayer: address.nullable(),
  prioritizationFeePayer: address.nullable(),
  rentFeePayer: address.nullable(),
  swapType: z.string(),
  router: z.enum(['metis', 'jupiterz', 'dflow', 'okx']),
  /** Base64 of an unsigned v0 transaction; null without a taker, empty when none could be built (see `errorCode`). */
  transaction: z.base64().or(z.literal('')).nullable(),
  lastValidBlockHeight: decimalU64.optional(),
  gasless: z.boolean(),
  /** A UUID so far. It is kept with the trade, where not every text can be written. */
  requestId: z.string().regex(/^[!-~]{1,200}$/, 'must be plain'),
  totalTime: z.number(),
  taker: address.nullable(),
  quoteId: z.string().optional(),
  maker: address.optional(),
  /** Unix seconds. */
  expireAt: decimalU64.optional(),
  /**
   * Error code of a quote without a transaction: 1 funds are missing, 2 SOL for fees is missing, 3 too small or not
   * built.
   */
  errorCode: z.int().optional(),
  errorMessage: z.string().optional(),
  error: z.string().optional(),
});

/** Response of `…/order`; amounts in base units. */
export type OrderResponse = z.output<typeof orderResponse>;

/** Answer with a status of 4xx or 5xx, of any of the API's paths. */
export const errorResponse = z.object({
  error: z.string(),
  requestId: z.string().optional(),
  /** Error code of `…/execute`; absent elsewhere. */
  code: z.int().optional(),
  signature: z.string().optional(),
});
