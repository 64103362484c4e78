import { addressBytes } from '../addresses/address.js';
import { associatedTokenAddress } from '../addresses/associated-token-address.js';
import { ASSOCIATED_TOKEN_PROGRAM, SYSTEM_PROGRAM, TOKEN_PROGRAM } from '../addresses/programs.js';
import type { TokenPlan } from '../intents/message-plan.js';
import type { RefusalReason } from '../intents/message-refused.js';

/** An instruction as it must stand in the message, byte for byte. */
export interface ExpectedInstruction {
  /** For messages: what the instruction is. */
  readonly name: string;
  readonly program: Uint8Array;
  readonly accounts: readonly ExpectedAccount[];
  readonly data: Uint8Array;
  /** The reason to refuse other data. */
  readonly dataReason: RefusalReason;
}

/** An account at its place in an instruction. Only the wallet signs, and the sponsor as payer of an account. */
interface ExpectedAccount {
  readonly key: Uint8Array;
  readonly writable: boolean;
}

const SYSTEM_TRANSFER = 2;
const TOKEN_CLOSE_ACCOUNT = 9;
const TOKEN_SYNC_NATIVE = 17;
const CREATE_IDEMPOTENT = 1;

const SYSTEM_PROGRAM_BYTES = addressBytes(SYSTEM_PROGRAM);
const TOKEN_PROGRAM_BYTES = addressBytes(TOKEN_PROGRAM);
const ASSOCIATED_TOKEN_PROGRAM_BYTES = addressBytes(ASSOCIATED_TOKEN_PROGRAM);

/** Expects an account that the instruction may write to. */
export const writable = (address: string): ExpectedAccount => ({ key: addressBytes(address), writable: true });
/** Expects an account that the instruction may only read. */
export const readonly = (address: string): ExpectedAccount => ({ key: addressBytes(address), writable: false });

/** Names a new associated token account. */
interface Creation extends Pick<TokenPlan, 'mint' | 'tokenProgram'> {
  readonly payer: string;
  readonly owner: string;
}

/** Expects the creation of an associated token account, which does nothing where there is one. */
export function accountCreation(name: string, { payer, owner, mint, tokenProgram }: Creation): ExpectedInstruction {
  return {
    name,
    program: ASSOCIATED_TOKEN_PROGRAM_BYTES,
    accounts: [
      writable(payer),
      writable(associatedTokenAddress({ owner, mint, tokenProgram })),
      readonly(owner),
      readonly(mint),
      readonly(SYSTEM_PROGRAM),
      readonly(tokenProgram),
    ],
    data: Uint8Array.of(CREATE_IDEMPOTENT),
    dataReason: 'instruction',
  };
}

/** So much to a recipient. */
export interface Payment {
  readonly wallet: string;
  readonly recipient: string;
  readonly amount: bigint;
}

/** Expects a payment of the native coin. */
export function nativePayment(name: string, { wallet, recipient, amount }: Payment): ExpectedInstruction {
  const data = Buffer.alloc(12);
  data.writeUInt32LE(SYSTEM_TRANSFER);
  data.writeBigUInt64LE(amount, 4);
  const accounts = [writable(wallet), writable(recipient)];
  return { name, program: SYSTEM_PROGRAM_BYTES, accounts, data, dataReason: 'amount' };
}

/** Expects that the wallet closes its account of wrapped SOL, to itself. */
export function closing(name: string, wallet: string, account: string): ExpectedInstruction {
  return {
    name,
    program: TOKEN_PROGRAM_BYTES,
    accounts: [writable(account), writable(wallet), readonly(wallet)],
    data: Uint8Array.of(TOKEN_CLOSE_ACCOUNT),
    dataReason: 'instruction',
  };
}

/** Expects that lamports in an account of wrapped SOL become a part of its balance. */
export function wrapping(name: string, account: string): ExpectedInstruction {
  return {
    name,
    program: TOKEN_PROGRAM_BYTES,
    accounts: [writable(account)],
    data: Uint8Array.of(TOKEN_SYNC_NATIVE),
    dataReason: 'instruction',
  };
}
