import { createAssociatedTokenAccountIdempotentInstruction, createTransferCheckedInstruction } from '@solana/spl-token';
import { PublicKey, SystemProgram, TransactionInstruction } from '@solana/web3.js';
import { associatedTokenAddress } from '../addresses/associated-token-address.js';
import { BoundedCache } from '../addresses/bounded-cache.js';
import { COMPUTE_BUDGET_PROGRAM, MEMO_PROGRAM } from '../addresses/programs.js';
import type { TransferPlan } from '../checks/transfer-plan.js';
import { type ComputeBudget, computeUnitLimitData, computeUnitPriceData } from './compute-budget.js';

const publicKeys = new BoundedCache<PublicKey>(10_000);
/** A key of the SDK; the last ones are kept, because to make one is not cheap. */
export const publicKey = (address: string): PublicKey => publicKeys.get(address, () => new PublicKey(address));

/**
 * The instructions of a transfer in the one order that `checkMessage` accepts: compute budget, the recipient's token
 * account, memo, transfer. The memo stands before the transfer because token accounts may require one there.
 */
export function transferInstructions(plan: TransferPlan, budget: ComputeBudget): TransactionInstruction[] {
  return [
    ...computeBudget(budget),
    ...(plan.token?.createsRecipientAccount ? [recipientAccount(plan)] : []),
    ...(plan.memo.length > 0 ? [memo(plan)] : []),
    transfer(plan),
  ];
}

function computeBudget(budget: ComputeBudget): TransactionInstruction[] {
  const programId = publicKey(COMPUTE_BUDGET_PROGRAM);
  const instruction = (data: Uint8Array) =>
    new TransactionInstruction({ programId, keys: [], data: Buffer.from(data) });
  const limit = instruction(computeUnitLimitData(budget.computeUnitLimit));
  const price = budget.computeUnitPriceMicroLamports;
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
