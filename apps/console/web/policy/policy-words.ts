import { showExactUsd } from '../parts/show.js';
import { TEXTS } from '../texts.js';
import type { PolicyFieldName } from './policy-diff.js';

const { words, newRecipients } = TEXTS.limits;
const NONE = 'null';

type Words = (shown: string | readonly string[]) => string;

const dollars: Words = (shown) => (shown === NONE ? words.never : showExactUsd(String(shown)));
const hours: Words = (shown) => words.hours(String(shown));
const flag: Words = (shown) => (shown === 'true' ? words.on : words.off);
const listOr =
  (empty: string): Words =>
  (shown) => {
    if (shown === NONE) return words.everything;
    const list = [shown].flat();
    return list.length === 0 ? empty : list.join(', ');
  };

const WORDS: Readonly<Record<PolicyFieldName, Words>> = {
  maxSingleTransactionInUsd: dollars,
  dailyLimitInUsd: dollars,
  approveAboveInUsd: dollars,
  allowedRecipients: listOr(words.everyone),
  allowTrading: flag,
  allowLiquidityProvision: flag,
  allowPredictionMarkets: flag,
  sessionExpirationHours: hours,
  newRecipients: (shown) => newRecipients[shown as keyof typeof newRecipients],
  newRecipientCoolDownHours: hours,
  allowedTokens: listOr(words.nothing),
  allowedMarkets: listOr(words.nothing),
  approvalLifetimeHours: hours,
  maxTradeLossPercent: (shown) => (shown === NONE ? words.usual : `${String(shown)} %`),
  unpricedTokens: listOr(words.none),
  allowMailLogin: flag,
};

/** Puts the value of a field, as a document shows it, in plain words: `[]` and null mean other things in other fields. */
export function policyWords(field: PolicyFieldName, shown: string | readonly string[]): string {
  return WORDS[field](shown);
}

/** Puts the value of a field, as the API has it, in plain words. */
export function policyValueWords(field: PolicyFieldName, value: unknown): string {
  return policyWords(field, Array.isArray(value) ? value.map(String) : String(value));
}
