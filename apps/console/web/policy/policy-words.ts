import { type EntryKind, policyField, type PolicyFieldName } from '@agent-wallet/kernel/policy-fields';
import { showExactUsd } from '../parts/show.js';
import { TEXTS } from '../texts.js';

const { words, newRecipients } = TEXTS.limits;
const NONE = 'null';

/** Words of a list without entries, which means other things in other fields. */
const EMPTY: Readonly<Record<EntryKind, string>> = {
  recipient: words.everyone,
  unnamedMint: words.none,
  mint: words.nothing,
  ticker: words.nothing,
};

/** Puts the value of a field, as a document shows it, in plain words: `[]` and null mean other things in other fields. */
export function policyWords(name: PolicyFieldName, shown: string | readonly string[]): string {
  const field = policyField(name);
  switch (field.kind) {
    case 'usd':
    case 'optionalUsd':
      return shown === NONE ? words.never : showExactUsd(String(shown));
    case 'hours':
      return words.hours(String(shown));
    case 'flag':
      return shown === 'true' ? words.on : words.off;
    case 'percent':
      return shown === NONE ? words.usual : `${String(shown)} %`;
    case 'list':
    case 'allowList':
      return shown === NONE ? words.everything : [shown].flat().join(', ') || EMPTY[field.of];
    case 'treatment':
      return newRecipients[shown as keyof typeof newRecipients];
  }
}

/** Puts the value of a field, as the API has it, in plain words. */
export function policyValueWords(field: PolicyFieldName, value: unknown): string {
  return policyWords(field, Array.isArray(value) ? value.map(String) : String(value));
}
