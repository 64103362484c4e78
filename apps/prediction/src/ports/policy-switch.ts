import type { policyV1 } from '@agent-wallet/contracts';

/** What agents have used of their limits. A generated client fits. */
export interface PolicyUsage {
  getUsage(request: policyV1.GetUsageRequest): Promise<policyV1.GetUsageResponse>;
}

/** The agents' policies, for the switch of prediction markets. A generated client fits. */
export interface PolicySwitch {
  getPolicy(request: policyV1.GetPolicyRequest): Promise<policyV1.GetPolicyResponse>;
}
