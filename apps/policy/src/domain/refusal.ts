import {
  AppError,
  type FactsOf,
  formatAmount,
  insufficientScope,
  invalidAddress,
  NAMED_TOKENS,
  PREDICTION_MARKETS_DISABLED,
  SOL_DECIMALS,
  UNAVAILABLE_MESSAGES,
  USD_DECIMALS,
} from '@agent-wallet/kernel';
import {
  APPROVAL_REQUIRED,
  type Bound,
  type Decision,
  isConflict,
  isObstacle,
  limitUsdMicros,
  maxAllowedNowUsdMicros,
  type Obstacle,
  remainingUsdMicros,
  type Rule,
  usedUsdMicros,
} from './decision.js';
import { passingAmount, type PassingAmount, type SpentToken } from './passing-amount.js';
import type { SpendingKind } from './spending.js';
import { MAX_PRICE_IMPACT_BPS, type TradeFairness } from './trade-fairness.js';

type Explained = FactsOf<'POLICY_VIOLATION'> & { readonly message: string };

/** Grounds of a refusal that the decision does not carry. */
export interface Grounds {
  /** Kind of spending that is asked for. */
  readonly kind?: SpendingKind;
  /** Token that it spends. */
  readonly spent?: SpentToken | undefined;
  /** Lamports that the wallet lacks to pay for itself; read only where a bound of sponsorship refuses. */
  readonly missingLamports?: bigint;
  /** Value that a payment must have at least for the sponsor to open its recipient's account. */
  readonly rentUsdMicros?: bigint | undefined;
  /** Values of a trade. */
  readonly trade?: TradeFairness | undefined;
  /** Time by which the chain's clock lags, where that makes every price too old. */
  readonly chainLagMs?: number | undefined;
  /** Unix milliseconds from which a token can be looked up again, where a failed look-up left it unverified. */
  readonly lookUpAgainAtMs?: number | undefined;
}

/**
 * Returns the error of a decision that grants nothing:
 * - POLICY_VIOLATION with the figures that its rule has,
 * - INSUFFICIENT_FUNDS with the bound of sponsorship,
 * - PERMIT_CONFLICT or INVALID_ADDRESS,
 * - SERVICE_UNAVAILABLE for the bound of the treasury,
 * - INSUFFICIENT_SCOPE.
 */
export function refusalOf(decision: Decision, grounds: Grounds = {}): AppError {
  const { verdict } = decision;
  if (verdict === 'granted' || verdict === APPROVAL_REQUIRED) throw new RangeError(`${verdict} refuses nothing`);
  if (isConflict(verdict))
    return new AppError('PERMIT_CONFLICT', { data: { reason: verdict.slice('conflict_'.length) } });
  if (isObstacle(verdict)) return obstacle(verdict, decision, grounds);
  const { message, ...data } = explain(verdict, decision, grounds);
  return new AppError('POLICY_VIOLATION', { message, data });
}

function obstacle(verdict: Obstacle, { missingScope }: Decision, grounds: Grounds): AppError {
  switch (verdict) {
    case 'recipient_off_curve':
      return invalidAddress('to', 'off_curve', {
        reason: 'cannot belong to a wallet: no private key can control it. Check it for a typing mistake.',
        suggestion:
          'To send to a program on purpose, ask the owner to add the address to allowedRecipients, if that list is in ' +
          'use already. A first entry blocks every other recipient.',
      });
    case 'treasury_daily_limit':
      return new AppError('SERVICE_UNAVAILABLE', {
        message: UNAVAILABLE_MESSAGES[verdict],
        data: { reason: verdict },
      });
    case 'insufficient_scope':
      return insufficientScope(missingScope);
    case 'unknown_spending':
      return new AppError('INTERNAL_ERROR', { cause: 'the limit rule does not know this kind of spending' });
    default:
      return unsponsored(verdict, grounds);
  }
}

const BOUND_MESSAGES: Readonly<Record<Bound, string>> = {
  sponsored_per_transaction: 'The operator does not pay so much network fee and rent for one transaction.',
  sponsored_payment_below_rent:
    "The operator opens a recipient's token account only for a payment that is worth at least the account's rent.",
  sponsored_accounts_per_agent_day:
    'The operator has paid for as many new token accounts of recipients as it does for the agents of one mailbox in 24 hours.',
  sponsored_per_agent_day:
    'The operator has paid as much network fee and rent as it does for the agents of one mailbox in 24 hours.',
  sponsored_per_day: 'The operator has paid as much network fee and rent as it does for all agents in 24 hours.',
};

