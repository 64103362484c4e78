import {
  type FieldProblem,
  formatAmount,
  NAMED_TOKENS,
  parseAmount,
  parseUsd,
  USD_DECIMALS,
  WRAPPED_SOL_MINT,
} from '@agent-wallet/kernel';

/** Treatment of payments to recipients that are not known. */
export type NewRecipients = 'allow' | 'approve' | 'deny';

/** Rules for an agent's actions (specification 2.1). Amounts are micro-dollars. */
export interface Policy {
  readonly maxSingleTransactionUsdMicros: bigint;
  readonly dailyLimitUsdMicros: bigint;
  /** Base58 addresses that transfers may go to; empty allows every one. */
  readonly allowedRecipients: readonly string[];
  readonly allowTrading: boolean;
  readonly allowLiquidityProvision: boolean;
  readonly allowPredictionMarkets: boolean;
  readonly sessionExpirationHours: number;
  /** Time in which an approval may be voted on, in hours. Only an owner's signature changes it. */
  readonly approvalLifetimeHours: number;
  readonly newRecipients: NewRecipients;
  /** Time since a payment settled after which its recipient is known, in hours. */
  readonly newRecipientCoolDownHours: number;
  /** Payments and trades of more need an owner's approval; null when no amount does. */
  readonly approveAboveUsdMicros: bigint | null;
  /** Base58 mints that trades may bring, that of wrapped SOL for SOL; null when every one is allowed. */
  readonly allowedTokens: readonly string[] | null;
  /** Tickers of markets that may be bought in, or their beginnings up to a hyphen; null when every one is allowed. */
  readonly allowedMarkets: readonly string[] | null;
  /**
   * Most that a trade may lose between the values of its input and its least output, in basis points; null for the bound
   * of the request. Only an owner's signature changes it.
   */
  readonly maxTradeLossBps: number | null;
  /** Base58 mints that may leave without a price, at no value. Only an owner's signature changes it. */
  readonly unpricedTokens: readonly string[];
  /** Whether a mailed code logs the agent in. Only its owner changes it. */
  readonly allowMailLogin: boolean;
}

/** A policy in force. */
export interface VersionedPolicy extends Policy {
  /** Rises with each change. */
  readonly version: bigint;
  /** Whether the agent has an owner, whose signature a loosening change needs. */
  readonly isClaimed: boolean;
  /** Mints of `allowedTokens` that an owner's signature added. Others lead around no restriction of recipients. */
  readonly ownerListedTokens: readonly string[];
}

/** Returns whether a policy restricts recipients: other ways out must not lead around it. */
export function restrictsRecipients({ allowedRecipients, newRecipients }: Policy): boolean {
  return allowedRecipients.length > 0 || newRecipients !== 'allow';
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
  approvalLifetimeHours: 24,
  newRecipients: 'allow',
  newRecipientCoolDownHours: 0,
  approveAboveUsdMicros: null,
  allowedTokens: null,
  allowedMarkets: null,
  maxTradeLossBps: null,
  unpricedTokens: [],
  allowMailLogin: true,
};

/** A billion dollars. */
const MAX_LIMIT_USD_MICROS = 10n ** 15n;
const MAX_RECIPIENTS = 500;
const MAX_ALLOWED = 100;
/** Tickers and their beginnings: parts of an exchange's names, joined by hyphens. */
const MARKETS = /^(?=.{1,100}$)[\w.]+(-[\w.]+)*$/;
const ALL_BPS = 10_000;
const MAX_SESSION_HOURS = 8_760;
const MAX_APPROVAL_HOURS = 168;
const MAX_COOL_DOWN_HOURS = 168;

/** Returns every field that is out of bounds, by its public name. */
export function policyProblems(change: PolicyChange, isAddress: (text: string) => boolean): FieldProblem[] {
  return [
    ...limitProblems('maxSingleTransactionInUsd', change.maxSingleTransactionUsdMicros),
    ...limitProblems('dailyLimitInUsd', change.dailyLimitUsdMicros),
    ...listProblems('allowedRecipients', change.allowedRecipients, { ...RECIPIENTS, isEntry: isAddress }),
    ...listProblems('allowedTokens', change.allowedTokens, { ...TOKENS, isEntry: isAddress }),
    ...listProblems('allowedMarkets', change.allowedMarkets, TICKERS),
    ...listProblems('unpricedTokens', change.unpricedTokens, {
      ...UNPRICED,
      isEntry: (mint) => isAddress(mint) && !NAMED_MINTS.has(mint),
    }),
    ...lossProblems(change.maxTradeLossBps),
    ...hoursProblems('sessionExpirationHours', change.sessionExpirationHours, MAX_SESSION_HOURS),
    ...hoursProblems('approvalLifetimeHours', change.approvalLifetimeHours, MAX_APPROVAL_HOURS),
    ...hoursProblems('newRecipientCoolDownHours', change.newRecipientCoolDownHours, MAX_COOL_DOWN_HOURS, 0),
    ...limitProblems('approveAboveInUsd', change.approveAboveUsdMicros ?? undefined),
  ];
}

