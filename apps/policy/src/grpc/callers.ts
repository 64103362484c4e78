import type { policyV1 } from '@agent-wallet/contracts';
import type { CallerLists } from '@agent-wallet/platform';

/** Who may call what. */
export const POLICY_CALLERS: CallerLists<typeof policyV1.PolicyServiceService> = {
  createPolicy: ['gateway'],
  getPolicy: ['gateway', 'prediction'],
  updatePolicy: ['gateway'],
  getUsage: ['gateway'],
  authorize: ['wallet', 'swap'],
  check: ['wallet', 'swap'],
  settle: ['wallet', 'swap'],
  setFreeze: ['ops'],
  listFreezes: ['ops'],
};
