import type { intentV1 } from '@agent-wallet/contracts';
import {
  createCloseAccountInstruction,
  createSyncNativeInstruction,
  createTransferCheckedInstruction,
} from '@solana/spl-token';
import { type PublicKey, TransactionInstruction } from '@solana/web3.js';
import { addressBytes } from '../addresses/address.js';
import { associatedTokenAddress } from '../addresses/associated-token-address.js';
import { COMPUTE_BUDGET_PROGRAM, MEMO_PROGRAM } from '../addresses/programs.js';
import {
  type MessagePlan,
  messagePlan,
  type TokenPlan,
  type TransferPlan,
  type UnwrapPlan,
  WRAPPED_SOL,
} from '../intents/message-plan.js';
import { type ComputeBudget, computeUnitLimitData, computeUnitPriceData, MAX_COMPUTE_UNITS } from './compute-budget.js';
import { liquidityInstructions } from './build-liquidity.js';
import { compactU16 } from './decode-message.js';
import { accountCreation, nativePayment, publicKey } from './instructions.js';
import { memoUnits } from './memo-units.js';

/** Inputs of a message. */
export interface MessageRequest {
  readonly intent: intentV1.Intent;
  /** Base58; take one of commitment `confirmed`, just before signing. */
  readonly blockhash: string;
  /** Enough for the intent when omitted. */
  readonly computeUnitLimit?: number;
  /**
   * Distinguishes messages that would be the same bytes, and so one transaction: added to the limit of compute units. An
   * integer from 0 to 65 535; 0 when omitted.
   */
  readonly salt?: number;
  /** The most that the message pays for its place, beside its signatures; no price is offered when omitted or 0. */
  readonly priorityLamports?: bigint | undefined;
}

const MICRO_LAMPORTS = 1_000_000n;

/** Compute units of the parts of a message, with room for programs that got dearer since they were measured. */
const COMPUTE_BUDGET_UNITS = 300;
const SYSTEM_TRANSFER_UNITS = 300;
const TOKEN_TRANSFER_UNITS = 30_000;
const ACCOUNT_CREATION_UNITS = 60_000;
const ACCOUNT_CLOSING_UNITS = 10_000;
const SYNC_NATIVE_UNITS = 10_000;
/** Three token movements of two programs, two new accounts, and SOL wrapped and unwrapped. */
const LIQUIDITY_UNITS = 400_000;

/**
 * Builds the serialized v0 message that does exactly what an intent says: `checkMessage` accepts it. Its first signer
 * pays: the sponsor if the intent has one.
 * @throws MessageRefused `intent` when the intent cannot be carried out
 */
export function buildMessage(request: MessageRequest): Uint8Array {
  const plan = messagePlan(request.intent);
  const computeUnitLimit = (request.computeUnitLimit ?? computeUnitsOf(plan)) + (request.salt ?? 0);
  return compileMessage({
    payer: publicKey(plan.sponsor?.address ?? plan.wallet),
    blockhash: request.blockhash,
    instructions: planInstructions(plan, {
      computeUnitLimit,
      // Rounded down, so that the fee, which the chain rounds up, is at most what was asked for.
      computeUnitPriceMicroLamports: ((request.priorityLamports ?? 0n) * MICRO_LAMPORTS) / BigInt(computeUnitLimit),
    }),
  });
}

/** The largest salt: two bytes of an operation's id. */
export const MAX_SALT = 0xffff;

/** Returns a compute unit limit that is enough for a message, with room for a salt below what the chain allows. */
export function computeUnitsOf({ action }: MessagePlan): number {
  return Math.min(COMPUTE_BUDGET_UNITS + unitsOf(action), MAX_COMPUTE_UNITS - MAX_SALT);
}

function unitsOf(action: MessagePlan['action']): number {
  switch (action.kind) {
    case 'transfer':
      return transferUnits(action);
    case 'unwrap':
      return unwrapUnits(action);
    case 'liquidity_add':
    case 'liquidity_remove':
      return LIQUIDITY_UNITS;
  }
}

function transferUnits({ token, memo, fee }: TransferPlan): number {
  const payments = fee ? 2 : 1;
  return (
    payments * (token ? TOKEN_TRANSFER_UNITS : SYSTEM_TRANSFER_UNITS) +
    (token?.createsRecipientAccount ? ACCOUNT_CREATION_UNITS : 0) +
    (memo.length > 0 ? memoUnits(memo) : 0)
  );
}

