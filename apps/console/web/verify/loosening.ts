import type { PolicyField } from '@agent-wallet/audit';

/** Whether a JSON text grants less than the one before. */
type Tightens = (before: string, after: string) => boolean;

const NONE = 'null';
const MICRO_DIGITS = 6;
const STRICTNESS = ['"allow"', '"approve"', '"deny"'];

const whenLower: Tightens = (before, after) => {
  const [from, to] = [microsOf(before), microsOf(after)];
  return from !== undefined && to !== undefined && to < from;
};
const whenHigher: Tightens = (before, after) => whenLower(after, before);
const whenOff: Tightens = (before, after) => before === 'true' && after === 'false';
/** Reports whether an allow-list tightens: without a list everything is allowed; with one, only its entries. */
const whenListed: Tightens = (before, after) => {
  const [from, to] = [listOf(before), listOf(after)];
  return to !== undefined && (before === NONE || (from !== undefined && to.every((entry) => from.includes(entry))));
};

/** Condition under which a change of each field tightens, see docs/owners.md. Every other change loosens. */
const TIGHTENS: Readonly<Record<string, Tightens>> = {
  maxSingleTransactionInUsd: whenLower,
  dailyLimitInUsd: whenLower,
  sessionExpirationHours: whenLower,
  allowTrading: whenOff,
  allowLiquidityProvision: whenOff,
  allowPredictionMarkets: whenOff,
  allowedRecipients: (before, after) => before === '[]' || (after !== '[]' && whenListed(before, after)),
  newRecipients: (before, after) =>
    STRICTNESS.includes(before) && STRICTNESS.indexOf(after) > STRICTNESS.indexOf(before),
  newRecipientCoolDownHours: whenHigher,
  approveAboveInUsd: (before, after) => microsOf(after) !== undefined && (before === NONE || whenLower(before, after)),
  allowedTokens: whenListed,
  allowedMarkets: whenListed,
  allowMailLogin: whenOff,
};

/** Returns the names of the changed fields that loosen. */
export function looseningsOf(fields: readonly PolicyField[]): string[] {
  return fields
    .filter(({ field, before, after }) => !(Object.hasOwn(TIGHTENS, field) && TIGHTENS[field]!(before, after)))
    .map(({ field }) => field);
}

/** Reports whether a change tightens only if all its recipients are on the curve, which is not checked here. */
export function needsCurve({ field, before }: PolicyField): boolean {
  return field === 'allowedRecipients' && before === '[]';
}

/** Reads a decimal text exactly, in millionths. */
function microsOf(text: string): bigint | undefined {
  const [, whole, fraction = ''] = /^(\d+)(?:\.(\d{1,6}))?$/.exec(text) ?? [];
  return whole === undefined ? undefined : BigInt(whole + fraction.padEnd(MICRO_DIGITS, '0'));
}

function listOf(text: string): readonly unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
