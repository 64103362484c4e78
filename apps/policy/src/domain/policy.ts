import { type FieldProblem, formatAmount, USD_DECIMALS } from '@agent-wallet/kernel';

/** What an agent may do (specification 2.1). Amounts are micro-dollars. */
export interface Policy {
  readonly maxSingleTransactionUsdMicros: bigint;
  readonly dailyLimitUsdMicros: bigint;
  /** Base58 addresses that transfers may go to; empty allows every one. */
  readonly allowedRecipients: readonly string[];
  readonly allowTrading: boolean;
  readonly allowLiquidityProvision: boolean;
  readonly allowPredictionMarkets: boolean;
  readonly sessionExpirationHours: number;
}

/** The fields of a policy that are to change. */
export type PolicyChange = { readonly [Field in keyof Policy]?: Policy[Field] | undefined };

/** The policy of a new agent. */
export const DEFAULT_POLICY: Policy = {
  maxSingleTransactionUsdMicros: 100_000_000n,
  dailyLimitUsdMicros: 500_000_000n,
  allowedRecipients: [],
  allowTrading: true,
  allowLiquidityProvision: true,
  allowPredictionMarkets: true,
  sessionExpirationHours: 168,
};

/** A billion dollars. */
const MAX_LIMIT_USD_MICROS = 10n ** 15n;
const MAX_RECIPIENTS = 500;
const MAX_SESSION_HOURS = 8_760;

/** Every field that is out of bounds, by its public name. */
export function policyProblems(change: PolicyChange, isAddress: (text: string) => boolean): FieldProblem[] {
  return [
    ...limitProblems('maxSingleTransactionInUsd', change.maxSingleTransactionUsdMicros),
    ...limitProblems('dailyLimitInUsd', change.dailyLimitUsdMicros),
    ...recipientProblems(change.allowedRecipients ?? [], isAddress),
    ...hoursProblems(change.sessionExpirationHours),
  ];
}

function limitProblems(field: string, limitUsdMicros: bigint | undefined): FieldProblem[] {
  if (limitUsdMicros === undefined) return [];
  if (limitUsdMicros <= 0n) return [{ field, reason: 'must be greater than 0', problem: 'out_of_range' }];
  return limitUsdMicros > MAX_LIMIT_USD_MICROS
    ? [{ field, reason: 'must be at most 1000000000', problem: 'out_of_range' }]
    : [];
}

function recipientProblems(recipients: readonly string[], isAddress: (text: string) => boolean): FieldProblem[] {
  const field = 'allowedRecipients';
  if (recipients.length > MAX_RECIPIENTS)
    return [{ field, reason: `must have at most ${MAX_RECIPIENTS} addresses`, problem: 'too_long' }];
  if (recipients.some((recipient) => !isAddress(recipient))) {
    return [{ field, reason: 'must contain only base58 addresses of 32 bytes', problem: 'invalid_format' }];
  }
  return new Set(recipients).size < recipients.length
    ? [{ field, reason: 'must not name an address twice', problem: 'duplicate' }]
    : [];
}

function hoursProblems(hours: number | undefined): FieldProblem[] {
  if (hours === undefined || (Number.isInteger(hours) && hours >= 1 && hours <= MAX_SESSION_HOURS)) return [];
  const reason = `must be an integer from 1 to ${MAX_SESSION_HOURS}`;
  return [{ field: 'sessionExpirationHours', reason, problem: 'out_of_range' }];
}

/** A policy after a change; fields that are not set stay. */
export function changed(policy: Policy, change: PolicyChange): Policy {
  const set = Object.entries(change).filter(([, value]) => value !== undefined);
  return { ...policy, ...Object.fromEntries(set) };
}

/** One field of a policy before and after, named as in the public API, as JSON texts. */
export interface FieldChange {
  readonly field: string;
  readonly before: string;
  readonly after: string;
}

/** The fields in which two policies differ. */
export function differences(before: Policy, after: Policy): FieldChange[] {
  const was = publicTexts(before);
  return Object.entries(publicTexts(after))
    .map(([field, text]) => ({ field, before: was[field]!, after: text }))
    .filter((change) => change.before !== change.after);
}

function publicTexts(policy: Policy): Record<string, string> {
  return {
    maxSingleTransactionInUsd: formatAmount(policy.maxSingleTransactionUsdMicros, USD_DECIMALS),
    dailyLimitInUsd: formatAmount(policy.dailyLimitUsdMicros, USD_DECIMALS),
    allowedRecipients: JSON.stringify(policy.allowedRecipients),
    allowTrading: String(policy.allowTrading),
    allowLiquidityProvision: String(policy.allowLiquidityProvision),
    allowPredictionMarkets: String(policy.allowPredictionMarkets),
    sessionExpirationHours: String(policy.sessionExpirationHours),
  };
}
