import type { policyV1 } from '@agent-wallet/contracts';

/** The policy service. Methods throw AppError. */
export interface PolicyService {
  /** The agent's policy, the default one when it had none. */
  createPolicy(agentId: string): Promise<policyV1.Policy>;
  policy(agentId: string): Promise<policyV1.Policy>;
  update(change: policyV1.UpdatePolicyRequest): Promise<policyV1.Policy>;
  usage(agentId: string): Promise<policyV1.GetUsageResponse>;
  /** Resolves when the service can be reached. @throws AppError */
  reach(): Promise<void>;
}
