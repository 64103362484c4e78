import { policyUpdate } from './policy-fields.js';
import { policyResult, policyUpdateResult, usageRecord } from './policy-records.js';
import { route } from './route.js';

const POLICY =
  '{"maxSingleTransactionInUsd":100,"dailyLimitInUsd":500,"allowedRecipients":[],"allowTrading":true,"allowLiquidityProvision":true,"allowPredictionMarkets":true,"sessionExpirationHours":168,"newRecipients":"allow","newRecipientCoolDownHours":0,"approveAboveInUsd":null,"allowedTokens":null,"allowedMarkets":null}';

export const getPolicyRoute = route({
  id: 'getPolicy',
  method: 'GET',
  path: '/wallets/me/policy',
  auth: 'bearer',
  area: 'Policy',
  summary: 'The policy in force',
  response: policyResult,
  errors: [],
  example: { response: `{"policy":${POLICY},"claimed":true,"version":7,"approvalLifetimeHours":24}` },
});

export const updatePolicyRoute = route({
  id: 'updatePolicy',
  method: 'PATCH',
  path: '/wallets/me/policy',
  auth: 'bearer',
  area: 'Policy',
  summary: 'Change the policy',
  notes:
    'Changes only the fields sent and answers the whole policy. `warnings` says where it may not do what it seems to do. Once it has answered, nothing more is signed under the ' +
    'old policy. A holder of the agent’s token can change the policy; where an owner has claimed the agent, only tighten it.',
  body: policyUpdate,
  response: policyUpdateResult,
  errors: ['INVALID_ADDRESS', 'POLICY_LOOSENING_NEEDS_OWNER'],
  example: { request: '{"dailyLimitInUsd":500}', response: `{"policy":${POLICY},"warnings":[]}` },
});

export const usageRoute = route({
  id: 'getPolicyUsage',
  method: 'GET',
  path: '/wallets/me/policy/usage',
  auth: 'bearer',
  area: 'Policy',
  summary: 'How much of the daily limit is used',
  notes: 'The day is a rolling 24 hours. Read `maxAllowedNowUsd` before a large transfer.',
  response: usageRecord,
  errors: [],
  example: {
    response:
      '{"usedUsd":74.1,"settledUsd":64.1,"reservedUsd":10,"remainingTodayUsd":425.9,"maxAllowedNowUsd":100,"windowStartsAt":"2026-11-20T10:02:00.000Z","resetsAt":"2026-11-22T10:02:00.000Z"}',
  },
});
