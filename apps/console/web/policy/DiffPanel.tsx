import { TEXTS } from '../texts.js';
import type { FieldChange } from './policy-diff.js';
import { policyValueWords } from './policy-words.js';

const WORDS = TEXTS.limits;

/** Says which fields would tighten at once, and which loosen and need a signature. */
export function DiffPanel({ diff }: { readonly diff: readonly FieldChange[] }) {
  const isMixed = diff.some(({ tightens }) => tightens) && diff.some(({ tightens }) => !tightens);
  return (
    <div aria-live="polite">
      <h3>{WORDS.review}</h3>
      {diff.length === 0 && <p className="hint">{WORDS.nothing}</p>}
      <ul className="plain">
        {diff.map(({ field, before, after, tightens }) => (
          <li key={field}>
            <strong>{WORDS.fields[field].label}</strong>
            <span className="change">
              {WORDS.from} <s>{policyValueWords(field, before)}</s> {WORDS.to} <b>{policyValueWords(field, after)}</b>
            </span>
            <span className={tightens ? 'tag good' : 'tag warn'}>{tightens ? WORDS.tightens : WORDS.loosens}</span>
          </li>
        ))}
      </ul>
      {isMixed && <p className="notice">{WORDS.mixed}</p>}
    </div>
  );
}
