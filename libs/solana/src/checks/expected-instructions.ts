import { addressBytes } from '../addresses/address.js';
import { associatedTokenAddress } from '../addresses/associated-token-address.js';
import { ASSOCIATED_TOKEN_PROGRAM, MEMO_PROGRAM, SYSTEM_PROGRAM, TOKEN_PROGRAM } from '../addresses/programs.js';
import {
  type MessagePlan,
  type TokenPlan,
  type TransferPlan,
  type UnwrapPlan,
  WRAPPED_SOL,
} from '../intents/message-plan.js';
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
export interface ExpectedAccount {
  readonly key: Uint8Array;
  readonly writable: boolean;
}

const SYSTEM_TRANSFER = 2;
const TOKEN_CLOSE_ACCOUNT = 9;
const TOKEN_TRANSFER_CHECKED = 12;
const TOKEN_SYNC_NATIVE = 17;
const CREATE_IDEMPOTENT = 1;

const SYSTEM_PROGRAM_BYTES = addressBytes(SYSTEM_PROGRAM);
const TOKEN_PROGRAM_BYTES = addressBytes(TOKEN_PROGRAM);
const MEMO_PROGRAM_BYTES = addressBytes(MEMO_PROGRAM);
const ASSOCIATED_TOKEN_PROGRAM_BYTES = addressBytes(ASSOCIATED_TOKEN_PROGRAM);

const writable = (address: string): ExpectedAccount => ({ key: addressBytes(address), writable: true });
const readonly = (address: string): ExpectedAccount => ({ key: addressBytes(address), writable: false });

/** Returns the expected instructions of a message after its compute budget, in order. */
export function expectedInstructions({ wallet, sponsor, action }: MessagePlan): ExpectedInstruction[] {
  if (action.kind === 'unwrap') return unwrapping(wallet, action);
  return transferring({ wallet, payer: sponsor?.address ?? wallet }, action);
}

interface Payers {
  readonly wallet: string;
  /** Pays the rent of the recipient's account. */
  readonly payer: string;
}

function transferring({ wallet, payer }: Payers, plan: TransferPlan): ExpectedInstruction[] {
  const { recipient, amount, memo, token, fee } = plan;
  const expected: ExpectedInstruction[] = [];
  if (token?.createsRecipientAccount) {
    expected.push(
      accountCreation("the creation of the recipient's token account", { payer, owner: recipient, ...token }),
    );
  }
  if (memo.length > 0) expected.push(memoOf(memo));
  if (fee) expected.push(payment('the fee', { wallet, token, ...fee }));
  expected.push(payment('the transfer', { wallet, recipient, amount, token }));
  return expected;
}

function unwrapping(wallet: string, { amount, remainder }: UnwrapPlan): ExpectedInstruction[] {
  const account = associatedTokenAddress({ owner: wallet, ...WRAPPED_SOL });
  const all = { wallet, recipient: wallet, amount: amount + remainder };
  const holdsAll = tokenPayment('the proof that the account holds what it should', all, WRAPPED_SOL);
  const closing: ExpectedInstruction = {
    name: 'the closing of the wrapped SOL',
    program: TOKEN_PROGRAM_BYTES,
    accounts: [writable(account), writable(wallet), readonly(wallet)],
    data: Uint8Array.of(TOKEN_CLOSE_ACCOUNT),
    dataReason: 'instruction',
  };
  if (remainder === 0n) return [holdsAll, closing];
  const creation = { payer: wallet, owner: wallet, ...WRAPPED_SOL };
  return [
    holdsAll,
    closing,
    accountCreation('the creation of the account for what stays wrapped', creation),
    nativePayment('the transfer of what stays wrapped', { wallet, recipient: account, amount: remainder }),
    {
      name: 'the wrapping of what stays',
      program: TOKEN_PROGRAM_BYTES,
      accounts: [writable(account)],
      data: Uint8Array.of(TOKEN_SYNC_NATIVE),
      dataReason: 'instruction',
    },
  ];
}

interface Creation extends Pick<TokenPlan, 'mint' | 'tokenProgram'> {
  readonly payer: string;
  readonly owner: string;
}

function accountCreation(name: string, { payer, owner, mint, tokenProgram }: Creation): ExpectedInstruction {
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

function memoOf(memo: Uint8Array): ExpectedInstruction {
  return { name: 'the memo', program: MEMO_PROGRAM_BYTES, accounts: [], data: memo, dataReason: 'memo' };
}

interface Payment {
  readonly wallet: string;
  readonly recipient: string;
  readonly amount: bigint;
}

function payment(name: string, { token, ...paid }: Payment & Pick<TransferPlan, 'token'>): ExpectedInstruction {
  return token ? tokenPayment(name, paid, token) : nativePayment(name, paid);
}

function nativePayment(name: string, { wallet, recipient, amount }: Payment): ExpectedInstruction {
  const data = Buffer.alloc(12);
  data.writeUInt32LE(SYSTEM_TRANSFER);
  data.writeBigUInt64LE(amount, 4);
  const accounts = [writable(wallet), writable(recipient)];
  return { name, program: SYSTEM_PROGRAM_BYTES, accounts, data, dataReason: 'amount' };
}

function tokenPayment(
  name: string,
  { wallet, recipient, amount }: Payment,
  { mint, tokenProgram, decimals }: Pick<TokenPlan, 'mint' | 'tokenProgram' | 'decimals'>,
): ExpectedInstruction {
  const data = Buffer.alloc(10);
  data.writeUInt8(TOKEN_TRANSFER_CHECKED);
  data.writeBigUInt64LE(amount, 1);
  data.writeUInt8(decimals, 9);
  const accounts = [
    writable(associatedTokenAddress({ owner: wallet, mint, tokenProgram })),
    readonly(mint),
    writable(associatedTokenAddress({ owner: recipient, mint, tokenProgram })),
    readonly(wallet),
  ];
  return { name, program: addressBytes(tokenProgram), accounts, data, dataReason: 'amount' };
}
