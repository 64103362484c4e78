/* The fields of a policy, stated once: rows, messages, requests, responses, forms and words derive from this table. */

/** Treatments of payments to recipients that are not known, from the loosest to the strictest. */
export const NEW_RECIPIENTS = ['allow', 'approve', 'deny'] as const;

/** Treatment of payments to recipients that are not known. */
export type NewRecipients = (typeof NEW_RECIPIENTS)[number];

/** Condition under which a change of a field tightens. Every other change loosens, and needs the owner. */
export type Tightening = 'lower' | 'higher' | 'off' | 'narrower' | 'stricter' | 'never';

/** Kind of the entries of a list: recipients, mints, mints of tokens that have no name here, or tickers of markets. */
export type EntryKind = 'recipient' | 'mint' | 'unnamedMint' | 'ticker';

interface FieldTerms {
  /** Name in the public API. */
  readonly name: string;
  readonly tightens: Tightening;
  /** Whether the owner alone changes it. */
  readonly isOwners?: true;
  /** A sentence for openapi.json. */
  readonly description: string;
}

/** A field of a policy: the kind of its value, its bounds, and its value in the policy of a new agent. */
export type PolicyField = FieldTerms &
  (
    | { readonly kind: 'usd'; readonly initial: bigint }
    /** Null for no limit. */
    | { readonly kind: 'optionalUsd'; readonly initial: bigint | null }
    | { readonly kind: 'hours'; readonly min: number; readonly max: number; readonly initial: number }
    | { readonly kind: 'flag'; readonly initial: boolean }
    /** Basis points, shown as a percentage; null for no limit. */
    | { readonly kind: 'percent'; readonly initial: number | null }
    | { readonly kind: 'list'; readonly of: EntryKind; readonly max: number; readonly initial: readonly string[] }
    /** Allows its entries alone, and everything when it is null. */
    | {
        readonly kind: 'allowList';
        readonly of: EntryKind;
        readonly max: number;
        readonly initial: readonly string[] | null;
      }
    | { readonly kind: 'treatment'; readonly initial: NewRecipients }
  );

/** The fields of a policy (specification 2.1). Amounts are micro-dollars. */
export const POLICY_FIELDS = {
  maxSingleTransactionUsdMicros: {
    name: 'maxSingleTransactionInUsd',
    kind: 'usd',
    initial: 100_000_000n,
    tightens: 'lower',
    description: 'Of one transaction; at most 6 decimals.',
  },
  dailyLimitUsdMicros: {
    name: 'dailyLimitInUsd',
    kind: 'usd',
    initial: 500_000_000n,
    tightens: 'lower',
    description: 'In any 24 hours; at most 6 decimals.',
  },
  /** Base58 addresses that transfers may go to; empty allows every one. */
  allowedRecipients: {
    name: 'allowedRecipients',
    kind: 'list',
    of: 'recipient',
    max: 500,
    initial: [],
    tightens: 'narrower',
    description: 'Recipients of transfers; `[]` allows every one.',
  },
  allowTrading: {
    name: 'allowTrading',
    kind: 'flag',
    initial: true,
    tightens: 'off',
    description: 'Token swaps.',
  },
  allowLiquidityProvision: {
    name: 'allowLiquidityProvision',
    kind: 'flag',
    initial: true,
    tightens: 'off',
    description: 'Liquidity provision.',
  },
  allowPredictionMarkets: {
    name: 'allowPredictionMarkets',
    kind: 'flag',
    initial: true,
    tightens: 'off',
    description: 'Prediction markets.',
  },
  sessionExpirationHours: {
    name: 'sessionExpirationHours',
    kind: 'hours',
    min: 1,
    max: 8_760,
    initial: 168,
    tightens: 'lower',
    description: 'Validity of a token, from the next login on.',
  },
  /** Time in which an approval may be voted on. A long life of requests or a short one may both harm. */
  approvalLifetimeHours: {
    name: 'approvalLifetimeHours',
    kind: 'hours',
    min: 1,
    max: 168,
    initial: 24,
    tightens: 'never',
    isOwners: true,
    description: 'How long the owner can decide on a proposal.',
  },
  newRecipients: {
    name: 'newRecipients',
    kind: 'treatment',
    initial: 'allow',
    tightens: 'stricter',
    description: 'Payments to unknown recipients; `approve` needs an owner.',
  },
  /** Time since a payment settled after which its recipient is known. */
  newRecipientCoolDownHours: {
    name: 'newRecipientCoolDownHours',
    kind: 'hours',
    min: 0,
    max: 168,
    initial: 0,
    tightens: 'higher',
    description: 'From a settled payment until its recipient is known.',
  },
  /** Payments and trades of more need an owner's approval; null when no amount does. */
  approveAboveUsdMicros: {
    name: 'approveAboveInUsd',
    kind: 'optionalUsd',
    initial: null,
    tightens: 'lower',
    description: 'Above this, spending needs approval; null: never.',
  },
  /** Base58 mints that trades may bring, that of wrapped SOL for SOL; null when every one is allowed. */
  allowedTokens: {
    name: 'allowedTokens',
    kind: 'allowList',
    of: 'mint',
    max: 100,
    initial: null,
    tightens: 'narrower',
    description: 'Mints that trades may bring (SOL: its wrapped mint); null: all.',
  },
  /** Tickers of markets that may be bought in, or their beginnings up to a hyphen; null when every one is allowed. */
  allowedMarkets: {
    name: 'allowedMarkets',
    kind: 'allowList',
    of: 'ticker',
    max: 100,
    initial: null,
    tightens: 'narrower',
    description: 'Tickers to buy, or beginnings up to a hyphen; null: all.',
  },
  /** Most that a trade may lose between the values of its input and its least output; null for the bound of the request. */
  maxTradeLossBps: {
    name: 'maxTradeLossPercent',
    kind: 'percent',
    initial: null,
    tightens: 'never',
    isOwners: true,
    description:
      'Most that a trade may lose between the values of its input and its least output; null: 10 %, or what the request names.',
  },
  /** Base58 mints that may leave without a price, at no value. */
  unpricedTokens: {
    name: 'unpricedTokens',
    kind: 'list',
    of: 'unnamedMint',
    max: 100,
    initial: [],
    tightens: 'never',
    isOwners: true,
    description: 'Mints that may leave without a price, at no value.',
  },
  /** Whether a mailed code logs the agent in. */
  allowMailLogin: {
    name: 'allowMailLogin',
    kind: 'flag',
    initial: true,
    tightens: 'off',
    isOwners: true,
    description: 'Login by mailed code.',
  },
} as const satisfies Readonly<Record<string, PolicyField>>;

