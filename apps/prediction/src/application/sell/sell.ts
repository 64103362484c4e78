import type { predictionV1 } from '@agent-wallet/contracts';
import { assertUuid } from '@agent-wallet/kernel';
import type { OperationEngine, OperationRecord } from '@agent-wallet/operations';
import { payoutOf, type SellPlan, signatureOfPayout } from '../../domain/orders/order-plan.js';
import { checkSell, type SellRequest } from '../../domain/orders/order-request.js';
import type { OperationCallOf } from '../operations/dependencies.js';
import { sellFacts } from '../orders/order-facts.js';
import type { SellSaga } from './sell-saga.js';

/** A sale that is done or under way. */
export interface SellResult {
  readonly isConfirmed: boolean;
  readonly facts: predictionV1.SellFacts;
  /** Base58 signature of the payout; empty while there is none. */
  readonly signature: string;
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
    assertUuid('operationId', operationId);
    assertUuid('agentId', agentId);
    checkSell(request);
    return answerOf(await this.engine.run(this.saga, { id: operationId, agentId, request, ...call }));
  }
}

function answerOf({ error, state, request, plan }: OperationRecord<SellRequest, SellPlan>): SellResult {
  if (error) throw error;
  return {
    isConfirmed: state === 'confirmed',
    facts: sellFacts(request, plan),
    signature: signatureOfPayout(payoutOf(plan)) ?? '',
  };
}
