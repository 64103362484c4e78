import type { Key } from '../encoding/keys.js';
import type { Message } from './wire-transaction.js';
import { BUILTIN_PROGRAMS, COMPUTE_BUDGET_PROGRAM, PRECOMPILES } from './programs.js';

const LAMPORTS_PER_SIGNATURE = 5000n;
const MICRO_LAMPORTS = 1_000_000n;
const MAX_UNITS = 1_400_000n;
const UNITS_OF_PROGRAM = 200_000n;
const UNITS_OF_BUILTIN = 3_000n;
const SET_UNIT_LIMIT = 2;
const SET_UNIT_PRICE = 3;

/** A call of a program, as the fee depends on it. */
interface Invocation {
  readonly program: Key;
  readonly data: Buffer;
}

/** Returns the compute unit price that a message offers, in micro-lamports; 0 when it sets none. */
export function unitPriceOf(message: Message): bigint {
  const sets = ({ program, data }: Invocation): boolean =>
    program === COMPUTE_BUDGET_PROGRAM && data[0] === SET_UNIT_PRICE && data.length >= 9;
  return invocations(message).findLast(sets)?.data.readBigUInt64LE(1) ?? 0n;
}

/** What the machine charges for a message, in lamports: signatures, and the priority fee on the units asked for. */
export function feeOf(message: Message): bigint {
  let signatures = BigInt(message.requiredSignatures);
  let units = 0n;
  let limit: bigint | undefined;
  const price = unitPriceOf(message);
  for (const { program, data } of invocations(message)) {
    units += BUILTIN_PROGRAMS.has(program) ? UNITS_OF_BUILTIN : UNITS_OF_PROGRAM;
    if (PRECOMPILES.has(program) && data.length > 0) signatures += BigInt(data[0]!);
    if (program !== COMPUTE_BUDGET_PROGRAM) continue;
    if (data[0] === SET_UNIT_LIMIT && data.length >= 5) limit = BigInt(data.readUInt32LE(1));
  }
  const asked = limit ?? units;
  const charged = asked > MAX_UNITS ? MAX_UNITS : asked;
  return signatures * LAMPORTS_PER_SIGNATURE + (price * charged + MICRO_LAMPORTS - 1n) / MICRO_LAMPORTS;
}

function invocations({ instructions, keys, budget = [] }: Message): Invocation[] {
  const own = instructions.map(({ programIndex, data }) => ({ program: keys[programIndex]!, data }));
  return [...own, ...budget.map((data) => ({ program: COMPUTE_BUDGET_PROGRAM, data }))];
}
