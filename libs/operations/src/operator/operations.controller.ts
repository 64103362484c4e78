import { operationsV1 } from '@agent-wallet/contracts';
import { AppError, assertUuid } from '@agent-wallet/kernel';
import type { CallerLists, GrpcController, ServedService } from '@agent-wallet/platform';
import { Controller, Inject } from '@nestjs/common';
import { OperatorService } from './operator-service.js';

const OPEN_LIMIT = 100;
const REVISIONS_LIMIT = 500;

/** The operators' gRPC surface of a service that carries out operations. */
@Controller()
export class OperationsController implements GrpcController<operationsV1.OperationsServiceService> {
  constructor(@Inject(OperatorService) private readonly operators: OperatorService) {}

  async listOpenOperations(
    request: operationsV1.ListOpenOperationsRequest,
  ): Promise<operationsV1.ListOpenOperationsResponse> {
    const limit = Math.min(request.limit || OPEN_LIMIT, OPEN_LIMIT);
    return { operations: await this.operators.open({ minAgeMs: request.minAgeMs, limit }) };
  }

  async listOperationRevisions(
    request: operationsV1.ListOperationRevisionsRequest,
  ): Promise<operationsV1.ListOperationRevisionsResponse> {
    const { afterOperationId, beforeOperationId, limit } = request;
    assertUuid('afterOperationId', afterOperationId);
    assertUuid('beforeOperationId', beforeOperationId);
    if (limit < 1 || limit > REVISIONS_LIMIT) throw AppError.field('limit', `must be from 1 to ${REVISIONS_LIMIT}`);
    return {
      operations: await this.operators.revisions({ afterId: afterOperationId, beforeId: beforeOperationId, limit }),
    };
  }

  async explainOperation({
    operationId,
  }: operationsV1.ExplainOperationRequest): Promise<operationsV1.ExplainOperationResponse> {
    assertUuid('operationId', operationId);
    return this.operators.explain(operationId);
  }

  async resendOperation(request: operationsV1.ResendOperationRequest): Promise<operationsV1.ResendOperationResponse> {
    const { operationId, operator, reason } = request;
    assertUuid('operationId', operationId);
    return { signature: await this.operators.resend(operationId, { operator, reason }) };
  }

  async rejectOperation(request: operationsV1.RejectOperationRequest): Promise<operationsV1.RejectOperationResponse> {
    const { operationId, operator, reason } = request;
    assertUuid('operationId', operationId);
    await this.operators.reject(operationId, { operator, reason });
    return {};
  }
}

const CALLERS: CallerLists<typeof operationsV1.OperationsServiceService> = {
  listOpenOperations: ['ops'],
  listOperationRevisions: ['ops'],
  explainOperation: ['ops'],
  resendOperation: ['ops'],
  rejectOperation: ['ops'],
};

/** For the server of a service whose module has the controller and provides OperatorService. */
export const OPERATIONS_SERVICE: ServedService = {
  definition: operationsV1.OperationsServiceService,
  callers: CALLERS,
  controller: OperationsController,
};
