import type { predictionV1 } from '@agent-wallet/contracts';
import { assertUuid } from '@agent-wallet/kernel';
import {
  isAwaitingApproval,
  type OperationEngine,
  type OperationRecord,
  type RequestedApproval,
} from '@agent-wallet/operations';
import type { BuyPlan } from '../../domain/orders/order-plan.js';
import { type BuyRequest, checkBuy } from '../../domain/orders/order-request.js';
import type { OperationCallOf } from '../operations/dependencies.js';
import { buyFacts } from '../orders/order-facts.js';
import type { BuySaga } from './buy-saga.js';

/** A buy that is done or under way. */
export interface BuyResult {
  readonly isConfirmed: boolean;
  /** The approval that it waits for; undefined when it waits for none. */
  readonly approval: RequestedApproval | undefined;
  readonly facts: predictionV1.BuyFacts;
  /** Base58; empty while none is known. */
  readonly signature: string;
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
    assertUuid('operationId', operationId);
    assertUuid('agentId', agentId);
    checkBuy(request);
    return answerOf(await this.engine.run(this.saga, { id: operationId, agentId, request, ...call }));
  }
}

function answerOf(record: OperationRecord<BuyRequest, BuyPlan>): BuyResult {
  const { error, state, request, plan } = record;
  if (error) throw error;
  return {
    isConfirmed: state === 'confirmed',
    approval: isAwaitingApproval(record) ? record.approval : undefined,
    facts: buyFacts(request, plan),
    signature: (plan && 'escrowSignature' in plan && plan.escrowSignature) || '',
  };
}
