import { addressBytes } from '../addresses/address.js';
import { associatedTokenAddress } from '../addresses/associated-token-address.js';
import { ASSOCIATED_TOKEN_PROGRAM, MEMO_PROGRAM, SYSTEM_PROGRAM } from '../addresses/programs.js';
import type { RefusalReason } from './message-refused.js';
import type { TransferPlan } from './transfer-plan.js';

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

/** An account at its place in an instruction. Only the wallet signs. */
export interface ExpectedAccount {
  readonly key: Uint8Array;
  readonly writable: boolean;
}

const SYSTEM_TRANSFER = 2;
const TOKEN_TRANSFER_CHECKED = 12;
const CREATE_IDEMPOTENT = 1;

const SYSTEM_PROGRAM_BYTES = addressBytes(SYSTEM_PROGRAM);
const MEMO_PROGRAM_BYTES = addressBytes(MEMO_PROGRAM);
const ASSOCIATED_TOKEN_PROGRAM_BYTES = addressBytes(ASSOCIATED_TOKEN_PROGRAM);

const writable = (address: string): ExpectedAccount => ({ key: addressBytes(address), writable: true });
const readonly = (address: string): ExpectedAccount => ({ key: addressBytes(address), writable: false });

/** Everything that a transfer's message does after its compute budget, in order. */
export function expectedInstructions(plan: TransferPlan): ExpectedInstruction[] {
  const expected: ExpectedInstruction[] = [];
  if (plan.token?.createsRecipientAccount) expected.push(recipientAccount(plan, plan.token));
  if (plan.memo.length > 0) expected.push(memo(plan));
  expected.push(plan.token ? tokenTransfer(plan, plan.token) : nativeTransfer(plan));
  return expected;
}

type Token = NonNullable<TransferPlan['token']>;

function recipientAccount({ wallet, recipient }: TransferPlan, { mint, tokenProgram }: Token): ExpectedInstruction {
  return {
    name: "the creation of the recipient's token account",
    program: ASSOCIATED_TOKEN_PROGRAM_BYTES,
    accounts: [
      writable(wallet),
      writable(associatedTokenAddress({ owner: recipient, mint, tokenProgram })),
      readonly(recipient),
      readonly(mint),
      readonly(SYSTEM_PROGRAM),
      readonly(tokenProgram),
    ],
    data: Uint8Array.of(CREATE_IDEMPOTENT),
    dataReason: 'instruction',
  };
}

function memo(plan: TransferPlan): ExpectedInstruction {
  return { name: 'the memo', program: MEMO_PROGRAM_BYTES, accounts: [], data: plan.memo, dataReason: 'memo' };
}

function nativeTransfer({ wallet, recipient, amount }: TransferPlan): ExpectedInstruction {
  const data = Buffer.alloc(12);
  data.writeUInt32LE(SYSTEM_TRANSFER);
  data.writeBigUInt64LE(amount, 4);
  const accounts = [writable(wallet), writable(recipient)];
  return { name: 'the transfer', program: SYSTEM_PROGRAM_BYTES, accounts, data, dataReason: 'amount' };
}

function tokenTransfer({ wallet, recipient, amount }: TransferPlan, token: Token): ExpectedInstruction {
  const { mint, tokenProgram, decimals } = token;
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
  return { name: 'the transfer', program: addressBytes(tokenProgram), accounts, data, dataReason: 'amount' };
}
