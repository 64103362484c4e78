import type { ReactNode } from 'react';
import { useFormContext } from 'react-hook-form';
import { TEXTS } from '../texts.js';
import type { PolicyFieldName } from './policy-diff.js';
import {
  ALLOW_LIST_FIELDS,
  FLAG_FIELDS,
  HOUR_FIELDS,
  HOURS,
  isGoodHours,
  isGoodNumber,
  type PolicyForm,
} from './policy-form.js';

const WORDS = TEXTS.limits;
const NEW_RECIPIENTS = ['allow', 'approve', 'deny'] as const;
const LINES = 3;

/** Shows an input for each field of a policy. */
export function PolicyFields() {
  return (
    <>
      <NumberField field="maxSingleTransactionInUsd" />
      <NumberField field="dailyLimitInUsd" />
      <NumberField field="approveAboveInUsd" />
      <NewRecipientsField />
      <HoursField field="newRecipientCoolDownHours" />
      <ListField field="allowedRecipients" />
      {FLAG_FIELDS.map((field) => (
        <FlagField key={field} field={field} />
      ))}
      {ALLOW_LIST_FIELDS.map((field) => (
        <AllowListField key={field} field={field} />
      ))}
      {HOUR_FIELDS.slice(1).map((field) => (
        <HoursField key={field} field={field} />
      ))}
      <NumberField field="maxTradeLossPercent" />
      <ListField field="unpricedTokens" />
    </>
  );
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

function NumberField({ field }: { readonly field: Parameters<typeof isGoodNumber>[0] }) {
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

function HoursField({ field }: { readonly field: Parameters<typeof isGoodHours>[0] }) {
  const { register, formState } = useFormContext<PolicyForm>();
  const { min, max } = HOURS[field];
  const problem = formState.errors[field] && WORDS.whole(min, max);
  return (
    <Frame field={field} problem={problem}>
      <input
        id={field}
        inputMode="numeric"
        autoComplete="off"
        aria-invalid={problem !== undefined}
        aria-describedby={`${field}-hint`}
        {...register(field, { validate: (text) => isGoodHours(field, text) })}
      />
    </Frame>
  );
}

function FlagField({ field }: { readonly field: (typeof FLAG_FIELDS)[number] }) {
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

function NewRecipientsField() {
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

function ListField({ field }: { readonly field: 'allowedRecipients' | 'unpricedTokens' }) {
  const { register } = useFormContext<PolicyForm>();
  return (
    <Frame field={field}>
      <textarea id={field} rows={LINES} spellCheck={false} aria-describedby={`${field}-hint`} {...register(field)} />
    </Frame>
  );
}

/** A list whose absence allows everything, and whose emptiness allows nothing. */
function AllowListField({ field }: { readonly field: (typeof ALLOW_LIST_FIELDS)[number] }) {
  const { register, watch } = useFormContext<PolicyForm>();
  const { isListed, list } = watch(field);
  const isEmpty = list.trim() === '';
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
          aria-describedby={`${field}-hint`}
          {...register(`${field}.list`)}
        />
      )}
      <p id={`${field}-hint`} className="hint">
        {!isListed ? WORDS.everything : isEmpty ? WORDS.nothingAllowed : WORDS.fields[field].hint}
      </p>
    </fieldset>
  );
}
