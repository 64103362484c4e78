import { AppError, isUuid, newId } from '@agent-wallet/kernel';
import { changesByUnwrap, parseUnwrapAmount, type UnwrapPlan, type UnwrapRequest } from '../domain/unwrap-plan.js';
import type { PolicyCheck } from '../ports/policy-check.js';
import { type PreviewedPlan, previewOf } from './preview.js';
import type { UnwrapKind } from './unwrap-kind.js';

/** Says what an unwrap would come to, and does nothing. */
export class PreviewUnwrap {
  constructor(
    private readonly kind: UnwrapKind,
    private readonly policy: PolicyCheck,
  ) {}

  /** @throws AppError as Unwrap would; a refusal by policy is in the answer */
  async execute(agentId: string, request: UnwrapRequest): Promise<PreviewedPlan<UnwrapPlan>> {
    if (!isUuid(agentId)) throw new AppError('VALIDATION_ERROR');
    parseUnwrapAmount(request);
    const { kind, policy } = this;
    return previewOf({ kind, policy }, { id: newId(), agentId, request }, changesByUnwrap);
  }
}