function unsponsored(bound: Bound, { missingLamports = 0n, rentUsdMicros }: Grounds): AppError {
  const isBelowRent = bound === 'sponsored_payment_below_rent' && rentUsdMicros !== undefined;
  const worth = isBelowRent ? `${usd(rentUsdMicros)} to the recipient, or ` : '';
  const missing = `${formatAmount(missingLamports, SOL_DECIMALS)} SOL to the wallet`;
  const suggestion = `Send at least ${worth}${missing}, and try again.`;
  return new AppError('INSUFFICIENT_FUNDS', {
    message: `${BOUND_MESSAGES[bound]} ${suggestion}`,
    data: { asset: 'SOL', decimals: SOL_DECIMALS, bound, missingLamports: String(missingLamports), suggestion },
  });
}

const ASK_OWNER = 'Ask the owner to change the policy.';

/** A rule that compares the value with a limit. */
type LimitRule = 'single_transaction_limit' | 'daily_limit';

/** Words for rules that need no figures. */
const WORDS: Readonly<
  Record<
    Exclude<Rule, LimitRule | 'trade_unfair' | 'grant_limit'>,
    { readonly message: string; readonly suggestion: string }
  >
> = {
  frozen: {
    message: 'Payments are frozen.',
    suggestion: 'Nothing can be sent until the freeze is lifted. Ask the owner, or the operator.',
  },
  owner_required: {
    message: 'Agents without an owner only receive here.',
    suggestion: 'Ask a person to claim this agent at the console.',
  },
  trading_disabled: {
    message: 'Trading is switched off by the policy.',
    suggestion: 'Ask the owner to switch on allowTrading.',
  },
  liquidity_disabled: {
    message: 'Liquidity provision is switched off by the policy.',
    suggestion: 'Ask the owner to switch on allowLiquidityProvision.',
  },
  prediction_markets_disabled: PREDICTION_MARKETS_DISABLED,
  token_not_allowed: {
    message: 'The policy does not allow acquiring this token. A position in a pool can bring either of its tokens.',
    suggestion:
      'Choose tokens in allowedTokens, or ask the owner to change the policy. Without that list, an agent with an owner ' +
      'and a recipient rule may acquire verified tokens only.',
  },
  market_not_allowed: {
    message: 'The market is not in allowedMarkets.',
    suggestion:
      'Buy in a market that allowedMarkets lists, or ask the owner to change the policy. Sales are not limited.',
  },
  recipient_not_allowed: {
    message: 'The recipient is not in allowedRecipients.',
    suggestion: 'Send to an address in allowedRecipients, or ask the owner to change the policy.',
  },
  new_recipient: {
    message: 'The recipient is new, and the policy denies payments to new recipients.',
    suggestion: 'Ask the owner to list this one.',
  },
  above_amount: {
    message: 'The value is above approveAboveInUsd, which an owner has set since this was permitted.',
    suggestion: 'Ask the owner to change approveAboveInUsd.',
  },
  treasury_moves_per_day: {
    message: 'The agents of one mailbox have started as many buys and payouts as the operator serves in 24 hours.',
    suggestion:
      'Try again later: each one counts for 24 hours. Refunds are paid, and what sales bring stays in the prediction ' +
      'balance meanwhile. Fewer and larger orders and withdrawals count less.',
  },
  grant_ended: {
    message: 'The token has ended or expired.',
    suggestion: 'Ask for a new one.',
  },
  price_unavailable: {
    message: 'No current price that counts is available to compare the value with the limits.',
    suggestion:
      'Try again in a few seconds, or use a token that has a price. An owner can list a token without a market in ' +
      'unpricedTokens.',
  },
};

/** Returns the refusal of a token that has ended. */
export function grantEnded(): AppError {
  const { message, suggestion } = WORDS.grant_ended;
  return new AppError('POLICY_VIOLATION', { message, data: { rule: 'grant_ended', suggestion } });
}

