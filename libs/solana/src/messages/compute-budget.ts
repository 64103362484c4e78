const SET_COMPUTE_UNIT_LIMIT = 2;
const SET_COMPUTE_UNIT_PRICE = 3;

/** The most compute units that one transaction can ask for. */
export const MAX_COMPUTE_UNITS = 1_400_000;

/** Lamports for each signature, regardless of what the transaction does. */
export const LAMPORTS_PER_SIGNATURE = 5_000n;

const MICRO_LAMPORTS_PER_LAMPORT = 1_000_000n;

/** A transaction's compute unit limit, and the price that it offers. */
export interface ComputeBudget {
  readonly computeUnitLimit: number;
  readonly computeUnitPriceMicroLamports: bigint;
}

/** Encodes the instruction that limits the compute units of a transaction. */
export function computeUnitLimitData(units: number): Uint8Array {
  const data = Buffer.alloc(5);
  data.writeUInt8(SET_COMPUTE_UNIT_LIMIT);
  data.writeUInt32LE(units, 1);
  return data;
}

/** Encodes the instruction that offers a price for each compute unit. */
export function computeUnitPriceData(microLamports: bigint): Uint8Array {
  const data = Buffer.alloc(9);
  data.writeUInt8(SET_COMPUTE_UNIT_PRICE);
  data.writeBigUInt64LE(microLamports, 1);
  return data;
}

/** Returns the limit that instruction data set; undefined for any other instruction. */
export function readComputeUnitLimit(data: Uint8Array): number | undefined {
  if (data.length !== 5 || data[0] !== SET_COMPUTE_UNIT_LIMIT) return undefined;
  return Buffer.from(data).readUInt32LE(1);
}

/** Returns the price that instruction data set; undefined for any other instruction. */
export function readComputeUnitPrice(data: Uint8Array): bigint | undefined {
  if (data.length !== 9 || data[0] !== SET_COMPUTE_UNIT_PRICE) return undefined;
  return Buffer.from(data).readBigUInt64LE(1);
}

/** Returns the network's fee for a transaction that lands, whether it succeeds or not. */
export function networkFee(signatures: number, budget: ComputeBudget): bigint {
  const microLamports = budget.computeUnitPriceMicroLamports * BigInt(budget.computeUnitLimit);
  const priorityFee = (microLamports + MICRO_LAMPORTS_PER_LAMPORT - 1n) / MICRO_LAMPORTS_PER_LAMPORT;
  return LAMPORTS_PER_SIGNATURE * BigInt(signatures) + priorityFee;
}
