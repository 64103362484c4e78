import { z } from 'zod';
import { address, decimalU64 } from './fields.js';

const uiAmounts = { uiAmount: z.number(), uiAmountString: z.string() };

const tokenHolding = z.object({
  /** Address of the token account. */
  account: address,
  amount: decimalU64,
  ...uiAmounts,
  isFrozen: z.boolean(),
  isAssociatedTokenAccount: z.boolean(),
  decimals: z.int().min(0).max(255),
  programId: address,
});

/** Response of `GET /ultra/v1/holdings/{address}/native`: lamports. */
export const nativeHoldingsResponse = z.object({ amount: decimalU64, ...uiAmounts });

/** Response of `GET /ultra/v1/holdings/{address}`: lamports, and token accounts by mint. */
export const holdingsResponse = nativeHoldingsResponse.extend({ tokens: z.record(address, z.array(tokenHolding)) });
