import type { policyV1 } from '@agent-wallet/contracts';

/** The agents' policies, for the switch of prediction markets. A generated client fits. */
export interface PolicySwitch {
  getPolicy(request: policyV1.GetPolicyRequest): Promise<policyV1.GetPolicyResponse>;
}
