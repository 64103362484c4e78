import type { policyV1 } from '@agent-wallet/contracts';
import { AppError, forEachPolicyField, type PolicyValues } from '@agent-wallet/kernel';
import { writeJson } from '../application/responses/exact-json.js';
import { policyInForce, showPolicy, usageResponse } from '../application/responses/policy-response.js';
import { grantResponse } from '../application/responses/token-response.js';
import { changedFields } from './owners/owner-input.js';
import { policyUpdate } from './schemas/policy-fields.js';
import { policyResult, usageRecord } from './schemas/policy-records.js';
import { grantField } from './schemas/scoped-token.js';
import type { z } from 'zod';
import { defineRoute } from './route.js';

const INITIAL = forEachPolicyField(({ initial }) => initial) as PolicyValues;

const IN_FORCE = JSON.parse(
  writeJson({
    policy: showPolicy(INITIAL, 'agent'),
    ...{ claimed: true, version: 7 },
    ...showPolicy(INITIAL, 'owner'),
    warnings: [],
  }),
) as z.output<typeof policyResult>;

export const getPolicyRoute = defineRoute(
  {
    id: 'getPolicy',
    tool: true,
    method: 'GET',
    path: '/wallets/me/policy',
    auth: 'bearer',
    area: 'Policy',
    summary: 'Get the policy in force',
    response: policyResult,
    headers: ['ETag'],
    errors: [],
    example: { response: IN_FORCE },
  },
  async ({ caller: { agentId } }, { services: { policy: policies } }) => shown(await policies.policy(agentId)),
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
    conditional: true,
    response: policyResult,
    headers: ['ETag'],
    errors: ['INVALID_ADDRESS', 'POLICY_LOOSENING_NEEDS_OWNER', 'VERSION_MISMATCH'],
    example: { request: { dailyLimitInUsd: 500 }, response: IN_FORCE },
  },
  async ({ input: { body }, caller: { agentId }, facts }, { services: { policy: policies } }) => {
    const expectedVersion = versionOf(facts.headers['if-match']);
    if (Object.keys(body).length === 0) {
      const policy = await policies.policy(agentId);
      if (expectedVersion !== undefined && policy.version !== expectedVersion) {
        throw new AppError('VERSION_MISMATCH', { data: { version: Number(policy.version) } });
      }
      return shown(policy, 'Nothing to change.');
    }
    const policy = await policies.update({ agentId, ...changedFields(body), expectedVersion });
    return shown(policy, 'The policy was updated.');
  },
);

/** Returns a policy and its version, which a change may name. */
function shown(policy: policyV1.Policy, message?: string) {
  return {
    ...(message === undefined ? {} : { message }),
    data: policyInForce(policy),
    headers: { etag: `"${policy.version}"` },
  };
}

/**
 * Reads the version of an `If-Match` header; undefined where any version will do.
 * @throws AppError VALIDATION_ERROR
 */
function versionOf(header: string | readonly string[] | undefined): bigint | undefined {
  if (header === undefined || header === '*') return undefined;
  const [, version] = /^"(\d{1,18})"$/.exec(String(header)) ?? [];
  if (version !== undefined) return BigInt(version);
  throw AppError.field('If-Match', 'must be the ETag of a policy, such as "7"', 'invalid_format');
}

export const usageRoute = defineRoute(
  {
    id: 'getPolicyUsage',
    tool: true,
    method: 'GET',
    path: '/wallets/me/policy/usage',
    auth: 'bearer',
    area: 'Policy',
    summary: 'Get usage of the daily limit',
    notes:
      'The day is a rolling 24 hours. `maxAllowedNowUsd` is within the policy and the limits of the token that asks.',
    response: usageRecord.extend({ grant: grantField() }).meta({ id: 'PolicyUsage' }),
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
        grant: null,
      },
    },
  },
  async ({ caller: { agentId } }, { services: { policy } }) => {
    const usage = await policy.usage(agentId);
    return { data: { ...usageResponse(usage), grant: grantResponse(usage) } };
  },
);
