import { createAssociatedTokenAccountIdempotentInstruction, createTransferCheckedInstruction } from '@solana/spl-token';
import { PublicKey, SystemProgram, TransactionInstruction, TransactionMessage } from '@solana/web3.js';
import type { intentV1 } from '@agent-wallet/contracts';
import { associatedTokenAddress } from '../addresses/associated-token-address.js';
import { BoundedCache } from '../addresses/bounded-cache.js';
import { COMPUTE_BUDGET_PROGRAM, MEMO_PROGRAM } from '../addresses/programs.js';
import { type TransferPlan, transferPlan } from '../checks/transfer-plan.js';
import { computeUnitLimitData, computeUnitPriceData } from './compute-budget.js';
import { transferComputeUnits } from './transfer-compute-units.js';

/** What a transfer's message is built from. */
export interface TransferMessageRequest {
  readonly intent: intentV1.Intent;
  /** Base58; take one of commitment `confirmed`, just before signing. */
  readonly blockhash: string;
  /** Enough for the intent when omitted. */
  readonly computeUnitLimit?: number;
  /** No price is offered when omitted or 0. */
  readonly computeUnitPriceMicroLamports?: bigint;
}

const publicKeys = new BoundedCache<PublicKey>(10_000);
const publicKey = (address: string): PublicKey => publicKeys.get(address, () => new PublicKey(address));

/**
 * The serialized v0 message that does what a transfer's intent says and nothing else, in the one order that
 * `checkMessage` accepts: compute budget, the recipient's token account, memo, transfer. (The memo stands before
 * the transfer because token accounts may require one there.)
 * @throws MessageRefused `intent` when the intent is no transfer that can be built
 */
export function buildTransferMessage(request: TransferMessageRequest): Uint8Array {
  const plan = transferPlan(request.intent);
  const instructions = [
    ...computeBudget(request),
    ...(plan.token?.createsRecipientAccount ? [recipientAccount(plan)] : []),
    ...(plan.memo.length > 0 ? [memo(plan)] : []),
    transfer(plan),
  ];
  const message = new TransactionMessage({
    payerKey: publicKey(plan.wallet),
    recentBlockhash: request.blockhash,
    instructions,
  });
  return message.compileToV0Message().serialize();
}

function computeBudget(request: TransferMessageRequest): TransactionInstruction[] {
  const programId = publicKey(COMPUTE_BUDGET_PROGRAM);
  const instruction = (data: Uint8Array) =>
    new TransactionInstruction({ programId, keys: [], data: Buffer.from(data) });
  const limit = instruction(computeUnitLimitData(request.computeUnitLimit ?? transferComputeUnits(request.intent)));
  const price = request.computeUnitPriceMicroLamports ?? 0n;
  return price > 0n ? [limit, instruction(computeUnitPriceData(price))] : [limit];
}

function recipientAccount({ wallet, recipient, token }: TransferPlan): TransactionInstruction {
  const { mint, tokenProgram } = token!;
  return createAssociatedTokenAccountIdempotentInstruction(
    publicKey(wallet),
    publicKey(associatedTokenAddress({ owner: recipient, mint, tokenProgram })),
    publicKey(recipient),
    publicKey(mint),
    publicKey(tokenProgram),
  );
}

function memo(plan: TransferPlan): TransactionInstruction {
  return new TransactionInstruction({ programId: publicKey(MEMO_PROGRAM), keys: [], data: Buffer.from(plan.memo) });
}

function transfer({ wallet, recipient, amount, token }: TransferPlan): TransactionInstruction {
  if (!token) {
    return SystemProgram.transfer({ fromPubkey: publicKey(wallet), toPubkey: publicKey(recipient), lamports: amount });
  }
  const { mint, tokenProgram, decimals } = token;
  return createTransferCheckedInstruction(
    publicKey(associatedTokenAddress({ owner: wallet, mint, tokenProgram })),
    publicKey(mint),
    publicKey(associatedTokenAddress({ owner: recipient, mint, tokenProgram })),
    publicKey(wallet),
    amount,
    decimals,
    [],
    publicKey(tokenProgram),
  );
}