function lossProblems(bps: number | null | undefined): FieldProblem[] {
  if (bps === null || bps === undefined || (Number.isInteger(bps) && bps >= 1 && bps <= ALL_BPS)) return [];
  const reason = 'must be from 0.01 to 100, with at most 2 decimals';
  return [{ field: 'maxTradeLossPercent', reason, problem: 'out_of_range' }];
}

function limitProblems(field: string, limitUsdMicros: bigint | undefined): FieldProblem[] {
  if (limitUsdMicros === undefined) return [];
  if (limitUsdMicros <= 0n) return [{ field, reason: 'must be greater than 0', problem: 'out_of_range' }];
  return limitUsdMicros > MAX_LIMIT_USD_MICROS
    ? [{ field, reason: 'must be at most 1000000000', problem: 'out_of_range' }]
    : [];
}

/** Terms of a list, in words for its errors. */
interface ListTerms {
  readonly max: number;
  /** Words for its entries. */
  readonly entries: string;
  readonly isEntry: (text: string) => boolean;
}

const RECIPIENTS = { max: MAX_RECIPIENTS, entries: 'base58 addresses of 32 bytes' } as const;
const TOKENS = {
  max: MAX_ALLOWED,
  entries: `mint addresses: base58 of 32 bytes. The one of SOL is ${WRAPPED_SOL_MINT}`,
} as const;
const UNPRICED = {
  max: MAX_ALLOWED,
  entries: `mint addresses, base58 of 32 bytes, but those of ${NAMED_TOKENS.map(({ symbol }) => symbol).join(', ')}`,
} as const;
/** Mints of the tokens that have a name here. */
export const NAMED_MINTS: ReadonlySet<string> = new Set(NAMED_TOKENS.map(({ mint }) => mint));
const TICKERS: ListTerms = {
  max: MAX_ALLOWED,
  entries: 'tickers of markets, or their beginnings before a hyphen',
  isEntry: (text) => MARKETS.test(text),
};

function listProblems(
  field: string,
  list: readonly string[] | null | undefined,
  { max, entries, isEntry }: ListTerms,
): FieldProblem[] {
  if (!list) return [];
  if (list.length > max) return [{ field, reason: `must have at most ${max} entries`, problem: 'too_long' }];
  if (!list.every(isEntry)) return [{ field, reason: `must contain only ${entries}`, problem: 'invalid_format' }];
  return new Set(list).size < list.length
    ? [{ field, reason: 'must not have an entry twice', problem: 'duplicate' }]
    : [];
}

function hoursProblems(field: string, hours: number | undefined, max: number, min = 1): FieldProblem[] {
  if (hours === undefined || (Number.isInteger(hours) && hours >= min && hours <= max)) return [];
  return [{ field, reason: `must be an integer from ${min} to ${max}`, problem: 'out_of_range' }];
}

/** Returns the fields of a change that ask for approvals, which an agent without an owner cannot get. */
export function ownerlessProblems({ newRecipients, approveAboveUsdMicros }: PolicyChange): FieldProblem[] {
  const problem = (field: keyof Policy): FieldProblem => ({
    field: publicName(field),
    reason: 'needs an owner who can approve, and the agent has none',
    problem: 'out_of_range',
  });
  return [
    ...(newRecipients === 'approve' ? [problem('newRecipients')] : []),
    ...(typeof approveAboveUsdMicros === 'bigint' ? [problem('approveAboveUsdMicros')] : []),
  ];
}

/** Returns a policy after a change; fields that are not set stay. */
export function changed(policy: Policy, change: PolicyChange): Policy {
  const set = Object.entries(change).filter(([, value]) => value !== undefined);
  return { ...policy, ...Object.fromEntries(set) };
}

/** A value of a field as it is shown: a text, or a list of texts. */
export type ShownValue = string | readonly string[];

/** A field's name in the public API, and how its value is shown and read again. */
interface ShownField<Value> {
  readonly name: string;
  readonly show: (value: Value) => ShownValue;
  readonly read: (shown: ShownValue) => Value;
  /** Whether the shown text is a word, which JSON puts in quotes. The others are JSON numbers, booleans or null. */
  readonly isWord?: true;
}

