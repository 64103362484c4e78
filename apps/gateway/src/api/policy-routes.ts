import { policyInForce, usageResponse, updatedPolicy } from '../application/responses/policy-response.js';
import { changedFields } from './owners/owner-input.js';
import { policyUpdate } from './schemas/policy-fields.js';
import { policyResult, policyUpdateResult, usageRecord } from './schemas/policy-records.js';
import { defineRoute } from './route.js';

const POLICY = {
  maxSingleTransactionInUsd: 100,
  dailyLimitInUsd: 500,
  allowedRecipients: [],
  allowTrading: true,
  allowLiquidityProvision: true,
  allowPredictionMarkets: true,
  sessionExpirationHours: 168,
  newRecipients: 'allow',
  newRecipientCoolDownHours: 0,
  approveAboveInUsd: null,
  allowedTokens: null,
  allowedMarkets: null,
} as const;

export const getPolicyRoute = defineRoute(
  {
    id: 'getPolicy',
    method: 'GET',
    path: '/wallets/me/policy',
    auth: 'bearer',
    area: 'Policy',
    summary: 'Get the policy in force',
    response: policyResult,
    errors: [],
    example: {
      response: {
        policy: POLICY,
        claimed: true,
        version: 7,
        approvalLifetimeHours: 24,
        maxTradeLossPercent: null,
        unpricedTokens: [],
        allowMailLogin: true,
        warnings: [],
      },
    },
  },
  async ({ caller: { agentId } }, { services: { policy: policies } }) => {
    return { message: 'Policy.', data: policyInForce(await policies.policy(agentId)) };
  },
);

export const updatePolicyRoute = defineRoute(
  {
    id: 'updatePolicy',
    method: 'PATCH',
    path: '/wallets/me/policy',
    auth: 'bearer',
    area: 'Policy',
    summary: 'Change the policy',
    notes:
      'Updates only the fields sent and returns the whole policy. `warnings` lists settings that may not have the intended effect. Once it has answered, nothing more is signed under the ' +
      'old policy. A holder of the agent’s token can change the policy; where an owner has claimed the agent, only tighten it.',
    body: policyUpdate,
    response: policyUpdateResult,
    errors: ['INVALID_ADDRESS', 'POLICY_LOOSENING_NEEDS_OWNER'],
    example: { request: { dailyLimitInUsd: 500 }, response: { policy: POLICY, warnings: [] } },
  },
  async ({ input: { body }, caller: { agentId } }, { services: { policy: policies } }) => {
    if (Object.keys(body).length === 0) {
      return { message: 'Nothing to change.', data: updatedPolicy(await policies.policy(agentId)) };
    }
    const policy = await policies.update({ agentId, ...changedFields(body) });
    return { message: 'The policy was updated.', data: updatedPolicy(policy) };
  },
);

export const usageRoute = defineRoute(
  {
    id: 'getPolicyUsage',
    method: 'GET',
    path: '/wallets/me/policy/usage',
    auth: 'bearer',
    area: 'Policy',
    summary: 'Get usage of the daily limit',
    notes: 'The day is a rolling 24 hours. Read `maxAllowedNowUsd` before a large transfer.',
    response: usageRecord,
    errors: [],
    example: {
      response: {
        usedUsd: 74.1,
        settledUsd: 64.1,
        reservedUsd: 10,
        remainingTodayUsd: 425.9,
        maxAllowedNowUsd: 100,
        windowStartsAt: '2026-11-20T10:02:00.000Z',
        resetsAt: '2026-11-22T10:02:00.000Z',
      },
    },
  },
  async ({ caller: { agentId } }, { services: { policy } }) => {
    return { message: 'Usage of the daily limit.', data: usageResponse(await policy.usage(agentId)) };
  },
);