/** The most compute units that a message has room for before its amounts are known, without its salt. */
export const MOST_UNITS = {
  // A new account, the operator's fee and the memo are counted where they may come.
  payment: ({ isToken, memo }: { readonly isToken: boolean; readonly memo: string }): number =>
    COMPUTE_BUDGET_UNITS +
    2 * (isToken ? TOKEN_TRANSFER_UNITS : SYSTEM_TRANSFER_UNITS) +
    (isToken ? ACCOUNT_CREATION_UNITS : 0) +
    (memo.length > 0 ? memoUnits(Buffer.from(memo)) : 0),
  unwrap:
    COMPUTE_BUDGET_UNITS +
    TOKEN_TRANSFER_UNITS +
    ACCOUNT_CLOSING_UNITS +
    ACCOUNT_CREATION_UNITS +
    SYSTEM_TRANSFER_UNITS +
    SYNC_NATIVE_UNITS,
  liquidity: COMPUTE_BUDGET_UNITS + LIQUIDITY_UNITS,
} as const;

function unwrapUnits({ remainder }: UnwrapPlan): number {
  const closing = TOKEN_TRANSFER_UNITS + ACCOUNT_CLOSING_UNITS;
  if (remainder === 0n) return closing;
  return closing + ACCOUNT_CREATION_UNITS + SYSTEM_TRANSFER_UNITS + SYNC_NATIVE_UNITS;
}

/**
 * Builds the instructions of a plan in the one order that `checkMessage` accepts. A transfer: compute budget, the
 * recipient's token account, memo, the operator's fee, the transfer itself. The memo precedes the transfers because
 * token accounts may require one there.
 */
export function planInstructions(plan: MessagePlan, budget: ComputeBudget): TransactionInstruction[] {
  return [...computeBudget(budget), ...actionInstructions(plan)];
}

function actionInstructions({ wallet, sponsor, action }: MessagePlan): TransactionInstruction[] {
  switch (action.kind) {
    case 'transfer':
      return transferring(wallet, sponsor?.address ?? wallet, action);
    case 'unwrap':
      return unwrapping(wallet, action);
    case 'liquidity_add':
    case 'liquidity_remove':
      return liquidityInstructions(wallet, action);
  }
}

function computeBudget(budget: ComputeBudget): TransactionInstruction[] {
  const programId = publicKey(COMPUTE_BUDGET_PROGRAM);
  const instruction = (data: Uint8Array) =>
    new TransactionInstruction({ programId, keys: [], data: Buffer.from(data) });
  const limit = instruction(computeUnitLimitData(budget.computeUnitLimit));
  const price = budget.computeUnitPriceMicroLamports;
  return price > 0n ? [limit, instruction(computeUnitPriceData(price))] : [limit];
}

function transferring(wallet: string, payer: string, transfer: TransferPlan): TransactionInstruction[] {
  const { recipient, amount, memo, token, fee } = transfer;
  const pay = (to: string, units: bigint) =>
    token ? tokenPayment({ wallet, to, units, token }) : nativePayment(wallet, to, units);
  return [
    ...(token?.createsRecipientAccount ? [accountCreation(payer, { ...token, owner: recipient })] : []),
    ...(memo.length > 0 ? [memoOf(memo)] : []),
    ...(fee ? [pay(fee.recipient, fee.amount)] : []),
    pay(recipient, amount),
  ];
}

/**
 * Builds an unwrap. Lamports leave the account only when it is closed, so the remainder is wrapped again afterwards.
 * First, the account pays its whole balance to itself: this moves nothing, and fails if another message has used the
 * account. Otherwise the two messages would undo each other and both appear to succeed.
 */
function unwrapping(wallet: string, { amount, remainder }: UnwrapPlan): TransactionInstruction[] {
  const holding = { owner: wallet, ...WRAPPED_SOL };
  const account = associatedTokenAddress(holding);
  const holdsAll = tokenPayment({ wallet, to: wallet, units: amount + remainder, token: WRAPPED_SOL });
  const closing = createCloseAccountInstruction(publicKey(account), publicKey(wallet), publicKey(wallet));
  if (remainder === 0n) return [holdsAll, closing];
  return [
    holdsAll,
    closing,
    accountCreation(wallet, holding),
    nativePayment(wallet, account, remainder),
    createSyncNativeInstruction(publicKey(account)),
  ];
}

