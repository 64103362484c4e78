import { AppError, isUuid } from '@agent-wallet/kernel';
import { type OperationEngine, type OperationRecord } from '@agent-wallet/operations';
import type { TransferPlan } from '../domain/transfer-plan.js';
import type { TransferRequest } from '../domain/transfer-request.js';
import type { Wallets } from '../ports/wallets.js';
import { checkTransfer } from './check-transfer.js';
import { planOfKnownToken } from './resolve-token.js';
import type { TransferKind } from './transfer-kind.js';
import { walletAddressOf } from './wallet-address-of.js';

/** What a caller asks for. */
export interface TransferCall {
  /** UUID: the operation. */
  readonly operationId: string;
  readonly agentId: string;
  readonly request: TransferRequest;
  readonly waitMs: number;
  /** Whether a transfer that has not begun never may. */
  readonly onlyIfBegun?: boolean;
}

/** A transfer that landed or may land. */
export interface TransferAnswer {
  readonly isConfirmed: boolean;
  /** 64 bytes; undefined while none is known. */
  readonly signature: Uint8Array | undefined;
  readonly recipient: string;
  /** Undefined while the chain was not asked for the token yet. */
  readonly plan: TransferPlan | undefined;
}

/** Sends money. */
export class Transfer {
  constructor(
    private readonly wallets: Wallets,
    private readonly kind: TransferKind,
    private readonly engine: Pick<OperationEngine, 'run'>,
  ) {}

  /**
   * Sends money once for each operation id, and answers what is known when the wait is over.
   * @throws AppError whatever its code says, nothing moved and nothing will; only TRANSACTION_FAILED has cost a fee
   */
  async execute(call: TransferCall): Promise<TransferAnswer> {
    const { operationId, agentId, request, waitMs, onlyIfBegun } = call;
    if (!isUuid(operationId) || !isUuid(agentId)) throw new AppError('VALIDATION_ERROR');
    checkTransfer(request, await walletAddressOf(this.wallets, agentId));
    const record = await this.engine.run(this.kind, { id: operationId, agentId, request, waitMs, onlyIfBegun });
    return answerOf(record);
  }
}

function answerOf(record: OperationRecord<TransferRequest, TransferPlan>): TransferAnswer {
  if (record.error) throw record.error;
  return {
    isConfirmed: record.state === 'confirmed',
    signature: record.attempt?.signature,
    recipient: record.request.to,
    plan: record.plan ?? planOfKnownToken(record.request),
  };
}
