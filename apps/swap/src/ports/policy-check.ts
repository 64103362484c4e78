import type { policyV1 } from '@agent-wallet/contracts';
import type { StopCheck } from '@agent-wallet/operations';

/** Preview of policy's decision. A generated client fits. */
export interface PolicyCheck extends StopCheck {
  /** @throws AppError with what Authorize would answer, except a refusal; RpcFailure */
  dryRunAuthorize(request: policyV1.DryRunAuthorizeRequest): Promise<policyV1.DryRunAuthorizeResponse>;
}
