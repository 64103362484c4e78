import type { UsdPrice } from '@agent-wallet/kernel';

/** The newest price of a feed, as its account holds it. */
export interface FeedPrice {
  /** US dollars for one whole token. */
  readonly price: UsdPrice;
  /** Distance from the price, in dollars, within which the true one probably lies. */
  readonly confidence: UsdPrice;
  /** Unix milliseconds (whole seconds). */
  readonly publishedAtMs: number;
}

/** First eight bytes of the hash of `account:PriceUpdateV2`. */
const DISCRIMINATOR = Buffer.from('22f123639d7ef4cd', 'hex');
/** `VerificationLevel::Full`: two thirds of the guardians have signed. A partial one is a byte longer. */
const FULLY_VERIFIED = 1;
const BYTES = 133;
/** Decimals that a price of the network may have. */
const MAX_SCALE = 18;

/**
 * Reads a `PriceUpdateV2` of Pyth's receiver. Undefined when it is none, is of another feed, was not fully verified, or
 * its price is not positive. The layout is that of the receiver's published interface.
 */
export function readPriceAccount(data: Uint8Array, feedId: Uint8Array): FeedPrice | undefined {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  if (bytes.length < BYTES || !bytes.subarray(0, 8).equals(DISCRIMINATOR)) return undefined;
  if (bytes[40] !== FULLY_VERIFIED || !bytes.subarray(41, 73).equals(feedId)) return undefined;
  const digits = bytes.readBigInt64LE(73);
  const exponent = bytes.readInt32LE(89);
  if (digits <= 0n || exponent > 0 || exponent < -MAX_SCALE) return undefined;
  return {
    price: { digits, scale: -exponent },
    confidence: { digits: bytes.readBigUInt64LE(81), scale: -exponent },
    publishedAtMs: Number(bytes.readBigInt64LE(93)) * 1_000,
  };
}
