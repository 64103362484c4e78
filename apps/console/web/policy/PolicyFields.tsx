import {
  type KeyedPolicyField,
  NEW_RECIPIENTS,
  policyField,
  type PolicyFieldName,
} from '@agent-wallet/kernel/policy-fields';
import type { ReactNode } from 'react';
import { useFormContext } from 'react-hook-form';
import { quotedText } from '../approval/quoted-text.js';
import { TEXTS } from '../texts.js';
import {
  type AllowListField,
  badEntry,
  type FlagField,
  type HourBounds,
  type HourField,
  isGoodHours,
  isGoodNumber,
  type ListField,
  type NumberField,
  type PolicyForm,
} from './policy-form.js';

const WORDS = TEXTS.limits;
const LINES = 3;
const ENTRY_CHARACTERS = 44;

/** Shows an input for each field of a policy, in the order of their texts. */
export function PolicyFields() {
  return Object.keys(WORDS.fields).map((name) => <Field key={name} field={policyField(name as PolicyFieldName)} />);
}

function Field({ field }: { readonly field: KeyedPolicyField }) {
  switch (field.kind) {
    case 'usd':
    case 'optionalUsd':
    case 'percent':
      return <NumberInput field={field.name as NumberField} />;
    case 'hours':
      return <HoursInput field={field.name as HourField} bounds={field} />;
    case 'flag':
      return <FlagInput field={field.name as FlagField} />;
    case 'list':
      return <ListInput field={field.name as ListField} />;
    case 'allowList':
      return <AllowListInput field={field.name as AllowListField} />;
    case 'treatment':
      return <TreatmentInput />;
  }
}

interface FrameProps {
  readonly field: PolicyFieldName;
  readonly problem?: string | undefined;
  readonly children: ReactNode;
}

function Frame({ field, problem, children }: FrameProps) {
  return (
    <div className="field">
      <label htmlFor={field}>{WORDS.fields[field].label}</label>
      {children}
      <p id={`${field}-hint`} className={problem === undefined ? 'hint' : 'hint bad'}>
        {problem ?? WORDS.fields[field].hint}
      </p>
    </div>
  );
}

function NumberInput({ field }: { readonly field: NumberField }) {
  const { register, formState } = useFormContext<PolicyForm>();
  const problem = formState.errors[field] && WORDS.number;
  return (
    <Frame field={field} problem={problem}>
      <input
        id={field}
        inputMode="decimal"
        autoComplete="off"
        aria-invalid={problem !== undefined}
        aria-describedby={`${field}-hint`}
        {...register(field, { validate: (text) => isGoodNumber(field, text) })}
      />
    </Frame>
  );
}

function HoursInput({ field, bounds }: { readonly field: HourField; readonly bounds: HourBounds }) {
  const { register, formState } = useFormContext<PolicyForm>();
  const problem = formState.errors[field] && WORDS.whole(bounds.min, bounds.max);
  return (
    <Frame field={field} problem={problem}>
      <input
        id={field}
        inputMode="numeric"
        autoComplete="off"
        aria-invalid={problem !== undefined}
        aria-describedby={`${field}-hint`}
        {...register(field, { validate: (text) => isGoodHours(bounds, text) })}
      />
    </Frame>
  );
}

function FlagInput({ field }: { readonly field: FlagField }) {
  const { register } = useFormContext<PolicyForm>();
  return (
    <div className="field">
      <label className="check">
        <input type="checkbox" aria-describedby={`${field}-hint`} {...register(field)} />
        {WORDS.fields[field].label}
      </label>
      <p id={`${field}-hint`} className="hint">
        {WORDS.fields[field].hint}
      </p>
    </div>
  );
}

function TreatmentInput() {
  const { register } = useFormContext<PolicyForm>();
  return (
    <Frame field="newRecipients">
      <select id="newRecipients" aria-describedby="newRecipients-hint" {...register('newRecipients')}>
        {NEW_RECIPIENTS.map((word) => (
          <option key={word} value={word}>
            {WORDS.newRecipients[word]}
          </option>
        ))}
      </select>
    </Frame>
  );
}

function ListInput({ field }: { readonly field: ListField }) {
  const { register, watch } = useFormContext<PolicyForm>();
  const problem = problemOf(field, watch(field));
  return (
    <Frame field={field} problem={problem}>
      <textarea
        id={field}
        rows={LINES}
        spellCheck={false}
        aria-invalid={problem !== undefined}
        aria-describedby={`${field}-hint`}
        {...register(field)}
      />
    </Frame>
  );
}

/** A list whose absence allows everything, and whose emptiness allows nothing. */
function AllowListInput({ field }: { readonly field: AllowListField }) {
  const { register, watch } = useFormContext<PolicyForm>();
  const { isListed, list } = watch(field);
  const isEmpty = list.trim() === '';
  const problem = isListed ? problemOf(field, list) : undefined;
  return (
    <fieldset className="field">
      <legend>{WORDS.fields[field].label}</legend>
      <label className="check">
        <input type="checkbox" {...register(`${field}.isListed`)} />
        {WORDS.list}
      </label>
      {isListed && (
        <textarea
          rows={LINES}
          spellCheck={false}
          aria-label={WORDS.fields[field].label}
          aria-invalid={problem !== undefined}
          aria-describedby={`${field}-hint`}
          {...register(`${field}.list`)}
        />
      )}
      <p id={`${field}-hint`} className={problem === undefined ? 'hint' : 'hint bad'}>
        {problem ?? (!isListed ? WORDS.everything : isEmpty ? WORDS.nothingAllowed : WORDS.fields[field].hint)}
      </p>
    </fieldset>
  );
}

/** Says which entry of a list its field cannot have. */
function problemOf(field: ListField | AllowListField, text: string): string | undefined {
  const entry = badEntry(field, text);
  return entry === undefined ? undefined : WORDS.badEntry(quotedText(entry, ENTRY_CHARACTERS).shown);
}
