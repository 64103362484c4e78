import { readArray, readFields, readU64 } from './shapes.js';

/** Reads the result of getRecentPrioritizationFees: micro-lamports a compute unit, by slot. @throws ShapeError */
export function readPriorityPrices(result: unknown): readonly bigint[] {
  return readArray(result, 'the prices').map((slot) =>
    readU64(readFields(slot, 'a price').prioritizationFee, 'the price'),
  );
}
