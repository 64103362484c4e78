import type { AssertionProblem } from './assertion.js';
import type { DocumentProblem } from './document.js';

/** Sentences for the problems of documents. */
export const DOCUMENT_REASONS: Readonly<Record<DocumentProblem, string>> = {
  no_document: 'the document that it approves is not in the log',
  other_document: 'its document is not the one that was requested',
  unreadable: 'its document cannot be read, or lacks a field',
};

/** Sentences for the problems of assertions. */
export const ASSERTION_REASONS: Readonly<Record<AssertionProblem, string>> = {
  type: 'its client data are not those of an assertion',
  challenge: 'its challenge is not the hash of the document',
  origin: 'it was signed at another origin',
  unreadable: 'its authenticator data are too short',
  relying_party: 'it was signed for another relying party',
  user_not_verified: 'its user was not verified',
};
