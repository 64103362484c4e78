import { type EntryKind, namesOfKinds, type PolicyFieldName, policyField } from '@agent-wallet/kernel/policy-fields';
import type { WholePolicy } from './policy-diff.js';

/* Fields by the kind of their input. */
const NUMBER_FIELDS = namesOfKinds('usd', 'optionalUsd', 'percent');
const HOUR_FIELDS = namesOfKinds('hours');
const FLAG_FIELDS = namesOfKinds('flag');
const LIST_FIELDS = namesOfKinds('list');
const ALLOW_LIST_FIELDS = namesOfKinds('allowList');

export type NumberField = (typeof NUMBER_FIELDS)[number];
export type HourField = (typeof HOUR_FIELDS)[number];
export type FlagField = (typeof FLAG_FIELDS)[number];
export type ListField = (typeof LIST_FIELDS)[number];
export type AllowListField = (typeof ALLOW_LIST_FIELDS)[number];

/** A list, or everything. */
export interface AllowListValue {
  readonly isListed: boolean;
  readonly list: string;
}

/** A policy as its form has it: texts, one entry of a list on each line. */
export type PolicyForm = Record<NumberField | HourField | ListField, string> &
  Record<FlagField, boolean> &
  Record<AllowListField, AllowListValue> & { newRecipients: WholePolicy['newRecipients'] };

const NUMBER = /^\d{1,10}(\.\d{1,6})?$/;

/** Returns whether a text is good for a field. */
export function isGoodNumber(field: NumberField, text: string): boolean {
  if (text.trim() === '') return policyField(field).kind !== 'usd';
  return NUMBER.test(text.trim()) && Number(text) > 0;
}

const ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;
const TICKER = /^[A-Za-z0-9_.]+(-[A-Za-z0-9_.]+)*$/;

/** Returns the first entry of a list that its field cannot have; undefined where all are good. */
export function badEntry(field: ListField | AllowListField, text: string): string | undefined {
  const { of } = policyField(field) as { readonly of: EntryKind };
  const good = of === 'ticker' ? TICKER : ADDRESS;
  return entriesOf(text).find((entry) => !good.test(entry));
}

/** Bounds of hours. */
export interface HourBounds {
  readonly min: number;
  readonly max: number;
}

/** Returns whether a text is a whole number within a field's bounds. */
export function isGoodHours({ min, max }: HourBounds, text: string): boolean {
  return /^\d{1,4}$/.test(text.trim()) && Number(text) >= min && Number(text) <= max;
}

/** Returns the fields whose text the service would refuse. */
export function badFields(form: PolicyForm): PolicyFieldName[] {
  return [
    ...NUMBER_FIELDS.filter((field) => !isGoodNumber(field, form[field])),
    ...HOUR_FIELDS.filter((field) => !isGoodHours(policyField(field) as unknown as HourBounds, form[field])),
    ...LIST_FIELDS.filter((field) => badEntry(field, form[field]) !== undefined),
    ...ALLOW_LIST_FIELDS.filter((field) => form[field].isListed && badEntry(field, form[field].list) !== undefined),
  ];
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
