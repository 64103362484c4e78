import type { ClientResponse } from './responses.js';

/**
 * Returns whether a response settles the operation of a key. Until then the request is repeated with the same key, as
 * skill.md says. A 5xx or 429 that names no operation reveals nothing of earlier requests; 202 and 409 mean that the
 * operation continues.
 */
export function isLastWord({ status, body }: Pick<ClientResponse<unknown>, 'status' | 'body'>): boolean {
  const data = body?.data as { readonly transactionId?: string } | null | undefined;
  if (data === undefined || data === null || status === 202 || status === 409) return false;
  return data.transactionId !== undefined || (status < 500 && status !== 429);
}
