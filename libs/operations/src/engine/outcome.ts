import {
  type CosignedOutcome,
  readCosignedOutcome,
  readOutcome,
  signatureText,
  splitTransaction,
} from '@agent-wallet/solana';
import type { OperationChain } from '../ports.js';
import { cosignerOf } from '../records/cosigner.js';
import type { AttemptRecord } from '../records/operation.js';

/** An attempt whose message was signed. */
export type SignedAttempt = AttemptRecord & { readonly transaction: Uint8Array };

/** What the chain proves of a signed message; a landing tells the transaction's id. */
export type Outcome = CosignedOutcome;

/** Whether an attempt's message was signed. */
export function isSigned(attempt: AttemptRecord | undefined): attempt is SignedAttempt {
  return attempt?.transaction !== undefined;
}

/**
 * Asks the chain what became of a signed message.
 * @param others see `readCosignedOutcome`
 * @throws AppError of the chain; it proves nothing
 */
export async function readAttempt(
  chain: OperationChain,
  attempt: SignedAttempt,
  others?: Set<string>,
): Promise<Outcome> {
  const { intent, lastValidBlockHeight, sinceSlot = 0 } = attempt;
  const signature = attempt.signature && signatureText(attempt.signature);
  if (cosignerOf(intent) === undefined) {
    if (signature === undefined) throw new Error('a transaction of our own has no id');
    const outcome = await readOutcome(chain, { signature, lastValidBlockHeight });
    return outcome.kind === 'landed' ? { ...outcome, signature } : outcome;
  }
  const ownSignature = signatureText(ownSignatureOf(attempt));
  const awaited = { wallet: intent.wallet, ownSignature, signature, sinceSlot, lastValidBlockHeight };
  return readCosignedOutcome(chain, awaited, others);
}

/** Whoever signs too stands in front of the wallet. */
function ownSignatureOf({ transaction }: SignedAttempt): Uint8Array {
  return splitTransaction(transaction).signatures[1]!;
}
