import { describeOperation } from '@agent-wallet/kernel/describe-operation';
import { POLICY_FIELD_LIST } from '@agent-wallet/kernel/policy-fields';
import type { Approval } from '../api/records.js';
import { namedOnNetwork } from '../parts/tokens.js';
import { policyValueWords } from '../policy/policy-words.js';
import { TEXTS } from '../texts.js';
import { quotedText } from './quoted-text.js';

const WORDS = TEXTS.approvals;
const NAME_CHARACTERS = 60;

/** Words a request in one line: who asks, for what, for how much and to whom. The page of the request has the signed text. */
export function requestLine({ kind, subject }: Pick<Approval, 'kind' | 'subject'>, agent: string | undefined): string {
  const { action, terms, valueUsd, reasons, changes } = subject;
  const who = agent ?? TEXTS.agents.unnamed;
  switch (kind) {
    case 'operation':
      if (action === null) return WORDS.asks(who, WORDS.kinds.operation!);
      return WORDS.asks(who, describeOperation({ action, terms: terms ?? {}, valueUsd, reasons }, namedOnNetwork()));
    case 'policy':
      return WORDS.limitsOf(who, changes.map(changeWords).join('; '));
    case 'token':
      return WORDS.asks(who, WORDS.opens(nameOf(terms?.name)));
    case 'member':
      return terms?.action === 'remove'
        ? WORDS.leaves(who, nameOf(terms.email))
        : WORDS.joins(who, nameOf(terms?.email));
    case 'recovery':
      return WORDS.recovers;
    case 'claim':
    case 'unfreeze':
    case 'objection':
      return WORDS.ofAgent(WORDS.kinds[kind]!, who);
    default:
      return WORDS.kinds[kind] ?? kind;
  }
}

function changeWords({ field, before, after }: Approval['subject']['changes'][number]): string {
  const known = POLICY_FIELD_LIST.find(({ name }) => name === field);
  if (!known) return field;
  const { label } = TEXTS.limits.fields[known.name];
  if (Array.isArray(before) || Array.isArray(after)) return label;
  return WORDS.change(label, policyValueWords(known.name, before), policyValueWords(known.name, after));
}

/** Returns a stranger's name, short and safe to show in a line. */
function nameOf(name = ''): string {
  const { shown, cut } = quotedText(name, NAME_CHARACTERS);
  return `“${shown}${cut > 0 ? '…' : ''}”`;
}
