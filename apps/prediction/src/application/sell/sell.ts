import { AppError, isUuid } from '@agent-wallet/kernel';
import type { OperationEngine, OperationRecord } from '@agent-wallet/operations';
import { type OrderOutcome, outcomeOf } from '../../domain/orders/order-outcome.js';
import { isInBalance, payoutOf, type SellPlan, signatureOfPayout } from '../../domain/orders/order-plan.js';
import { checkSell, type SellRequest } from '../../domain/orders/order-request.js';
import type { OperationCallOf } from '../operations/dependencies.js';
import type { SellSaga } from './sell-saga.js';

/** A sale that is done or under way. */
export interface SellResult {
  readonly isConfirmed: boolean;
  readonly request: SellRequest;
  readonly createdAtMs: number;
  readonly eventTicker: string;
  readonly order: OrderOutcome;
  /** Base58 signature of the payout; empty while there is none. */
  readonly signature: string;
  readonly isPaidToBalance: boolean;
}

/** Sells contracts. */
export class Sell {
  constructor(
    private readonly saga: SellSaga,
    private readonly engine: Pick<OperationEngine, 'run'>,
  ) {}

  /**
   * Sells once for each operation id, and answers what is known when the wait is over.
   * @throws AppError nothing was sold, and nothing will be
   */
  async execute({ operationId, agentId, request, ...call }: OperationCallOf<SellRequest>): Promise<SellResult> {
    if (!isUuid(operationId) || !isUuid(agentId)) throw new AppError('VALIDATION_ERROR');
    checkSell(request);
    return answerOf(await this.engine.run(this.saga, { id: operationId, agentId, request, ...call }));
  }
}

function answerOf({ error, state, request, plan, createdAtMs }: OperationRecord<SellRequest, SellPlan>): SellResult {
  if (error) throw error;
  const payout = payoutOf(plan);
  return {
    isConfirmed: state === 'confirmed',
    request,
    createdAtMs,
    order: outcomeOf(plan),
    eventTicker: plan?.order.eventTicker ?? '',
    signature: signatureOfPayout(payout) ?? '',
    isPaidToBalance: isInBalance(payout),
  };
}