const dollars = (name: string): ShownField<bigint> => ({
  name,
  show: (micros) => formatAmount(micros, USD_DECIMALS),
  read: (shown) => parseUsd(String(shown)),
});
/** A percent is a hundred basis points. */
const PERCENT_DECIMALS = 2;
/** Text for a limit that is not set. */
const NONE = 'null';
const flag = (name: string): ShownField<boolean> => ({ name, show: String, read: (shown) => shown === 'true' });
const hours = (name: string): ShownField<number> => ({ name, show: String, read: Number });
const allowList = (name: string): ShownField<readonly string[] | null> => ({
  name,
  show: (list) => list ?? NONE,
  read: (shown) => (shown === NONE ? null : [...shown]),
});

const SHOWN: { readonly [Field in keyof Policy]: ShownField<Policy[Field]> } = {
  maxSingleTransactionUsdMicros: dollars('maxSingleTransactionInUsd'),
  dailyLimitUsdMicros: dollars('dailyLimitInUsd'),
  allowedRecipients: { name: 'allowedRecipients', show: (list) => list, read: (shown) => [...shown] },
  allowTrading: flag('allowTrading'),
  allowLiquidityProvision: flag('allowLiquidityProvision'),
  allowPredictionMarkets: flag('allowPredictionMarkets'),
  sessionExpirationHours: hours('sessionExpirationHours'),
  approvalLifetimeHours: hours('approvalLifetimeHours'),
  newRecipients: {
    name: 'newRecipients',
    show: String,
    read: (shown) => String(shown) as NewRecipients,
    isWord: true,
  },
  newRecipientCoolDownHours: hours('newRecipientCoolDownHours'),
  approveAboveUsdMicros: {
    name: 'approveAboveInUsd',
    show: (micros) => (micros === null ? NONE : formatAmount(micros, USD_DECIMALS)),
    read: (shown) => (shown === NONE ? null : parseUsd(String(shown))),
  },
  allowedTokens: allowList('allowedTokens'),
  allowedMarkets: allowList('allowedMarkets'),
  maxTradeLossBps: {
    name: 'maxTradeLossPercent',
    show: (bps) => (bps === null ? NONE : formatAmount(BigInt(bps), PERCENT_DECIMALS)),
    read: (shown) => (shown === NONE ? null : Number(parseAmount(String(shown), PERCENT_DECIMALS))),
  },
  unpricedTokens: { name: 'unpricedTokens', show: (list) => list, read: (shown) => [...shown] },
  allowMailLogin: flag('allowMailLogin'),
};

/** The fields of a policy. */
export const POLICY_FIELDS = Object.keys(SHOWN) as ReadonlyArray<keyof Policy>;

/** Returns the name of a field in the public API. */
export function publicName(field: keyof Policy): string {
  return SHOWN[field].name;
}

/** Returns every field of a policy by its public name, as it is shown. */
export function shownPolicy(policy: Policy): Record<string, ShownValue> {
  return Object.fromEntries(POLICY_FIELDS.map((field) => [publicName(field), shown(policy, field)]));
}

function shown<Field extends keyof Policy>(policy: Policy, field: Field): ShownValue {
  return SHOWN[field].show(policy[field]);
}

/**
 * Converts shown fields to the change that they stand for.
 * @throws TypeError for a field that a policy does not have
 */
export function changeOf(fields: Readonly<Record<string, ShownValue>>): PolicyChange {
  const read = Object.entries(fields).map(([name, value]) => {
    const field = POLICY_FIELDS.find((each) => publicName(each) === name);
    if (!field) throw new TypeError(`a policy has no field ${name}`);
    return [field, SHOWN[field].read(value)];
  });
  return Object.fromEntries(read) as PolicyChange;
}

/** One field of a policy before and after, named as in the public API, as JSON texts. */
export type FieldChange = {
  readonly field: string;
  readonly before: string;
  readonly after: string;
};

/** Returns the fields in which two policies differ. */
export function differences(before: Policy, after: Policy): FieldChange[] {
  return POLICY_FIELDS.map((field) => ({
    field: publicName(field),
    before: jsonOf(field, before),
    after: jsonOf(field, after),
  })).filter((change) => change.before !== change.after);
}

/** Returns a field's value as a JSON text. */
function jsonOf(field: keyof Policy, policy: Policy): string {
  const value = shown(policy, field);
  return typeof value === 'string' && !SHOWN[field].isWord ? value : JSON.stringify(value);
}

/** Compares two values of a field as they are shown. */
export function isSameShown(one: ShownValue, other: ShownValue): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
