/** State of a feed that a test chooses; prices have eight decimals. */
export interface FeedState {
  readonly publishedAtMs: number;
  readonly price?: bigint;
  readonly confidence?: bigint;
}

/** Writes the data of a feed's account as Pyth's receiver does: $150.12345678, as uncertain as still counts. */
export function priceAccount(id: Uint8Array, { publishedAtMs, ...said }: FeedState): Buffer {
  const { price = 15_012_345_678n, confidence = price / 50n } = said;
  const data = Buffer.alloc(134);
  data.write('22f123639d7ef4cd', 0, 'hex');
  data[40] = 1;
  data.set(id, 41);
  data.writeBigInt64LE(price, 73);
  data.writeBigUInt64LE(confidence, 81);
  data.writeInt32LE(-8, 89);
  data.writeBigInt64LE(BigInt(Math.floor(publishedAtMs / 1_000)), 93);
  return data;
}
