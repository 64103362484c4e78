import {
  differences,
  type FieldChange,
  type NewRecipients,
  type Policy,
  POLICY_FIELDS,
  publicName,
} from '../policy.js';

/** Whether a value grants less than the one before; `isOnCurve` is asked about addresses of recipients. */
type Tightens<Value> = (before: Value, after: Value, isOnCurve: (address: string) => boolean) => boolean;

const whenLower = <Value extends bigint | number>(before: Value, after: Value) => after < before;
const whenOff = (before: boolean, after: boolean) => before && !after;
const never = () => false;
/** Reports whether an allow-list tightens: without a list everything is allowed; with one, only its entries. */
const whenListed: Tightens<readonly string[] | null> = (before, after) =>
  after !== null && (before === null || after.every((entry) => before.includes(entry)));
const STRICTNESS: Readonly<Record<NewRecipients, number>> = { allow: 0, approve: 1, deny: 2 };

/** Condition under which a change of each field tightens. Every other difference loosens. */
const TIGHTENS: { readonly [Field in keyof Policy]: Tightens<Policy[Field]> } = {
  maxSingleTransactionUsdMicros: whenLower,
  dailyLimitUsdMicros: whenLower,
  // Without a list every address on the curve is allowed; an address off the curve is allowed only by listing it.
  allowedRecipients: (before, after, isOnCurve) =>
    before.length === 0
      ? after.every(isOnCurve)
      : after.length > 0 && after.every((recipient) => before.includes(recipient)),
  allowTrading: whenOff,
  allowLiquidityProvision: whenOff,
  allowPredictionMarkets: whenOff,
  sessionExpirationHours: whenLower,
  // The owner's own: a long life of requests or a short one may both harm.
  approvalLifetimeHours: never,
  newRecipients: (before, after) => STRICTNESS[after] > STRICTNESS[before],
  newRecipientCoolDownHours: (before, after) => after > before,
  approveAboveUsdMicros: (before, after) => after !== null && (before === null || after < before),
  allowedTokens: whenListed,
  allowedMarkets: whenListed,
  maxTradeLossBps: never,
  unpricedTokens: never,
  allowMailLogin: whenOff,
};

/** Returns the differences between two policies that loosen, field by field. */
export function loosenings(before: Policy, after: Policy, isOnCurve: (address: string) => boolean): FieldChange[] {
  const tightening = new Set(
    POLICY_FIELDS.filter((field) => isTightened(field, { before, after, isOnCurve })).map(publicName),
  );
  return differences(before, after).filter(({ field }) => !tightening.has(field));
}

interface Compared {
  readonly before: Policy;
  readonly after: Policy;
  readonly isOnCurve: (address: string) => boolean;
}

function isTightened<Field extends keyof Policy>(field: Field, { before, after, isOnCurve }: Compared): boolean {
  return TIGHTENS[field](before[field], after[field], isOnCurve);
}
