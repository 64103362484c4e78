import { AppError } from '@agent-wallet/kernel';
import { isAddress, isReservedAddress } from '@agent-wallet/solana';
import { checkRequest, type TransferRequest } from '../domain/transfer-request.js';

/**
 * Refuses a transfer that can be refused without asking anyone. Whether an off-curve address may be sent to is policy's
 * to say: only the agent's own list of recipients can vouch for one.
 * @throws AppError VALIDATION_ERROR, UNKNOWN_TOKEN or INVALID_ADDRESS
 */
export function checkTransfer(request: TransferRequest, wallet: string): void {
  checkRequest(request, isAddress);
  if (!isAddress(request.to) || isReservedAddress(request.to)) {
    throw AppError.field('to', 'is not the address of a wallet', 'INVALID_ADDRESS');
  }
  if (request.to === wallet) throw AppError.field('to', 'must be another wallet than your own');
}
