import { addressBytes } from '../addresses/address.js';
import { associatedTokenAddress } from '../addresses/associated-token-address.js';
import { MEMO_PROGRAM } from '../addresses/programs.js';
import {
  type MessagePlan,
  type TokenPlan,
  type TransferPlan,
  type UnwrapPlan,
  WRAPPED_SOL,
} from '../intents/message-plan.js';
import {
  accountCreation,
  closing,
  type ExpectedInstruction,
  nativePayment,
  type Payment,
  readonly,
  wrapping,
  writable,
} from './expected-instruction.js';
import { expectedLiquidity } from './expected-liquidity.js';

const TOKEN_TRANSFER_CHECKED = 12;
const MEMO_PROGRAM_BYTES = addressBytes(MEMO_PROGRAM);

/** Returns the expected instructions of a message after its compute budget, in order. */
export function expectedInstructions({ wallet, sponsor, action }: MessagePlan): ExpectedInstruction[] {
  switch (action.kind) {
    case 'transfer':
      return transferring({ wallet, payer: sponsor?.address ?? wallet }, action);
    case 'unwrap':
      return unwrapping(wallet, action);
    case 'liquidity_add':
    case 'liquidity_remove':
      return expectedLiquidity(wallet, action);
  }
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
  const closed = closing('the closing of the wrapped SOL', wallet, account);
  if (remainder === 0n) return [holdsAll, closed];
  const creation = { payer: wallet, owner: wallet, ...WRAPPED_SOL };
  return [
    holdsAll,
    closed,
    accountCreation('the creation of the account for what stays wrapped', creation),
    nativePayment('the transfer of what stays wrapped', { wallet, recipient: account, amount: remainder }),
    wrapping('the wrapping of what stays', account),
  ];
}

function memoOf(memo: Uint8Array): ExpectedInstruction {
  return { name: 'the memo', program: MEMO_PROGRAM_BYTES, accounts: [], data: memo, dataReason: 'memo' };
}

function payment(name: string, { token, ...paid }: Payment & Pick<TransferPlan, 'token'>): ExpectedInstruction {
  return token ? tokenPayment(name, paid, token) : nativePayment(name, paid);
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
