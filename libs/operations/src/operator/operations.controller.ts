import { operationsV1 } from '@agent-wallet/contracts';
import { AppError, assertUuid } from '@agent-wallet/kernel';
import type { CallerLists, GrpcController, ServedService } from '@agent-wallet/platform';
import { Controller, Inject } from '@nestjs/common';
import type { OperatorDesk } from './operator-desk.js';

/** Under which Nest finds the desk. */
export const OPERATOR_DESK = Symbol("the operator's desk");

const OPEN_LIMIT = 100;
const REVISIONS_LIMIT = 500;

/** The operators' gRPC surface of a service that carries out operations. */
@Controller()
export class OperationsController implements GrpcController<operationsV1.OperationsServiceService> {
  constructor(@Inject(OPERATOR_DESK) private readonly desk: OperatorDesk) {}

  async listOpenOperations(
    request: operationsV1.ListOpenOperationsRequest,
  ): Promise<operationsV1.ListOpenOperationsResponse> {
    const limit = Math.min(request.limit || OPEN_LIMIT, OPEN_LIMIT);
    return { operations: await this.desk.open({ minAgeMs: request.minAgeMs, limit }) };
  }

  async listOperationRevisions(
    request: operationsV1.ListOperationRevisionsRequest,
  ): Promise<operationsV1.ListOperationRevisionsResponse> {
    const { afterOperationId, beforeOperationId, limit } = request;
    assertUuid('afterOperationId', afterOperationId);
    assertUuid('beforeOperationId', beforeOperationId);
    if (limit < 1 || limit > REVISIONS_LIMIT) throw AppError.field('limit', `must be from 1 to ${REVISIONS_LIMIT}`);
    return { operations: await this.desk.revisions({ afterId: afterOperationId, beforeId: beforeOperationId, limit }) };
  }

  async explainOperation({
    operationId,
  }: operationsV1.ExplainOperationRequest): Promise<operationsV1.ExplainOperationResponse> {
    assertUuid('operationId', operationId);
    return this.desk.explain(operationId);
  }

  async resendOperation(request: operationsV1.ResendOperationRequest): Promise<operationsV1.ResendOperationResponse> {
    const { operationId, operator, reason } = request;
    assertUuid('operationId', operationId);
    return { signature: await this.desk.resend(operationId, { operator, reason }) };
  }

  async endHeldOperation(
    request: operationsV1.EndHeldOperationRequest,
  ): Promise<operationsV1.EndHeldOperationResponse> {
    const { operationId, operator, reason } = request;
    assertUuid('operationId', operationId);
    await this.desk.endHeld(operationId, { operator, reason });
    return {};
  }
}

const CALLERS: CallerLists<typeof operationsV1.OperationsServiceService> = {
  listOpenOperations: ['ops'],
  listOperationRevisions: ['ops'],
  explainOperation: ['ops'],
  resendOperation: ['ops'],
  endHeldOperation: ['ops'],
};

/** For the server of a service whose module has the controller and provides OPERATOR_DESK. */
export const OPERATIONS_SERVICE: ServedService = {
  definition: operationsV1.OperationsServiceService,
  callers: CALLERS,
  controller: OperationsController,
};
