import { keyFromBase58, toHex } from '../bytes.js';

/**
 * The table of docs/owners.md once more, from the JSON texts of the log alone: it shares no code with the service that decided
 * first.
 */

/** Whether a JSON text grants less than the one before. */
type Tightens = (before: string, after: string) => boolean;

/** A field of a policy: its text in the policy of a new agent, and when a change of it tightens. */
interface PolicyField {
  readonly initial: string;
  readonly tightens: Tightens;
}

const NULL = 'null';
const EMPTY = '[]';
/** From the loosest to the strictest. */
const TREATMENTS = ['"allow"', '"approve"', '"deny"'];
const DECIMALS = 6;

const lower: Tightens = (before, after) => {
  const [from, to] = [amountOf(before), amountOf(after)];
  return from !== undefined && to !== undefined && to < from;
};
const switchedOff: Tightens = (before, after) => before === 'true' && after === 'false';
const never: Tightens = () => false;
const narrower: Tightens = (before, after) => {
  const [from, to] = [before === NULL ? undefined : entriesOf(before), entriesOf(after)];
  if (to === undefined || (from === undefined && before !== NULL)) return false;
  return from === undefined || to.every((entry) => from.includes(entry));
};

const FIELDS: Readonly<Record<string, PolicyField>> = {
  maxSingleTransactionInUsd: { initial: '100', tightens: lower },
  dailyLimitInUsd: { initial: '500', tightens: lower },
  allowedRecipients: {
    initial: EMPTY,
    // Without a list, every address on the curve is allowed. An address off the curve is allowed only by a list.
    tightens: (before, after) =>
      before === EMPTY ? (entriesOf(after)?.every(isOnCurve) ?? false) : after !== EMPTY && narrower(before, after),
  },
  allowTrading: { initial: 'true', tightens: switchedOff },
  allowLiquidityProvision: { initial: 'true', tightens: switchedOff },
  allowPredictionMarkets: { initial: 'true', tightens: switchedOff },
  sessionExpirationHours: { initial: '168', tightens: lower },
  approvalLifetimeHours: { initial: '24', tightens: never },
  newRecipients: {
    initial: '"allow"',
    tightens: (before, after) => TREATMENTS.includes(before) && TREATMENTS.indexOf(after) > TREATMENTS.indexOf(before),
  },
  newRecipientCoolDownHours: { initial: '0', tightens: (before, after) => lower(after, before) },
  approveAboveInUsd: {
    initial: NULL,
    tightens: (before, after) => (before === NULL ? amountOf(after) !== undefined : lower(before, after)),
  },
  allowedTokens: { initial: NULL, tightens: narrower },
  allowedMarkets: { initial: NULL, tightens: narrower },
  maxTradeLossPercent: { initial: NULL, tightens: never },
  unpricedTokens: { initial: EMPTY, tightens: never },
  allowMailLogin: { initial: 'true', tightens: switchedOff },
};

/** Returns whether this version knows a field of the policy. */
export function isKnownField(field: string): boolean {
  return Object.hasOwn(FIELDS, field);
}

/** Returns a field's JSON text in the policy of a new agent. */
export function initialOf(field: string): string | undefined {
  return isKnownField(field) ? FIELDS[field]!.initial : undefined;
}

/** Returns whether a change of a field grants more, as one of an unknown field may. */
export function isLoosened(field: string, before: string, after: string): boolean {
  return !isKnownField(field) || !(before === after || FIELDS[field]!.tightens(before, after));
}

/** Returns the JSON text that the log has for a value of a signed document, where numbers are texts. */
export function jsonTextOf(value: unknown): string {
  const isBare = typeof value === 'string' && /^(?:true|false|null|\d+(?:\.\d+)?)$/.test(value);
  return isBare ? value : (JSON.stringify(value) ?? '');
}

/** Reads a decimal text exactly, in millionths. */
function amountOf(text: string): bigint | undefined {
  if (!/^\d{1,15}(?:\.\d{1,6})?$/.test(text)) return undefined;
  const [whole = '', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.padEnd(DECIMALS, '0'));
}

function entriesOf(text: string): readonly string[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isList = Array.isArray(value) && value.every((entry) => typeof entry === 'string');
    return isList ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Ed25519: -x² + y² = 1 + d·x²·y² modulo p. */
const P = 2n ** 255n - 19n;
const D = 37095705934669439343138083508754565189542113879843219016388785533085940283555n;
/** Points whose order divides 8, by y: no wallet has one. */
const SMALL = [
  0n,
  1n,
  P - 1n,
  2707385501144840649318225287225658788936804267575313519463743609750303021600n,
  55188659117513257062467267217118295137698188065244968500265048394206261417927n,
];

/** Returns whether a private key can exist for an address: there is an x for its y. */
function isOnCurve(address: string): boolean {
  const key = keyFromBase58(address);
  if (!key) return false;
  const y = BigInt(`0x${toHex(Uint8Array.from(key).reverse())}`) & (2n ** 255n - 1n);
  const product = (y * y - 1n) * (D * y * y + 1n);
  return y < P && !SMALL.includes(y) && power(product, (P - 1n) / 2n) === 1n;
}

function power(base: bigint, exponent: bigint): bigint {
  let [result, square] = [1n, ((base % P) + P) % P];
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % P;
    square = (square * square) % P;
  }
  return result;
}
