import {
  errorEntry,
  type FieldProblem,
  isEscrowKept,
  type PublicCode,
  type PublicError,
  retryOf,
} from '@agent-wallet/kernel';

const ESCROW_KEPT = 'The USDC that was taken is in the prediction balance. Withdraw it before you buy again.';

/** Advice to an agent on an operation that was not approved, by `data.reason`. None of it leads around the owner. */
const NOT_APPROVED: Readonly<Record<string, string>> = {
  rejected: 'Ask the owner before you send it again. That takes a new key.',
  withdrawn: 'You withdrew it. Send it with a new key if the owner wants it after all.',
  void: 'Policy refused it, or its token or all sessions of the agent were ended. Read the policy, and ask the owner.',
};

/** Next steps of codes whose text in the catalogue has none. */
const NEXT: { readonly [Code in PublicCode]?: string } = {
  UNSAFE_TOKEN: 'Choose another token.',
  TRANSACTION_FAILED: 'Look at the transaction, and correct the request before you send it with a new key.',
  POLICY_VIOLATION: 'Read GET /wallets/me/policy. Only the owner should loosen it.',
  POLICY_LOOSENING_NEEDS_OWNER: 'Propose the change. The owner decides on it.',
  OWNER_REQUIRED: 'Ask the owner to allow login by e-mail.',
  APPROVAL_REJECTED: 'Ask the owner before you send it again. That takes a new key.',
  APPROVAL_EXPIRED: 'Tell the owner first. Then send it with a new key, which asks again.',
  INSUFFICIENT_SCOPE: 'Ask the owner for a token with this scope.',
};

/** Next steps where neither the failure nor its code has one. */
const BY_RETRY = {
  same_key: 'Send the same request again, with the same Idempotency-Key if it had one.',
  new_key: 'Send the request again with a new Idempotency-Key.',
  never: 'Correct the request before you send it again.',
} as const;

/**
 * Returns the next step of a failure: the service's own advice, else the step that its message ends with, word for word,
 * so that a program that shows both can leave out the repetition.
 * @param isFinal whether the failure is the final response of an operation
 */
export function suggestionOf({ code, message, details, data }: PublicError, isFinal: boolean): string {
  if (isEscrowKept(code, data, isFinal)) return ESCROW_KEPT;
  if (typeof data.suggestion === 'string') return data.suggestion;
  const { reason } = data;
  const ofReason = code === 'APPROVAL_REJECTED' && typeof reason === 'string' ? NOT_APPROVED[reason] : undefined;
  return (
    ofReason ??
    stepOf(message) ??
    correction(details) ??
    NEXT[code] ??
    stepOf(errorEntry(code).message) ??
    BY_RETRY[retryOf(code, data, isFinal)]
  );
}

/** First words of a sentence that says what to do. Those of all messages; a test reads them. */
const STEP = new RegExp(
  `^(?:${[
    ...[
      'Add',
      'Ask',
      'Buy',
      'Call',
      'Check',
      'Choose',
      'Correct',
      'Did you mean',
      'Do not',
      'Fund',
      'GET',
      'Get',
      'Leave',
    ],
    ...['Log', 'Look', 'Name', 'Omit', 'Open', 'POST', 'Prepare', 'Propose', 'Put', 'Read', 'Register'],
    ...['Remove', 'Repeat', 'Request', 'See', 'Sell', 'Send', 'Set', 'Sign', 'Tell', 'Trade', 'Try', 'Use', 'Wait'],
    ...['Withdraw', 'Write', 'Its operator can', 'Its fields are', 'It is a query parameter'],
  ].join('|')})\\b`,
);

/** Returns the end of a message from the first sentence after the first one that says what to do. */
function stepOf(message: string): string | undefined {
  const text = message.replace(/ \(and \d+ more\)$/, '');
  for (const { index } of text.matchAll(/(?<=[.?!] )[A-Z]/g)) {
    const rest = text.slice(index);
    if (STEP.test(rest)) return rest;
  }
  return undefined;
}

/** Names the fields that are wrong; undefined where none is named. */
function correction(details: readonly FieldProblem[]): string | undefined {
  const fields = [...new Set(details.map(({ field }) => field))].slice(0, MOST_FIELDS);
  return fields.length > 0 ? `Correct ${fields.join(', ')}, and send the request again.` : undefined;
}

const MOST_FIELDS = 3;
