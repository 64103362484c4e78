import type { intentV1 } from '@agent-wallet/contracts';
import { AppError, MAX_BASE_UNITS, SOL_DECIMALS } from '@agent-wallet/kernel';
import { isAddress, isTokenProgram } from '@agent-wallet/solana';

/**
 * The transfer that an intent stands for, proved to make sense by itself.
 * @throws AppError VALIDATION_ERROR naming the field
 */
export function readTransfer(intent: intentV1.Intent | undefined): intentV1.Transfer {
  if (intent?.action?.$case !== 'transfer') throw AppError.field('intent', 'must have an action that is known');
  if (!isAddress(intent.wallet)) throw AppError.field('intent.wallet', 'must be an address');
  if (intent.sponsor !== undefined) throw AppError.field('intent.sponsor', 'is not supported');
  const transfer = intent.action.value;
  if (transfer.fee !== undefined) throw AppError.field('intent.transfer.fee', 'is not supported');
  if (!isAddress(transfer.recipient)) throw AppError.field('intent.transfer.recipient', 'must be an address');
  if (transfer.amount <= 0n || transfer.amount > MAX_BASE_UNITS) {
    throw AppError.field('intent.transfer.amount', 'must be a positive u64');
  }
  if (transfer.mint === '') return nativeTransfer(transfer);
  if (!isAddress(transfer.mint)) throw AppError.field('intent.transfer.mint', 'must be an address');
  if (!isTokenProgram(transfer.tokenProgram)) {
    throw AppError.field('intent.transfer.tokenProgram', 'must be a token program');
  }
  return transfer;
}

function nativeTransfer(transfer: intentV1.Transfer): intentV1.Transfer {
  if (transfer.tokenProgram !== '') {
    throw AppError.field('intent.transfer.tokenProgram', 'must be empty for the native coin');
  }
  if (transfer.decimals !== SOL_DECIMALS) {
    throw AppError.field('intent.transfer.decimals', `must be ${SOL_DECIMALS} for the native coin`);
  }
  if (transfer.createsRecipientAccount) {
    throw AppError.field('intent.transfer.createsRecipientAccount', 'must be false for the native coin');
  }
  return transfer;
}
