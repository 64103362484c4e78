import { closestTokens, NAMED_TOKENS, namedToken } from '../tokens/known-tokens.js';
import { AppError, fieldsMessage } from './app-error.js';
import type { Part } from '../parts/parts.js';
import type { TokenScope } from '../token-scopes.js';
import type { AddressProblem } from './error-facts.js';

const MAX_SHOWN = 50;

/** Creates UNKNOWN_TOKEN for a field whose text names no token of this network. A symbol that is known here may have no mint there. */
export function unknownToken(field: string, given: string, tokens = NAMED_TOKENS): AppError {
  const isSymbol = namedToken(given) !== undefined;
  const didYouMean = isSymbol ? [] : closestTokens(given, tokens);
  const symbols = didYouMean.map(({ symbol }) => symbol).join(', ');
  const known = tokens.map(({ symbol }) => symbol).join(', ');
  const hint = symbols === '' ? `a symbol (${known})` : `a symbol (${symbols}?)`;
  const problem = isSymbol
    ? 'does not exist on this network. Use another token.'
    : `is unknown. Use ${hint} or a mint address.`;
  const reason = `${JSON.stringify(given.slice(0, MAX_SHOWN))} ${problem}`;
  const details = [{ field, reason, problem: 'invalid_format' }] as const;
  return new AppError('UNKNOWN_TOKEN', { message: fieldsMessage(details), details, data: { didYouMean } });
}

/** Creates INVALID_ADDRESS for a field whose address cannot receive the transfer. */
export function invalidAddress(
  field: string,
  problem: AddressProblem,
  { reason, suggestion }: { readonly reason: string; readonly suggestion?: string },
): AppError {
  const details = [{ field, reason, problem: 'invalid_format' }] as const;
  const data = { problem, ...(suggestion === undefined ? {} : { suggestion }) };
  return new AppError('INVALID_ADDRESS', { message: fieldsMessage(details), details, data });
}

/** Creates VALIDATION_ERROR for a cursor that no page returned. */
export function invalidCursor(): AppError {
  return AppError.field('cursor', 'is not valid. Use the cursor of the previous page, or omit it.');
}

/**
 * Creates NOT_FOUND for something that a caller named: `transaction` with `Check its id.` reads "Transaction not found.
 * Check its id."
 * @param resource what was looked for, in lower snake case; the public `resource`
 * @param hint what to do, as a sentence
 */
export function notFound(resource: string, hint: string): AppError {
  const words = resource.replaceAll('_', ' ');
  const message = `${words.charAt(0).toUpperCase()}${words.slice(1)} not found. ${hint}`;
  return new AppError('NOT_FOUND', { message, data: { resource } });
}

/** Returns the refusal of what the scopes of a token do not cover; without a scope, of what takes the agent's own session. */
export function insufficientScope(scope?: TokenScope): AppError {
  const suggestion = scope
    ? `Ask for a token with the scope ${scope}.`
    : 'Use a session of the agent: log in with a mailed code.';
  return new AppError('INSUFFICIENT_SCOPE', { data: { ...(scope ? { scope } : {}), suggestion } });
}

/** Returns the refusal of what a deployment without a part does not offer. */
export function capabilityUnavailable(capability: Part): AppError {
  const message = `This deployment has no ${capability}. GET /capabilities lists what it offers.`;
  return new AppError('CAPABILITY_UNAVAILABLE', { message, data: { capability } });
}
