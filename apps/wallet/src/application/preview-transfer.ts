import { AppError, isUuid, newId } from '@agent-wallet/kernel';
import { changesByTransfer } from '../domain/balance-changes.js';
import type { TransferPlan } from '../domain/transfer-plan.js';
import type { TransferRequest } from '../domain/transfer-request.js';
import type { PolicyCheck } from '../ports/policy-check.js';
import type { Wallets } from '../ports/wallets.js';
import { checkTransfer } from './check-transfer.js';
import { type PreviewedPlan, previewOf } from './preview.js';
import type { TransferKind } from './transfer-kind.js';
import { walletAddressOf } from './wallet-address-of.js';

/** Says what a transfer would come to, and does nothing. */
export class PreviewTransfer {
  constructor(
    private readonly wallets: Wallets,
    private readonly kind: TransferKind,
    private readonly policy: PolicyCheck,
  ) {}

  /** @throws AppError as Transfer would; a refusal by policy is in the answer */
  async execute(agentId: string, request: TransferRequest): Promise<PreviewedPlan<TransferPlan>> {
    if (!isUuid(agentId)) throw new AppError('VALIDATION_ERROR');
    checkTransfer(request, await walletAddressOf(this.wallets, agentId));
    const { kind, policy } = this;
    return previewOf({ kind, policy }, { id: newId(), agentId, request }, changesByTransfer);
  }
}
