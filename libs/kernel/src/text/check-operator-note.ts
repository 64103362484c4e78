import { AppError } from '../errors/app-error.js';

const MAX_OPERATOR_CHARACTERS = 200;
const MAX_REASON_CHARACTERS = 1_000;

/** Checks the name and the reason of an operator's action, which enter the audit log. @throws AppError VALIDATION_ERROR */
export function checkOperatorNote({ operator, reason }: { readonly operator: string; readonly reason: string }): void {
  checkText('operator', operator, MAX_OPERATOR_CHARACTERS);
  // The log names owners so: an operator must not look like one in it.
  if (/^\s*owner\b/i.test(operator.normalize('NFKC'))) {
    throw AppError.field('operator', 'must not begin with `owner`, which names owners in the log');
  }
  checkText('reason', reason, MAX_REASON_CHARACTERS);
}

function checkText(field: string, text: string, maxCharacters: number): void {
  if (text.trim() === '') throw AppError.field(field, 'must not be empty');
  if (text.length > maxCharacters) throw AppError.field(field, `must have at most ${maxCharacters} characters`);
  // Postgres cannot store this character.
  if (text.includes('\0')) throw AppError.field(field, 'must not contain a null character');
}
