import { asFailure, Failure } from '../api/failure.js';
import { UnknownDocument } from '../approval/decode-document.js';
import { TEXTS } from '../texts.js';
import { showTime } from './show.js';

/** An error in words for a person. */
export interface ErrorWords {
  readonly message: string;
  readonly hint: string | undefined;
  readonly isLoggedOut: boolean;
}

const PASSKEY_ERRORS: Readonly<Record<string, string>> = {
  NotAllowedError: TEXTS.errors.passkeyDenied,
  AbortError: TEXTS.errors.passkeyDenied,
  InvalidStateError: TEXTS.errors.passkeyTwice,
};

/** Puts an error in words. */
export function wordsOf(error: unknown): ErrorWords {
  if (error instanceof UnknownDocument) return alone(TEXTS.errors.unknownDocument);
  const name = error instanceof Error ? error.name : '';
  const ofPasskey = PASSKEY_ERRORS[name];
  if (ofPasskey !== undefined) return alone(ofPasskey);
  if (!(error instanceof Failure) && !(error instanceof TypeError)) return alone(TEXTS.errors.unknown);
  const { message, suggestion, retryAt, isLoggedOut } = asFailure(error);
  const wait = retryAt === undefined ? undefined : TEXTS.errors.retryAt(showTime(retryAt));
  const hint = [suggestion, wait].filter((part) => part !== undefined).join(' ');
  return { message: labelled(named(message)), hint: labelled(hint) || undefined, isLoggedOut };
}

/** Replaces the field of a request with which a message begins. */
function named(message: string): string {
  const { fields } = TEXTS.errors;
  return message.replace(/^\w+(?= )/, (word) => (Object.hasOwn(fields, word) ? fields[word]! : word));
}

/** Replaces the names that the API has for limits by those of the form. */
export function labelled(text: string): string {
  const { fields } = TEXTS.limits;
  return text.replace(/\b[a-z]+[A-Z]\w*\b/g, (word) =>
    Object.hasOwn(fields, word) ? `“${fields[word as keyof typeof fields].label}”` : word,
  );
}

function alone(message: string): ErrorWords {
  return { message, hint: undefined, isLoggedOut: false };
}