type Fields = typeof POLICY_FIELDS;

/** Name of a field in the code. Its column has the same name in snake case. */
export type PolicyFieldKey = keyof Fields;

/** Name of a field in the public API. */
export type PolicyFieldName = Fields[PolicyFieldKey]['name'];

/** Values of the kinds of fields. */
export interface PolicyValueOfKind {
  readonly usd: bigint;
  readonly optionalUsd: bigint | null;
  readonly hours: number;
  readonly flag: boolean;
  readonly percent: number | null;
  readonly list: readonly string[];
  readonly allowList: readonly string[] | null;
  readonly treatment: NewRecipients;
}

/** Kind of a field's value. */
export type PolicyFieldKind = keyof PolicyValueOfKind;

/** Public names of the fields of some kinds. */
export type NameOfKind<Kind extends PolicyFieldKind> = {
  [Key in PolicyFieldKey]: Fields[Key]['kind'] extends Kind ? Fields[Key]['name'] : never;
}[PolicyFieldKey];

/** Rules for an agent's actions. */
export type PolicyValues = { readonly [Key in keyof Fields]: PolicyValueOfKind[Fields[Key]['kind']] };

/** A field with its names. */
export type KeyedPolicyField = PolicyField & { readonly key: PolicyFieldKey; readonly name: PolicyFieldName };

/** Every field with its names. */
export const POLICY_FIELD_LIST: readonly KeyedPolicyField[] = Object.entries(POLICY_FIELDS).map(
  ([key, field]) => ({ ...field, key }) as KeyedPolicyField,
);

/** Returns the public names of the fields of some kinds. */
export function namesOfKinds<const Kind extends PolicyFieldKind>(
  ...kinds: readonly Kind[]
): readonly NameOfKind<Kind>[] {
  const ofKinds = POLICY_FIELD_LIST.filter(({ kind }) => (kinds as readonly string[]).includes(kind));
  return ofKinds.map(({ name }) => name as NameOfKind<Kind>);
}

/** Returns the field with a public name. */
export function policyField(name: PolicyFieldName): KeyedPolicyField {
  return POLICY_FIELD_LIST.find((field) => field.name === name)!;
}

/** Returns a value for each field, by its name in the code. */
export function forEachPolicyField<Value>(
  valueOf: (field: KeyedPolicyField) => Value,
): Readonly<Record<PolicyFieldKey, Value>> {
  return Object.fromEntries(POLICY_FIELD_LIST.map((field) => [field.key, valueOf(field)])) as Record<
    PolicyFieldKey,
    Value
  >;
}

/**
 * Returns whether a change of a field grants less. Values are those of the code or of the public API, which compare
 * alike.
 * @param isOnCurve whether a recipient has a key: one without is allowed by a list alone
 */
export function isTightened(
  { kind, tightens }: Pick<PolicyField, 'kind' | 'tightens'>,
  [before, after]: readonly [unknown, unknown],
  isOnCurve: (address: string) => boolean,
): boolean {
  switch (tightens) {
    case 'never':
      return false;
    case 'off':
      return before === true && after === false;
    case 'stricter':
      return NEW_RECIPIENTS.indexOf(after as NewRecipients) > NEW_RECIPIENTS.indexOf(before as NewRecipients);
    case 'narrower':
      return kind === 'list'
        ? isNarrower(before as readonly string[], after as readonly string[], isOnCurve)
        : isPart(after as readonly string[] | null, before as readonly string[] | null);
    case 'lower':
      return isLower(after as Amount, before as Amount);
    case 'higher':
      return isLower(before as Amount, after as Amount);
  }
}

type Amount = bigint | number | null;

/** Returns whether a limit is lower than another; null stands for none. */
function isLower(one: Amount, other: Amount): boolean {
  return one !== null && (other === null || one < other);
}

/** Returns whether each entry is in the other list; null stands for everything. */
function isPart(part: readonly string[] | null, whole: readonly string[] | null): boolean {
  return part !== null && (whole === null || part.every((entry) => whole.includes(entry)));
}

/** Returns whether fewer recipients are allowed. An empty list allows each that has a key. */
function isNarrower(before: readonly string[], after: readonly string[], isOnCurve: (address: string) => boolean) {
  return before.length === 0 ? after.every(isOnCurve) : after.length > 0 && isPart(after, before);
}
