import { AppError, formatAmount, USD_DECIMALS } from '@agent-wallet/kernel';
import { type Decision, isConflict, maxAllowedNowUsdMicros, type Rule } from './decision.js';

type Figures = Readonly<Record<string, string>>;

/**
 * The error of a decision that grants nothing. POLICY_VIOLATION carries as `data` the rule, a suggestion, and those
 * of limitUsdMicros, usedUsdMicros (settled and reserved), requestedUsdMicros, maxAllowedNowUsdMicros and resetsAtMs
 * that the rule has. PERMIT_CONFLICT carries the reason.
 */
export function refusalOf(decision: Decision): AppError {
  const { verdict } = decision;
  if (verdict === 'granted') throw new RangeError('a granted request is no refusal');
  if (isConflict(verdict))
    return new AppError('PERMIT_CONFLICT', { data: { reason: verdict.slice('conflict_'.length) } });
  const { message, ...data } = explain(verdict, decision);
  return new AppError('POLICY_VIOLATION', { message: message!, data: { rule: verdict, ...data } });
}

function explain(rule: Rule, decision: Decision): Figures {
  switch (rule) {
    case 'recipient_not_allowed':
      return {
        message: 'The recipient is not in allowedRecipients.',
        suggestion: 'Send to an address in allowedRecipients, or add this recipient with PATCH /wallets/me/policy.',
      };
    case 'price_unavailable':
      return {
        message: 'There is no current price to hold the value against the limits.',
        suggestion: 'Try again in a few seconds, or use a token that has a price.',
      };
    case 'single_transaction_limit':
      return {
        message: 'The value is above maxSingleTransactionInUsd.',
        limitUsdMicros: String(decision.maxSingleUsdMicros),
        ...asked(decision),
        suggestion: suggestLess(decision),
      };
    case 'daily_limit':
      return {
        message: 'The value is above what is left of dailyLimitInUsd.',
        limitUsdMicros: String(decision.dailyLimitUsdMicros),
        usedUsdMicros: String(decision.settledUsdMicros + decision.reservedUsdMicros),
        ...asked(decision),
        ...(decision.resetsAtMs === undefined ? {} : { resetsAtMs: String(decision.resetsAtMs) }),
        suggestion: suggestLess(decision),
      };
  }
}

function asked(decision: Decision): Figures {
  return {
    requestedUsdMicros: String(decision.valueUsdMicros),
    maxAllowedNowUsdMicros: String(maxAllowedNowUsdMicros(decision)),
  };
}

function suggestLess(decision: Decision): string {
  const possible = maxAllowedNowUsdMicros(decision);
  if (possible === 0n) {
    return 'Nothing is left of the daily limit now. Wait until earlier spending is 24 hours old, or raise dailyLimitInUsd.';
  }
  return `Up to ${formatAmount(possible, USD_DECIMALS)} USD is possible now. Send less, or change the limits with PATCH /wallets/me/policy.`;
}
