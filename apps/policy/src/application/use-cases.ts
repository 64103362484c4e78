import type { Authorize } from './authorize.js';
import type { Check } from './check.js';
import type { GetUsage } from './get-usage.js';
import type { ListFreezes, SetFreeze } from './manage-freezes.js';
import type { CreatePolicy, GetPolicy, UpdatePolicy } from './manage-policy.js';
import type { Settle } from './settle.js';

/** All that policy does for its callers, by the names of its methods. */
export interface PolicyUseCases {
  readonly createPolicy: CreatePolicy;
  readonly getPolicy: GetPolicy;
  readonly updatePolicy: UpdatePolicy;
  readonly getUsage: GetUsage;
  readonly authorize: Authorize;
  readonly check: Check;
  readonly settle: Settle;
  readonly setFreeze: SetFreeze;
  readonly listFreezes: ListFreezes;
}

/** Under which PolicyUseCases are injected. */
export const POLICY_USE_CASES = Symbol('PolicyUseCases');
