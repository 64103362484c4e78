import {
  ASSOCIATED_TOKEN_PROGRAM,
  COMPUTE_BUDGET_PROGRAM,
  isTokenProgram,
  MEMO_PROGRAM,
  SYSTEM_PROGRAM,
} from '../addresses/programs.js';
import { messageFacts } from './message-facts.js';

/** A transaction's failure in words for the caller. */
export interface ChainErrorExplanation {
  /** A clause without a full stop: `instruction 2 of 3 (the memo program) ran out of compute units`. */
  readonly reason: string;
  /** A remedy for the caller; undefined when none is known. */
  readonly suggestion: string | undefined;
}

/**
 * Explains an error of a transaction as nodes write it (`TransactionError` of the Solana SDK, as JSON).
 * @param message the serialized message that failed
 * @param error JSON, as in a status or a simulation
 */
export function explainChainError(message: Uint8Array, error: string): ChainErrorExplanation {
  const parsed: unknown = JSON.parse(error);
  const { programs } = messageFacts(message);
  const [at, detail] = instructionError(parsed);
  if (at === undefined) return explainTransactionError(parsed);
  const program = programs[at] ?? '';
  return {
    reason: `instruction ${at + 1} of ${programs.length} (${nameOf(program)}) ${reasonOf(program, detail)}`,
    suggestion: suggestionFor(program, detail),
  };
}

/** Returns an error's name and, of a program's own error, its number: `["Custom", 1]`, `["InvalidAccountData"]`. */
type Detail = readonly [name: string, code?: number];

function instructionError(error: unknown): [at: number | undefined, detail: Detail] {
  const pair = isRecord(error) ? error['InstructionError'] : undefined;
  if (!Array.isArray(pair) || typeof pair[0] !== 'number') return [undefined, ['']];
  const [at, what] = pair as [number, unknown];
  if (isRecord(what) && typeof what['Custom'] === 'number') return [at, ['Custom', what['Custom']]];
  return [at, [nameIn(what)]];
}

/** The chain's own errors, before or beside any instruction. */
const TRANSACTION_ERRORS: Readonly<Record<string, ChainErrorExplanation>> = {
  InsufficientFundsForRent: {
    reason: 'an account would keep fewer lamports than the rent that the chain requires',
    suggestion: 'Send the whole balance, or leave at least the rent of an account; a new account needs as much.',
  },
  InsufficientFundsForFee: { reason: 'the payer cannot pay the network fee', suggestion: 'Add SOL, then try again.' },
  AccountNotFound: { reason: 'the payer’s account does not exist', suggestion: 'Add SOL, then try again.' },
  ProgramAccountNotFound: {
    reason: 'the chain has no program at an address that the transaction calls',
    suggestion: 'Trying again does not help on this network.',
  },
  BlockhashNotFound: { reason: 'the node does not know its blockhash', suggestion: 'Try again.' },
};

function explainTransactionError(error: unknown): ChainErrorExplanation {
  const name = nameIn(error);
  return (
    TRANSACTION_ERRORS[name] ?? { reason: `the chain returned ${name || 'an unknown error'}`, suggestion: undefined }
  );
}

function nameOf(program: string): string {
  if (isTokenProgram(program)) return 'the token program';
  return NAMES[program] ?? `program ${program}`;
}

const NAMES: Readonly<Record<string, string>> = {
  [SYSTEM_PROGRAM]: 'the system program',
  [COMPUTE_BUDGET_PROGRAM]: 'the compute budget',
  [ASSOCIATED_TOKEN_PROGRAM]: 'the program that creates token accounts',
  [MEMO_PROGRAM]: 'the memo program',
};

const OUT_OF_UNITS = new Set(['ProgramFailedToComplete', 'ComputationalBudgetExceeded']);

/** Errors of spl-token and Token-2022 (`TokenError`) that a caller can cause. */
const TOKEN_ERRORS: Readonly<Record<number, string>> = {
  0: 'refused: an account would keep fewer lamports than its rent',
  1: 'refused: insufficient token balance',
  3: 'refused: the accounts hold another token',
  4: 'refused: the account belongs to another owner',
  16: 'refused: the account is not native SOL',
  17: 'refused: an account is frozen',
  18: 'refused: the token has other decimals',
};

function reasonOf(program: string, [name, code]: Detail): string {
  if (OUT_OF_UNITS.has(name)) return 'ran out of compute units, or stopped by itself';
  if (code === undefined) return `failed: ${name || 'unknown error'}`;
  if (isTokenProgram(program) && TOKEN_ERRORS[code]) return TOKEN_ERRORS[code];
  if (program === SYSTEM_PROGRAM && code === 1) return 'refused: insufficient SOL';
  return `failed with its error ${code}`;
}

function suggestionFor(program: string, [, code]: Detail): string | undefined {
  if (program === MEMO_PROGRAM) return 'Shorten the memo, or leave it out.';
  const isShort = code === 1 && (isTokenProgram(program) || program === SYSTEM_PROGRAM);
  return isShort ? 'Read the balances, then send less.' : undefined;
}

function nameIn(value: unknown): string {
  if (typeof value === 'string') return value;
  return isRecord(value) ? (Object.keys(value)[0] ?? '') : '';
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
