import type { intentV1 } from '@agent-wallet/contracts';
import { addressBytes } from '../addresses/address.js';
import { COMPUTE_BUDGET_PROGRAM } from '../addresses/programs.js';
import {
  type ComputeBudget,
  MAX_COMPUTE_UNITS,
  networkFee,
  readComputeUnitLimit,
  readComputeUnitPrice,
} from '../messages/compute-budget.js';
import { type DecodedInstruction, type DecodedMessage, isWritable } from '../messages/decode-message.js';
import { decodeOrRefuse } from './decode-or-refuse.js';
import type { ExpectedInstruction } from './expected-instruction.js';
import { expectedInstructions } from './expected-instructions.js';
import { type MessagePlan, messagePlan } from '../intents/message-plan.js';
import { MessageRefused, type RefusalReason } from '../intents/message-refused.js';

/** Bounds that a message must keep beside its intent. */
export interface MessageLimits {
  /** The most that the network may take for the message: signatures and priority fee. */
  readonly maxNetworkFeeLamports: bigint;
}

/**
 * The most that the network may take of a message that is built here, regardless of any setting: signatures, and room for
 * a price that gets a transfer in when blocks are full. What goes to the network counts towards no limit, so that this
 * bounds what each message of a lying builder can burn.
 */
const MAX_BUILT_NETWORK_FEE_LAMPORTS = 100_000n;

const COMPUTE_BUDGET_BYTES = addressBytes(COMPUTE_BUDGET_PROGRAM);

/**
 * Proves that a serialized message does what its intent says and nothing else, from the bytes alone: the wallet signs,
 * after the sponsor if the intent has one, and no one else; the first signer pays; every instruction is the expected
 * one, in the one order that is built; no account is listed, or may be written to, without need; the network fee is
 * bounded. What remains open to the builder is the version, the blockhash, the order of the keys, and the compute budget
 * within the limit.
 * @throws MessageRefused
 */
export function checkMessage(bytes: Uint8Array, intent: intentV1.Intent, limits: MessageLimits): void {
  const plan = messagePlan(intent);
  const message = decodeOrRefuse(bytes);
  checkSigners(message, plan);
  const { budget, rest } = takeComputeBudget(message);
  checkNetworkFee(message, budget, feeLimit(plan, limits));
  const expected = expectedInstructions(plan);
  if (rest.length !== expected.length) {
    refuse('instruction', `There are ${rest.length} instructions where the intent needs ${expected.length}.`);
  }
  expected.forEach((instruction, i) => checkInstruction(message, rest[i]!, instruction));
  checkAccountFlags(message, expected);
}

function refuse(reason: RefusalReason, text: string): never {
  throw new MessageRefused(reason, text);
}

function checkSigners(message: DecodedMessage, { wallet, sponsor }: MessagePlan): void {
  if (message.lookups.length > 0) refuse('lookup_table', 'The message takes addresses from lookup tables.');
  const signers = sponsor ? [sponsor.address, wallet] : [wallet];
  if (message.requiredSignatures !== signers.length) refuse('signers', 'Others must sign than those of the intent.');
  signers.forEach((signer, i) => {
    if (!isSame(message.keys[i]!, addressBytes(signer))) refuse('signers', `Signer ${i} is not the one of the intent.`);
  });
}

/** Takes the limit, then the price, from the front; each may stand there once and nowhere else. */
function takeComputeBudget(message: DecodedMessage): { budget: ComputeBudget; rest: DecodedInstruction[] } {
  const rest = [...message.instructions];
  const limit = takeComputeBudgetInstruction(message, rest, readComputeUnitLimit);
  const price = takeComputeBudgetInstruction(message, rest, readComputeUnitPrice);
  if (limit === undefined) refuse('network_fee', 'The message sets no limit of compute units.');
  if (limit > MAX_COMPUTE_UNITS) refuse('network_fee', 'The limit of compute units is higher than the chain allows.');
  return { budget: { computeUnitLimit: limit, computeUnitPriceMicroLamports: price ?? 0n }, rest };
}

function takeComputeBudgetInstruction<Value>(
  message: DecodedMessage,
  rest: DecodedInstruction[],
  read: (data: Uint8Array) => Value | undefined,
): Value | undefined {
  const first = rest[0];
  if (!first || !isSame(message.keys[first.program]!, COMPUTE_BUDGET_BYTES) || first.accounts.length > 0) {
    return undefined;
  }
  const value = read(first.data);
  if (value !== undefined) rest.shift();
  return value;
}

/** Returns the lowest applicable limit. A sponsor pays no more than was reserved for it. */
function feeLimit({ sponsor }: MessagePlan, { maxNetworkFeeLamports }: MessageLimits): bigint {
  const limits = [maxNetworkFeeLamports, sponsor?.maxNetworkFeeLamports ?? maxNetworkFeeLamports];
  return limits.reduce((lowest, limit) => (limit < lowest ? limit : lowest), MAX_BUILT_NETWORK_FEE_LAMPORTS);
}

function checkNetworkFee({ requiredSignatures }: DecodedMessage, budget: ComputeBudget, limit: bigint): void {
  const fee = networkFee(requiredSignatures, budget);
  if (fee > limit) refuse('network_fee', `The network fee of ${fee} lamports is above the limit of ${limit}.`);
}

function checkInstruction(message: DecodedMessage, actual: DecodedInstruction, expected: ExpectedInstruction): void {
  if (!isSame(message.keys[actual.program]!, expected.program)) {
    refuse('program', `Another program is called where ${expected.name} must stand.`);
  }
  if (actual.accounts.length !== expected.accounts.length) {
    refuse('account', `The number of accounts is not that of ${expected.name}.`);
  }
  expected.accounts.forEach(({ key }, i) => {
    if (!isSame(message.keys[actual.accounts[i]!]!, key)) {
      refuse('account', `Account ${i} of ${expected.name} is not the one of the intent.`);
    }
  });
  if (!isSame(actual.data, expected.data)) refuse(expected.dataReason, `The data are not those of ${expected.name}.`);
}

/**
 * Checks that every key is the payer, a program or an account of an expected instruction, and writable only where it
 * must be.
 */
function checkAccountFlags(message: DecodedMessage, expected: readonly ExpectedInstruction[]): void {
  const accounts = expected.flatMap((instruction) => instruction.accounts);
  const programs = [COMPUTE_BUDGET_BYTES, ...expected.map((instruction) => instruction.program)];
  message.keys.forEach((key, index) => {
    const isPayer = index === 0;
    const uses = accounts.filter((account) => isSame(account.key, key));
    const isNeeded = isPayer || uses.length > 0 || programs.some((program) => isSame(program, key));
    if (!isNeeded) refuse('account_flags', 'An account is listed that no instruction needs.');
    const mayBeWritten = isPayer || uses.some((use) => use.writable);
    if (isWritable(message, index) !== mayBeWritten) {
      refuse('account_flags', 'An account may be written to without need, or may not where it must.');
    }
  });
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i += 1) if (a[i] !== b[i]) return false;
  return true;
}