function memoOf(memo: Uint8Array): TransactionInstruction {
  return new TransactionInstruction({ programId: publicKey(MEMO_PROGRAM), keys: [], data: Buffer.from(memo) });
}

interface TokenPayment {
  readonly wallet: string;
  readonly to: string;
  readonly units: bigint;
  readonly token: Pick<TokenPlan, 'mint' | 'tokenProgram' | 'decimals'>;
}

function tokenPayment({ wallet, to, units, token }: TokenPayment): TransactionInstruction {
  const { mint, tokenProgram, decimals } = token;
  return createTransferCheckedInstruction(
    publicKey(associatedTokenAddress({ owner: wallet, mint, tokenProgram })),
    publicKey(mint),
    publicKey(associatedTokenAddress({ owner: to, mint, tokenProgram })),
    publicKey(wallet),
    units,
    decimals,
    [],
    publicKey(tokenProgram),
  );
}

/** Inputs of the compiler. */
interface MessageDraft {
  readonly payer: PublicKey;
  /** Base58. */
  readonly blockhash: string;
  readonly instructions: readonly TransactionInstruction[];
}

/** One address with the rights that any of the instructions gives it. */
interface Account {
  readonly bytes: Uint8Array;
  isSigner: boolean;
  isWritable: boolean;
}

const V0_PREFIX = 0x80;
const NO_LOOKUP_TABLES = 0;

/**
 * Serializes a v0 message without lookup tables: the same bytes as the SDK's `compileToV0Message().serialize()`, at
 * a tenth of its time.
 */
export function compileMessage({ payer, blockhash, instructions }: MessageDraft): Uint8Array {
  const accounts = collectAccounts(payer, instructions);
  const ordered = [...accounts.values()].sort((a, b) => rank(a) - rank(b));
  const indexes = new Map(ordered.map((account, index) => [account, index]));
  const indexOf = (key: PublicKey): number => indexes.get(accounts.get(keyText(key))!)!;
  const count = (test: (account: Account) => boolean): number => ordered.filter(test).length;
  return Buffer.concat([
    Uint8Array.of(
      V0_PREFIX,
      count(({ isSigner }) => isSigner),
      count(({ isSigner, isWritable }) => isSigner && !isWritable),
      count(({ isSigner, isWritable }) => !isSigner && !isWritable),
      ...compactU16(ordered.length),
    ),
    ...ordered.map(({ bytes }) => bytes),
    addressBytes(blockhash),
    Uint8Array.from(compactU16(instructions.length)),
    ...instructions.flatMap(({ programId, keys, data }) => [
      Uint8Array.of(indexOf(programId), ...compactU16(keys.length), ...keys.map(({ pubkey }) => indexOf(pubkey))),
      Uint8Array.from(compactU16(data.length)),
      data,
    ]),
    Uint8Array.of(NO_LOOKUP_TABLES),
  ]);
}

function keyText(key: PublicKey): string {
  return key.toBuffer().toString('latin1');
}

/** Collects every address once, in the order of its first use, the payer first. */
function collectAccounts(payer: PublicKey, instructions: readonly TransactionInstruction[]): Map<string, Account> {
  const accounts = new Map<string, Account>();
  const use = (key: PublicKey, isSigner: boolean, isWritable: boolean): void => {
    const text = keyText(key);
    const account = accounts.get(text) ?? { bytes: key.toBytes(), isSigner: false, isWritable: false };
    account.isSigner ||= isSigner;
    account.isWritable ||= isWritable;
    accounts.set(text, account);
  };
  use(payer, true, true);
  for (const { programId, keys } of instructions) {
    use(programId, false, false);
    for (const { pubkey, isSigner, isWritable } of keys) use(pubkey, isSigner, isWritable);
  }
  return accounts;
}

/** Signers before others, and in both the writable ones before the readonly. */
function rank({ isSigner, isWritable }: Account): number {
  return (isSigner ? 0 : 2) + (isWritable ? 0 : 1);
}
