import type { Message } from './wire-transaction.js';
import { BUILTIN_PROGRAMS, COMPUTE_BUDGET_PROGRAM, PRECOMPILES } from './programs.js';

const LAMPORTS_PER_SIGNATURE = 5000n;
const MICRO_LAMPORTS = 1_000_000n;
const MAX_UNITS = 1_400_000n;
const UNITS_OF_PROGRAM = 200_000n;
const UNITS_OF_BUILTIN = 3_000n;
const SET_UNIT_LIMIT = 2;
const SET_UNIT_PRICE = 3;

/** What the machine charges for a message, in lamports: signatures, and the priority fee on the units asked for. */
export function feeOf(message: Message): bigint {
  let signatures = BigInt(message.requiredSignatures);
  let units = 0n;
  let limit: bigint | undefined;
  let price = 0n;
  const budget = (message.budget ?? []).map((data) => ({ program: COMPUTE_BUDGET_PROGRAM, data }));
  const own = message.instructions.map(({ programIndex, data }) => ({ program: message.keys[programIndex]!, data }));
  for (const { program, data } of [...own, ...budget]) {
    units += BUILTIN_PROGRAMS.has(program) ? UNITS_OF_BUILTIN : UNITS_OF_PROGRAM;
    if (PRECOMPILES.has(program) && data.length > 0) signatures += BigInt(data[0]!);
    if (program !== COMPUTE_BUDGET_PROGRAM) continue;
    if (data[0] === SET_UNIT_LIMIT && data.length >= 5) limit = BigInt(data.readUInt32LE(1));
    if (data[0] === SET_UNIT_PRICE && data.length >= 9) price = data.readBigUInt64LE(1);
  }
  const asked = limit ?? units;
  const charged = asked > MAX_UNITS ? MAX_UNITS : asked;
  return signatures * LAMPORTS_PER_SIGNATURE + (price * charged + MICRO_LAMPORTS - 1n) / MICRO_LAMPORTS;
}