function explain(rule: Rule, decision: Decision, grounds: Grounds): Explained {
  const { trade, chainLagMs, lookUpAgainAtMs } = grounds;
  const isOfRecipients = rule === 'grant_limit' && decision.grantLimit?.limitUsdMicros === undefined;
  if (lookUpAgainAtMs !== undefined && (rule === 'token_not_allowed' || isOfRecipients))
    return { rule, retryAtMs: lookUpAgainAtMs, ...LOOK_UP_FAILED };
  switch (rule) {
    case 'trade_unfair':
      return { rule, ...explainUnfair(decision, trade!) };
    case 'grant_limit':
      return { rule, ...explainGrantLimit(decision, grounds) };
    case 'single_transaction_limit':
      return {
        rule,
        ...figuresOf(decision, grounds),
        message: `${asked(decision, grounds)} exceeds maxSingleTransactionInUsd (${usd(decision.maxSingleUsdMicros)}).`,
        suggestion: suggestionFor(decision, grounds),
      };
    case 'daily_limit':
      return {
        rule,
        ...figuresOf(decision, grounds),
        message:
          `${asked(decision, grounds)} exceeds the ${usd(remainingUsdMicros(decision))} left of dailyLimitInUsd ` +
          `(${usd(decision.dailyLimitUsdMicros)}).`,
        ...(decision.retryAtMs === undefined ? {} : { retryAtMs: decision.retryAtMs }),
        suggestion: suggestionFor(decision, grounds),
      };
    case 'price_unavailable':
      return { rule, ...(chainLagMs === undefined ? WORDS[rule] : explainLag(chainLagMs)) };
    default:
      return { rule, ...WORDS[rule] };
  }
}

const LOOK_UP_FAILED = {
  message: 'Whether the token is verified cannot be looked up now. A recipient rule allows verified tokens only.',
  suggestion: 'Try again in a minute, or ask the owner to list the token in allowedTokens.',
};

function explainLag(lagMs: number) {
  const seconds = Math.round(lagMs / 1_000);
  return {
    message: `The chain's clock is ${seconds} seconds behind, so every price is too old to compare the value with the limits.`,
    suggestion:
      'Try again in a few minutes: payments continue once the chain has caught up. How long that takes is unknown.',
  };
}

const NEEDS_OTHER_TOKEN = 'Ask for a token that allows more.';

/** Says which limit of the token refuses. Its figures are the token's, not the policy's. */
function explainGrantLimit(decision: Decision, grounds: Grounds): Omit<Explained, 'rule'> {
  const { valueUsdMicros, grantLimit } = decision;
  const { name, limitUsdMicros, usedUsdMicros = 0n } = grantLimit!;
  if (limitUsdMicros === undefined) {
    return {
      message: 'The recipient is not among those of the token.',
      suggestion: 'Send to one of its recipients, or ask for another token.',
    };
  }
  const left = limitUsdMicros > usedUsdMicros ? limitUsdMicros - usedUsdMicros : 0n;
  return {
    limitUsdMicros: String(limitUsdMicros),
    usedUsdMicros: String(usedUsdMicros),
    remainingUsdMicros: String(left),
    requestedUsdMicros: String(valueUsdMicros),
    ...mostOf(decision, grounds),
    message: `${asked(decision, grounds)} exceeds the ${usd(left)} left of the token's ${name} limit (${usd(limitUsdMicros)}).`,
    suggestion: left === 0n ? NEEDS_OTHER_TOKEN : `${mostSentence(decision, grounds)} ${NEEDS_OTHER_TOKEN}`,
  };
}

