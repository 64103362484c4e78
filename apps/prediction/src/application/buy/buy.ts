import { AppError, isUuid } from '@agent-wallet/kernel';
import {
  isAwaitingApproval,
  type OperationEngine,
  type OperationRecord,
  type RequestedApproval,
} from '@agent-wallet/operations';
import { type OrderOutcome, outcomeOf } from '../../domain/orders/order-outcome.js';
import { type BuyPlan, isInBalance, payoutOf, signatureOfPayout } from '../../domain/orders/order-plan.js';
import { type BuyRequest, checkBuy } from '../../domain/orders/order-request.js';
import type { OperationCallOf } from '../operations/dependencies.js';
import type { BuySaga } from './buy-saga.js';

/** A buy that is done or under way. */
export interface BuyResult {
  readonly isConfirmed: boolean;
  /** The approval that it waits for; undefined when it waits for none. */
  readonly approval: RequestedApproval | undefined;
  readonly request: BuyRequest;
  readonly createdAtMs: number;
  readonly eventTicker: string;
  readonly order: OrderOutcome;
  /** The part of the escrow that was refunded; 0 while it is on its way. */
  readonly refundedUsdMicros: bigint;
  /** Base58; empty while none is known. */
  readonly signature: string;
  /** Base58; empty while there is none. */
  readonly refundSignature: string;
  readonly isRefundedToBalance: boolean;
}

/** Buys contracts. */
export class Buy {
  constructor(
    private readonly saga: BuySaga,
    private readonly engine: Pick<OperationEngine, 'run'>,
  ) {}

  /**
   * Buys once for each operation id, and answers what is known when the wait is over.
   * @throws AppError nothing has moved, or everything has come back: its data says how
   */
  async execute({ operationId, agentId, request, ...call }: OperationCallOf<BuyRequest>): Promise<BuyResult> {
    if (!isUuid(operationId) || !isUuid(agentId)) throw new AppError('VALIDATION_ERROR');
    checkBuy(request);
    return answerOf(await this.engine.run(this.saga, { id: operationId, agentId, request, ...call }));
  }
}

function answerOf(record: OperationRecord<BuyRequest, BuyPlan>): BuyResult {
  const { error, state, request, plan, createdAtMs } = record;
  if (error) throw error;
  const isConfirmed = state === 'confirmed';
  const payout = payoutOf(plan);
  return {
    isConfirmed,
    approval: isAwaitingApproval(record) ? record.approval : undefined,
    request,
    createdAtMs,
    order: outcomeOf(plan),
    eventTicker: plan?.order.eventTicker ?? '',
    refundedUsdMicros: isConfirmed && payout ? payout.amountUsdMicros : 0n,
    signature: (plan && 'escrowSignature' in plan && plan.escrowSignature) || '',
    refundSignature: signatureOfPayout(payout) ?? '',
    isRefundedToBalance: isInBalance(payout),
  };
}
