import {
  type EntryKind,
  type FieldProblem,
  forEachPolicyField,
  formatAmount,
  type KeyedPolicyField,
  NAMED_TOKENS,
  type NewRecipients,
  parseAmount,
  parseUsd,
  POLICY_FIELD_LIST,
  POLICY_FIELDS,
  type PolicyFieldKind,
  type PolicyValueOfKind,
  type PolicyValues,
  USD_DECIMALS,
  WRAPPED_SOL_MINT,
} from '@agent-wallet/kernel';

/** Rules for an agent's actions (specification 2.1). Amounts are micro-dollars. */
export type Policy = PolicyValues;

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
export const DEFAULT_POLICY = forEachPolicyField(({ initial }) => initial) as Policy;

/** A billion dollars. */
const MAX_LIMIT_USD_MICROS = 10n ** 15n;
const ALL_BPS = 10_000;
/** Tickers and their beginnings: parts of an exchange's names, joined by hyphens. */
const MARKETS = /^(?=.{1,100}$)[\w.]+(-[\w.]+)*$/;
/** Mints of the tokens that have a name here. */
export const NAMED_MINTS: ReadonlySet<string> = new Set(NAMED_TOKENS.map(({ mint }) => mint));

/** A problem of a value, without its field. */
type ValueProblem = Omit<FieldProblem, 'field'>;

type IsAddress = (text: string) => boolean;

/** Returns every field that is out of bounds, by its public name. */
export function policyProblems(change: PolicyChange, isAddress: IsAddress): FieldProblem[] {
  return POLICY_FIELD_LIST.flatMap((field) => {
    const value = change[field.key];
    // Null stands for no limit, or for everything.
    const problem = value === undefined || value === null ? undefined : problemOf(field, value, isAddress);
    return problem ? [{ field: field.name, ...problem }] : [];
  });
}

function problemOf(
  field: KeyedPolicyField,
  value: NonNullable<Policy[keyof Policy]>,
  isAddress: IsAddress,
): ValueProblem | undefined {
  switch (field.kind) {
    case 'usd':
    case 'optionalUsd':
      return limitProblem(value as bigint);
    case 'hours':
      return isWithin(value as number, field)
        ? undefined
        : outOfRange(`must be an integer from ${field.min} to ${field.max}`);
    case 'percent':
      return isWithin(value as number, { min: 1, max: ALL_BPS })
        ? undefined
        : outOfRange('must be from 0.01 to 100, with at most 2 decimals');
    case 'list':
    case 'allowList':
      return listProblem(value as readonly string[], field.max, ENTRIES[field.of](isAddress));
    case 'flag':
    case 'treatment':
      return undefined;
  }
}

const outOfRange = (reason: string): ValueProblem => ({ reason, problem: 'out_of_range' });

function isWithin(value: number, { min, max }: { readonly min: number; readonly max: number }): boolean {
  return Number.isInteger(value) && value >= min && value <= max;
}

function limitProblem(limitUsdMicros: bigint): ValueProblem | undefined {
  if (limitUsdMicros <= 0n) return outOfRange('must be greater than 0');
  return limitUsdMicros > MAX_LIMIT_USD_MICROS ? outOfRange('must be at most 1000000000') : undefined;
}

/** Terms of the entries of a list. */
interface Entries {
  /** Words for them. */
  readonly words: string;
  readonly isEntry: (text: string) => boolean;
}

const NAMES = NAMED_TOKENS.map(({ symbol }) => symbol).join(', ');

const ENTRIES: Readonly<Record<EntryKind, (isAddress: IsAddress) => Entries>> = {
  recipient: (isEntry) => ({ words: 'base58 addresses of 32 bytes', isEntry }),
  mint: (isEntry) => ({
    words: `mint addresses: base58 of 32 bytes. The one of SOL is ${WRAPPED_SOL_MINT}`,
    isEntry,
  }),
  unnamedMint: (isAddress) => ({
    words: `mint addresses, base58 of 32 bytes, but those of ${NAMES}`,
    isEntry: (mint) => isAddress(mint) && !NAMED_MINTS.has(mint),
  }),
  ticker: () => ({
    words: 'tickers of markets, or their beginnings before a hyphen',
    isEntry: (text) => MARKETS.test(text),
  }),
};

