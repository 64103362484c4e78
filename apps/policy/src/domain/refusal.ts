import { AppError, formatAmount, SOL_DECIMALS, USD_DECIMALS } from '@agent-wallet/kernel';
import {
  type Bound,
  type Decision,
  isConflict,
  isObstacle,
  maxAllowedNowUsdMicros,
  type Obstacle,
  type Rule,
} from './decision.js';

type Figures = Readonly<Record<string, string>>;

/**
 * The error of a decision that grants nothing.
 *
 * POLICY_VIOLATION carries as `data` the rule, a suggestion, and those
 * of limitUsdMicros, usedUsdMicros (settled and reserved), requestedUsdMicros, maxAllowedNowUsdMicros and resetsAtMs
 * that the rule has. INSUFFICIENT_FUNDS carries the bound of sponsorship, missingLamports and a suggestion,
 * PERMIT_CONFLICT the reason, SERVICE_UNAVAILABLE the bound of the treasury.
 * @param missingLamports what the wallet lacks to pay for itself; asked for only where a bound of sponsorship refuses
 */
export function refusalOf(decision: Decision, missingLamports?: bigint): AppError {
  const { verdict } = decision;
  if (verdict === 'granted') throw new RangeError('a granted request has no refusal');
  if (isConflict(verdict))
    return new AppError('PERMIT_CONFLICT', { data: { reason: verdict.slice('conflict_'.length) } });
  if (isObstacle(verdict)) return obstacle(verdict, missingLamports);
  const { message, ...data } = explain(verdict, decision);
  return new AppError('POLICY_VIOLATION', { message: message!, data: { rule: verdict, ...data } });
}

function obstacle(verdict: Obstacle, missingLamports: bigint | undefined): AppError {
  switch (verdict) {
    case 'recipient_off_curve':
      return offCurve();
    case 'treasury_daily_limit':
      return new AppError('SERVICE_UNAVAILABLE', {
        message: 'The operator has paid out as much as it does in 24 hours.',
        data: { bound: verdict },
      });
    default:
      return unsponsored(verdict, missingLamports!);
  }
}

function offCurve(): AppError {
  return AppError.field(
    'to',
    'is no address that a key can stand behind; to send there all the same, list it in allowedRecipients first',
    'INVALID_ADDRESS',
  );
}

const BOUND_MESSAGES: Readonly<Record<Bound, string>> = {
  sponsored_per_transaction: 'The operator does not pay so much network fee and rent for one transaction.',
  sponsored_accounts_per_agent_day:
    'The operator has paid for as many new token accounts of recipients as it does for one agent in 24 hours.',
  sponsored_per_agent_day: 'The operator has paid as much network fee and rent as it does for one agent in 24 hours.',
  sponsored_per_day: 'The operator has paid as much network fee and rent as it does for all agents in 24 hours.',
};

function unsponsored(bound: Bound, missingLamports: bigint): AppError {
  const suggestion = `Send at least ${formatAmount(missingLamports, SOL_DECIMALS)} SOL to the wallet, and try again.`;
  return new AppError('INSUFFICIENT_FUNDS', {
    message: `${BOUND_MESSAGES[bound]} ${suggestion}`,
    data: { bound, missingLamports: String(missingLamports), suggestion },
  });
}

function explain(rule: Rule, decision: Decision): Figures {
  switch (rule) {
    case 'frozen':
      return {
        message: 'The operator has stopped payments for now.',
        suggestion: 'Nothing can be sent until the operator lifts the freeze. Ask the operator, or try again later.',
      };
    case 'trading_disabled':
      return {
        message: 'Trading is switched off by the policy.',
        suggestion: 'Switch allowTrading on with PATCH /wallets/me/policy, and trade again.',
      };
    case 'prediction_markets_disabled':
      return {
        message: 'Prediction markets are switched off by the policy.',
        suggestion: 'Switch allowPredictionMarkets on with PATCH /wallets/me/policy, and try again.',
      };
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
