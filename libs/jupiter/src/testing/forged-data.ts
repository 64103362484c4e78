import { COMPUTE_BUDGET_PROGRAM, SYSTEM_PROGRAM } from '@agent-wallet/solana/checks';
import { JUPITER_PROGRAM, ORDER_ENGINE_PROGRAM } from '../programs.js';
import type { DraftInstruction } from './draft.js';
import { forge, type Forgery } from './forgery.js';
import type { Scenario } from './scenarios.js';

/** Messages whose instructions say something else: other amounts, terms, fees, lengths. */
export function forgedData(scenario: Scenario): Forgery[] {
  const { instructions } = scenario.draft;
  const isFill = instructions.some(({ program }) => program === ORDER_ENGINE_PROGRAM);
  return instructions.flatMap((instruction, at) =>
    changed(instruction, isFill).map(({ name, data }) =>
      forge(`instruction ${at}: ${name}`, scenario, { instructions: instructions.with(at, { ...instruction, data }) }),
    ),
  );
}

interface Change {
  readonly name: string;
  readonly data: Buffer;
}

function changed(instruction: DraftInstruction, isFill: boolean): Change[] {
  const { program, data } = instruction;
  if (program === JUPITER_PROGRAM) return [...terms(data), ...cut(data, planEnd(data)), ...shared(data)];
  const all = [...otherLengths(data), ...firstBytes(data)];
  if (program === ORDER_ENGINE_PROGRAM) return [...fill(data), ...cut(data, data.length - 3), ...all];
  // The maker pays the network for a fill.
  if (program === COMPUTE_BUDGET_PROGRAM) return isFill ? all : [...budget(data), ...all];
  return program === SYSTEM_PROGRAM ? [...amounts(data, 4), ...all] : all;
}

function patched(data: Buffer, at: number, value: bigint, size: 1 | 2 | 4 | 8): Buffer {
  const changed = Buffer.from(data);
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt.asUintN(64, value));
  bytes.copy(changed, at, 0, size);
  return changed;
}

function amounts(data: Buffer, at: number): Change[] {
  const amount = data.readBigUInt64LE(at);
  return (
    [0n, 1n, amount - 1n, amount + 1n, amount * 10n, amount / 2n, 2n ** 63n, 2n ** 64n - 1n]
      // A smaller tip does no harm.
      .filter((other) => amount !== 40_000n || other > amount)
      .map((other) => ({ name: `amount ${other} at ${at}`, data: patched(data, at, other, 8) }))
  );
}

/** Returns the offset of a route's fixed terms. */
const headOf = (data: Buffer): number => (data[0] === 0xd1 ? 9 : 8);
const planEnd = (data: Buffer): number => headOf(data) + 26 + data.readUInt32LE(headOf(data) + 22) * 5;

function terms(data: Buffer): Change[] {
  const at = headOf(data);
  const u16 = (name: string, offset: number, values: readonly number[]) =>
    values
      .filter((value) => value !== data.readUInt16LE(at + offset))
      .map((value) => ({ name: `${name} ${value}`, data: patched(data, at + offset, BigInt(value), 2) }));
  const plan = (count: bigint) => ({ name: `a plan of ${count} steps`, data: patched(data, at + 22, count, 4) });
  const fee = data.readUInt16LE(at + 18);
  return [
    ...amounts(data, at),
    ...amounts(data, at + 8),
    ...u16('slippage', 16, [0, 1, 49, 51, 500, 9_999, 10_000, 10_001, 65_535]),
    ...u16("the aggregator's fee", 18, [fee + 1, 255, 256, 10_000, 65_535]),
    ...u16('a share of a better price', 20, [1, 10_000, 65_535]),
    ...[0n, 1_000n, 2n ** 32n - 1n].map(plan),
    ...otherForms(data),
  ];
}

/** Returns the honest terms under the name of another form. */
function otherForms(data: Buffer): Change[] {
  const others = [
    'e517cb977ae3ad2a',
    '96564774a75d0e68',
    'c1209b3341d69c81',
    'e6798f50779f6aaa',
    'd033ef977b2bed5c',
    'b0d169a89a7d453e',
    '9d8ab85215f4f324',
    '3560e5cad8bbfa18',
    'bb64facc31c4af14',
    'd19853937cfed8e9',
    'a860b7a35c0a28a0',
    '0000000000000000',
    'ded006d19aa3365e',
  ];
  return others
    .filter((form) => form !== data.toString('hex', 0, 8))
    .map((form) => ({ name: `the form ${form}`, data: Buffer.concat([Buffer.from(form, 'hex'), data.subarray(8)]) }));
}

function shared(data: Buffer): Change[] {
  if (data[0] !== 0xd1) return [];
  return [0, 1, 4, 15, 16, 255].map((id) => ({ name: `authority ${id}`, data: patched(data, 8, BigInt(id), 1) }));
}

function cut(data: Buffer, end: number): Change[] {
  return Array.from({ length: end }, (_, length) => ({
    name: `${length} bytes of it`,
    data: data.subarray(0, length),
  }));
}

function fill(data: Buffer): Change[] {
  const expiries = [0n, -1n, -(2n ** 63n)].map((at) => ({ name: `good until ${at}`, data: patched(data, 24, at, 8) }));
  return [...amounts(data, 8), ...amounts(data, 16), ...expiries, ...otherForms(data)];
}

function budget(data: Buffer): Change[] {
  const [kind, size] = data[0] === 2 ? (['limit', 4] as const) : (['price', 8] as const);
  const honest = size === 4 ? BigInt(data.readUInt32LE(1)) : data.readBigUInt64LE(1);
  return [honest + honest / 1_000n, honest * 4n, 1_400_001n * honest, 2n ** (8n * BigInt(size)) - 1n]
    .filter((value) => value < 2n ** (8n * BigInt(size)))
    .map((value) => ({ name: `${kind} ${value}`, data: patched(data, 1, value, size) }));
}

function otherLengths(data: Buffer): Change[] {
  return [
    { name: 'one byte more', data: Buffer.concat([data, Buffer.of(0)]) },
    { name: 'one byte less', data: data.subarray(0, data.length === 35 ? -4 : -1) },
    { name: 'no data', data: Buffer.alloc(0) },
    { name: 'the data twice', data: Buffer.concat([data, data]) },
  ];
}

/** Discriminators of the neighbours. */
function firstBytes(data: Buffer): Change[] {
  return [0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 15, 17, 20, 26, 38]
    .filter((first) => first !== data[0])
    .map((first) => ({ name: `first byte ${first}`, data: Buffer.from(data.with(0, first)) }));
}
