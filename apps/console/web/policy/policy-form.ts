import type { PolicyFieldName, WholePolicy } from './policy-diff.js';

/** Fields by the kind of their input. */
export const NUMBER_FIELDS = [
  'maxSingleTransactionInUsd',
  'dailyLimitInUsd',
  'approveAboveInUsd',
  'maxTradeLossPercent',
] as const;
export const HOUR_FIELDS = ['newRecipientCoolDownHours', 'sessionExpirationHours', 'approvalLifetimeHours'] as const;
export const FLAG_FIELDS = [
  'allowTrading',
  'allowLiquidityProvision',
  'allowPredictionMarkets',
  'allowMailLogin',
] as const;
export const LIST_FIELDS = ['allowedRecipients', 'unpricedTokens'] as const;
export const ALLOW_LIST_FIELDS = ['allowedTokens', 'allowedMarkets'] as const;

type NumberField = (typeof NUMBER_FIELDS)[number];
type HourField = (typeof HOUR_FIELDS)[number];
type FlagField = (typeof FLAG_FIELDS)[number];
type ListField = (typeof LIST_FIELDS)[number];
type AllowListField = (typeof ALLOW_LIST_FIELDS)[number];

/** A list, or everything. */
export interface AllowListValue {
  readonly isListed: boolean;
  readonly list: string;
}

/** A policy as its form has it: texts, one entry of a list on each line. */
export type PolicyForm = Record<NumberField | HourField | ListField, string> &
  Record<FlagField, boolean> &
  Record<AllowListField, AllowListValue> & { newRecipients: WholePolicy['newRecipients'] };

/** Bounds of hours. */
export const HOURS: Readonly<Record<HourField, { readonly min: number; readonly max: number }>> = {
  newRecipientCoolDownHours: { min: 0, max: 168 },
  sessionExpirationHours: { min: 1, max: 8_760 },
  approvalLifetimeHours: { min: 1, max: 168 },
};

const NULLABLE: ReadonlySet<PolicyFieldName> = new Set(['approveAboveInUsd', 'maxTradeLossPercent']);
const NUMBER = /^\d{1,10}(\.\d{1,6})?$/;

/** Returns whether a text is good for a field. */
export function isGoodNumber(field: NumberField, text: string): boolean {
  if (text.trim() === '') return NULLABLE.has(field);
  return NUMBER.test(text.trim()) && Number(text) > 0;
}

/** Returns whether a text is a whole number within a field's bounds. */
export function isGoodHours(field: HourField, text: string): boolean {
  const { min, max } = HOURS[field];
  return /^\d{1,4}$/.test(text.trim()) && Number(text) >= min && Number(text) <= max;
}

/** Converts a policy to its form. */
export function formOf(policy: WholePolicy): PolicyForm {
  return {
    ...mapped(NUMBER_FIELDS, (field) => String(policy[field] ?? '')),
    ...mapped(HOUR_FIELDS, (field) => String(policy[field])),
    ...mapped(FLAG_FIELDS, (field) => policy[field]),
    ...mapped(LIST_FIELDS, (field) => policy[field].join('\n')),
    ...mapped(ALLOW_LIST_FIELDS, (field) => ({
      isListed: policy[field] !== null,
      list: (policy[field] ?? []).join('\n'),
    })),
    newRecipients: policy.newRecipients,
  };
}

/** Converts a form with good values to a policy. */
export function policyOf(form: PolicyForm): WholePolicy {
  return {
    ...mapped(NUMBER_FIELDS, (field) => (form[field].trim() === '' ? null : Number(form[field]))),
    ...mapped(HOUR_FIELDS, (field) => Number(form[field])),
    ...mapped(FLAG_FIELDS, (field) => form[field]),
    ...mapped(LIST_FIELDS, (field) => entriesOf(form[field])),
    ...mapped(ALLOW_LIST_FIELDS, (field) => (form[field].isListed ? entriesOf(form[field].list) : null)),
    newRecipients: form.newRecipients,
  } as WholePolicy;
}

function entriesOf(text: string): string[] {
  return [...new Set(text.split(/[\s,]+/).filter(Boolean))];
}

function mapped<Field extends string, Value>(fields: readonly Field[], value: (field: Field) => Value) {
  return Object.fromEntries(fields.map((field) => [field, value(field)])) as Record<Field, Value>;
}
