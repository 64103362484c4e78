import { AppError, isUuid, newId } from '@agent-wallet/kernel';
import { changesByMove, type MovePlan, type MoveRequest } from '../domain/move.js';
import type { PolicyCheck } from '../ports/policy-check.js';
import { checkMove } from './check-move.js';
import type { MoveKind } from './move-kind.js';
import { type PreviewedPlan, previewOf } from './preview.js';

/** Says what a move would come to, and does nothing. */
export class PreviewMove {
  constructor(
    private readonly kind: MoveKind,
    private readonly policy: PolicyCheck,
  ) {}

  /** @throws AppError as Move would; a refusal by policy is in the answer */
  async execute(
    agentId: string,
    { direction, amount }: Pick<MoveRequest, 'direction' | 'amount'>,
  ): Promise<PreviewedPlan<MovePlan>> {
    if (!isUuid(agentId)) throw new AppError('VALIDATION_ERROR');
    const request = { operationId: newId(), step: 1, attempt: 1, direction, amount };
    checkMove(request);
    const { kind, policy } = this;
    return previewOf({ kind, policy }, { id: newId(), agentId, request }, (plan, fee) =>
      changesByMove(request, plan, fee),
    );
  }
}
