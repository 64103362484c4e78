import type { intentV1 } from '@agent-wallet/contracts';
import { operationOf, termsOf, type TransferTerms } from '../../domain/owners/document.js';

const NATIVE = 'native';

/** What an owner signs of a transfer. */
export function transferTerms(transfer: intentV1.Transfer, lookalikeOf: string | undefined): TransferTerms {
  const { recipient, mint, amount, decimals, fee = 0n, createsRecipientAccount, memo } = transfer;
  return {
    ...{ recipient, mint: mint || NATIVE, amount: String(amount), decimals: String(decimals), memo, lookalikeOf },
    ...{ maxFee: String(fee), createsAccount: String(createsRecipientAccount) },
  };
}

/** An operation's intent, to be compared with what was signed. */
export interface ApprovedIntent {
  readonly operationId: string;
  /** Base58. */
  readonly wallet: string;
  readonly transfer: intentV1.Transfer;
}

/**
 * Whether a stored document lets this be done: the same operation, wallet, recipient, token, amount and memo, a fee that is
 * at most the one signed, and an account for the recipient only if that was signed.
 */
export function isWithinTerms(document: Buffer, { operationId, wallet, transfer }: ApprovedIntent): boolean {
  const operation = operationOf(document);
  const signed = termsOf('operation', document);
  const asked = transferTerms(transfer, signed.lookalikeOf);
  const isSame = (['recipient', 'mint', 'amount', 'decimals', 'memo'] as const).every(
    (name) => asked[name] === signed[name],
  );
  return (
    isSame &&
    operation.operationId === operationId &&
    operation.wallet === wallet &&
    BigInt(asked.maxFee) <= BigInt(signed.maxFee) &&
    (asked.createsAccount === 'false' || signed.createsAccount === 'true')
  );
}
