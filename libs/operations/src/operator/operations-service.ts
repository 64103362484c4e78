import type { operationsV1 } from '@agent-wallet/contracts';
import { AppError, assertUuid } from '@agent-wallet/kernel';
import type { CallerLists, GrpcController } from '@agent-wallet/platform';
import type { OperatorService } from './operator-service.js';

const OPEN_LIMIT = 100;
const REVISIONS_LIMIT = 500;

/** Callers allowed for each method. */
export const OPERATIONS_CALLERS: CallerLists<typeof operationsV1.OperationsServiceService> = {
  listOpenOperations: ['ops'],
  listOperationRevisions: ['ops'],
  explainOperation: ['ops'],
  resendOperation: ['ops'],
  rejectOperation: ['ops'],
};

/** Handles the operators' gRPC methods of a service that carries out operations. */
export function operationsService(operators: OperatorService): GrpcController<operationsV1.OperationsServiceService> {
  return {
    listOpenOperations: async ({ minAgeMs, limit }) => ({
      operations: await operators.open({ minAgeMs, limit: Math.min(limit || OPEN_LIMIT, OPEN_LIMIT) }),
    }),
    listOperationRevisions: async ({ afterOperationId: afterId, beforeOperationId: beforeId, limit }) => {
      assertUuid('afterOperationId', afterId);
      assertUuid('beforeOperationId', beforeId);
      if (limit < 1 || limit > REVISIONS_LIMIT) throw AppError.field('limit', `must be from 1 to ${REVISIONS_LIMIT}`);
      return { operations: await operators.revisions({ afterId, beforeId, limit }) };
    },
    explainOperation: async ({ operationId }) => {
      assertUuid('operationId', operationId);
      return operators.explain(operationId);
    },
    resendOperation: async ({ operationId, operator, reason }) => {
      assertUuid('operationId', operationId);
      return { signature: await operators.resend(operationId, { operator, reason }) };
    },
    rejectOperation: async ({ operationId, operator, reason }) => {
      assertUuid('operationId', operationId);
      await operators.reject(operationId, { operator, reason });
      return {};
    },
  };
}
