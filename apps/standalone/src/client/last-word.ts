import type { ClientResponse } from './client-response.js';

/**
 * Whether an answer of the API says what became of a key's operation: until then the request is repeated with the same key, as
 * skill.md says. A 5xx or 429 that names no operation says nothing of what was asked before; 202 and 409 say that it goes on.
 */
export function isLastWord({ status, body }: Pick<ClientResponse<unknown>, 'status' | 'body'>): boolean {
  const data = body?.data as { readonly transactionId?: string } | null | undefined;
  if (data === undefined || data === null || status === 202 || status === 409) return false;
  return data.transactionId !== undefined || (status < 500 && status !== 429);
}
