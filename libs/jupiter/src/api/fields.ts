import { MAX_BASE_UNITS } from '@agent-wallet/kernel';
import { isAddress } from '@agent-wallet/solana/checks';
import { z } from 'zod';

const DECIMAL_U64 = /^(0|[1-9][0-9]{0,19})$/;

/** A base58 address of 32 bytes. */
export const address = z.string().refine(isAddress, 'must be an address');

/** A u64 in decimal, as the API writes base units, lamports, heights and seconds; becomes a bigint. */
export const decimalU64 = z
  .string()
  .regex(DECIMAL_U64, 'must be a decimal number')
  .transform(BigInt)
  .refine((value) => value <= MAX_BASE_UNITS, 'must be a u64');

/** Hundredths of a percent, of something that is at most whole. */
export const basisPoints = z.int().min(0).max(10_000);

/** Lamports where the API writes them as a JSON number. */
export const lamports = z.int().min(0);