function listProblem(list: readonly string[], max: number, { words, isEntry }: Entries): ValueProblem | undefined {
  if (list.length > max) return { reason: `must have at most ${max} entries`, problem: 'too_long' };
  if (!list.every(isEntry)) return { reason: `must contain only ${words}`, problem: 'invalid_format' };
  return new Set(list).size < list.length
    ? { reason: 'must not have an entry twice', problem: 'duplicate' }
    : undefined;
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

/** Conversions of the values of a kind. */
interface ShownKind<Value> {
  readonly show: (value: Value) => ShownValue;
  readonly read: (shown: ShownValue) => Value;
}

/** A percent is a hundred basis points. */
const PERCENT_DECIMALS = 2;
/** Text for a limit that is not set. */
const NONE = 'null';

const USD: ShownKind<bigint> = {
  show: (micros) => formatAmount(micros, USD_DECIMALS),
  read: (shown) => parseUsd(String(shown)),
};

const SHOWN: { readonly [Kind in PolicyFieldKind]: ShownKind<PolicyValueOfKind[Kind]> } = {
  usd: USD,
  optionalUsd: orNone(USD),
  hours: { show: String, read: Number },
  flag: { show: String, read: (shown) => shown === 'true' },
  percent: orNone({
    show: (bps) => formatAmount(BigInt(bps), PERCENT_DECIMALS),
    read: (shown) => Number(parseAmount(String(shown), PERCENT_DECIMALS)),
  }),
  list: { show: (list) => list, read: (shown) => [...shown] },
  allowList: orNone({ show: (list) => list, read: (shown) => [...shown] }),
  treatment: { show: String, read: (shown) => String(shown) as NewRecipients },
};

function orNone<Value>({ show, read }: ShownKind<Value>): ShownKind<Value | null> {
  return {
    show: (value) => (value === null ? NONE : show(value)),
    read: (shown) => (shown === NONE ? null : read(shown)),
  };
}

/** Returns the name of a field in the public API. */
export function publicName(field: keyof Policy): string {
  return POLICY_FIELDS[field].name;
}

/** Returns every field of a policy by its public name, as it is shown. */
export function shownPolicy(policy: Policy): Record<string, ShownValue> {
  return Object.fromEntries(POLICY_FIELD_LIST.map((field) => [field.name, shown(policy, field)]));
}

function shown(policy: Policy, { key, kind }: KeyedPolicyField): ShownValue {
  return SHOWN[kind].show(policy[key] as never);
}

/**
 * Converts shown fields to the change that they stand for.
 * @throws TypeError for a field that a policy does not have
 */
export function changeOf(fields: Readonly<Record<string, ShownValue>>): PolicyChange {
  const read = Object.entries(fields).map(([name, value]) => {
    const field = POLICY_FIELD_LIST.find((each) => each.name === name);
    if (!field) throw new TypeError(`a policy has no field ${name}`);
    return [field.key, SHOWN[field.kind].read(value)];
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
  return POLICY_FIELD_LIST.map((field) => ({
    field: field.name,
    before: jsonOf(field, before),
    after: jsonOf(field, after),
  })).filter((change) => change.before !== change.after);
}

/** Returns a field's value as a JSON text. The shown text of a treatment is a word; others are numbers, booleans or null. */
function jsonOf(field: KeyedPolicyField, policy: Policy): string {
  const value = shown(policy, field);
  return typeof value === 'string' && field.kind !== 'treatment' ? value : JSON.stringify(value);
}

/** Compares two values of a field as they are shown. */
export function isSameShown(one: ShownValue, other: ShownValue): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