function explainUnfair({ maxLossBps }: Decision, trade: TradeFairness): Omit<Explained, 'rule'> {
  const { inputUsdMicros, leastOutputUsdMicros, lossBps } = trade;
  const figures = {
    ...(inputUsdMicros === undefined ? {} : { inputUsdMicros: String(inputUsdMicros) }),
    ...(leastOutputUsdMicros === undefined ? {} : { leastOutputUsdMicros: String(leastOutputUsdMicros) }),
    maxLossPercent: percent(maxLossBps),
  };
  if (lossBps === undefined) {
    return {
      ...figures,
      message: 'The token that the trade would bring has no market price.',
      suggestion: trade.takesUnpriced
        ? 'The policy takes no token without a price: it restricts recipients, or sets maxTradeLossPercent.'
        : 'Set allowUnpricedOutput to accept that.',
    };
  }
  return {
    ...figures,
    lossPercent: percent(lossBps),
    message:
      `The ${trade.isOfLiquidity ? 'addition' : 'trade'} would take ${usd(inputUsdMicros)} and bring at least ${usd(leastOutputUsdMicros)}: a loss of ` +
      `${percent(lossBps)} %, where ${percent(maxLossBps)} % is the most.`,
    suggestion: trade.isOfLiquidity
      ? 'The pool price deviates from market prices, or maxTradeLossPercent of the policy is lower. Choose another pool.'
      : trade.maxLossBps > maxLossBps
        ? 'A smaller trade may lose less. maxTradeLossPercent of the policy is the most: only the owner can raise it.'
        : `A smaller trade may lose less.${lossBps > MAX_PRICE_IMPACT_BPS ? '' : ' maxPriceImpactPercent accepts more.'}`,
  };
}

/** Returns basis points as percent. */
function percent(bps: number): number {
  return bps / 100;
}

/** Returns the figures of a rule that compares with a limit. */
function figuresOf(decision: Decision, grounds: Grounds): Partial<FactsOf<'POLICY_VIOLATION'>> {
  return {
    limitUsdMicros: String(limitUsdMicros(decision)),
    usedUsdMicros: String(usedUsdMicros(decision)),
    reservedUsdMicros: String(decision.reservedUsdMicros),
    remainingUsdMicros: String(remainingUsdMicros(decision)),
    requestedUsdMicros: String(decision.valueUsdMicros),
    ...mostOf(decision, grounds),
    // No wait helps against a limit of one operation.
    ...(decision.resetsAtMs === undefined || decision.verdict !== 'daily_limit'
      ? {}
      : { resetsAtMs: decision.resetsAtMs }),
  };
}

/** Names the value of a request, and what of it is not its amount. */
function asked({ valueUsdMicros }: Decision, { spent }: Grounds): string {
  const rent = spent?.otherUsdMicros ?? 0n;
  return `${usd(valueUsdMicros)}${rent === 0n ? '' : `, of which ${usd(rent)} opens the recipient's account,`}`;
}

/** Returns the largest value that passes now, and the amount of the token that is worth it. */
function mostOf(decision: Decision, { spent }: Grounds): Partial<FactsOf<'POLICY_VIOLATION'>> {
  const most = maxAllowedNowUsdMicros(decision);
  const passing = spent && passingAmount(spent, most);
  return {
    maxAllowedNowUsdMicros: String(most),
    ...(passing
      ? { maxAmountNow: formatAmount(passing.amount, passing.decimals), maxAmountNowRaw: String(passing.amount) }
      : {}),
  };
}

function suggestionFor(decision: Decision, grounds: Grounds): string {
  const now = mostSentence(decision, grounds);
  return decision.retryAtMs === undefined ? `${now} ${ASK_OWNER}` : `${now} Or wait until retryAt.`;
}

const VERBS: Readonly<Partial<Record<SpendingKind, string>>> = {
  trade: 'Trade',
  escrow: 'Buy for',
  liquidity_add: 'Add',
};

/** Says what passes now, in the token that is asked for. */
function mostSentence(decision: Decision, { kind = 'payment', spent }: Grounds): string {
  const most = maxAllowedNowUsdMicros(decision);
  if (most === 0n) return 'Nothing is left of the limits now.';
  const passing = spent && passingAmount(spent, most);
  return `${VERBS[kind] ?? 'Send'} at most ${passing ? amountText(passing) : `${usd(most)}, fees and rent included,`} now.`;
}

function amountText({ mint, amount, decimals }: PassingAmount): string {
  const symbol = mint === '' ? 'SOL' : NAMED_TOKENS.find((token) => token.mint === mint)?.symbol;
  return `${formatAmount(amount, decimals)} ${symbol ?? `of ${mint}`}`;
}

/** Dollars with two decimals at least: `150.00 USD`. */
function usd(micros: bigint | undefined): string {
  const [whole, fraction = ''] = formatAmount(micros ?? 0n, USD_DECIMALS).split('.');
  return `${whole}.${fraction.padEnd(2, '0')} USD`;
}
