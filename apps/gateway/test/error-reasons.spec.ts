import type {
  AddressProblem,
  AuthenticationReason,
  ErrorFacts,
  RateLimitScope,
  UnavailableReason,
} from '@agent-wallet/kernel';
import { POLICY_RULES, POOL_OBSTACLES, TOKEN_SCOPES } from '@agent-wallet/kernel';
import { expect, it } from '@jest/globals';
import { valuesOfFields } from '../src/api/schemas/error-records.js';
import { policyRule } from '../src/api/schemas/policy-records.js';

/** Every value that services may send, by code and field: the compiler refuses a list that lacks one. */
const SENT: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, true>>>>>> = {
  INVALID_ADDRESS: {
    problem: {
      ...{ not_an_address: true, mint: true, token_account: true, off_curve: true, fee_payer: true, screened: true },
    } satisfies Record<AddressProblem, true>,
  },
  AUTHENTICATION_ERROR: {
    reason: {
      ...{ missing: true, malformed: true, invalid: true, expired: true, revoked: true, wrong_code: true },
      ...{ wrong_origin: true, passkey_required: true, login_too_old: true },
    } satisfies Record<AuthenticationReason, true>,
  },
  RATE_LIMIT_EXCEEDED: {
    scope: { client: true, agent: true, owner: true, email: true, otp: true, upstream: true } satisfies Record<
      RateLimitScope,
      true
    >,
  },
  SERVICE_UNAVAILABLE: {
    reason: { recovering: true, treasury_daily_limit: true, database: true, shutting_down: true } satisfies Record<
      UnavailableReason,
      true
    >,
  },
  APPROVAL_REJECTED: {
    reason: { rejected: true, withdrawn: true, void: true } satisfies Record<
      ErrorFacts['APPROVAL_REJECTED']['reason'],
      true
    >,
  },
  POOL_NOT_SUPPORTED: { reason: Object.fromEntries(POOL_OBSTACLES.map((value) => [value, true])) },
  INSUFFICIENT_SCOPE: { scope: Object.fromEntries(TOKEN_SCOPES.map((value) => [value, true])) },
};

it.each(Object.entries(SENT))('the schema of %s lists every value that is sent', (code, fields) => {
  const values = Object.fromEntries(Object.entries(fields).map(([name, sent]) => [name, Object.keys(sent).sort()]));
  const listed = Object.entries(valuesOfFields(code as never)).map(([name, each]) => [name, [...each].sort()]);
  expect(Object.fromEntries(listed)).toEqual(values);
});

it('the schema of POLICY_VIOLATION lists every rule, also that of an agent that named its owner', () => {
  expect(policyRule().options).toEqual(POLICY_RULES);
  expect(policyRule().options).toContain('named_owner');
});
