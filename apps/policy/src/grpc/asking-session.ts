import { currentRequest } from '@agent-wallet/platform';
import type { AskingSession } from '../domain/owners/document.js';

const NETWORK = /^(\d{1,3}(\.\d{1,3}){3}\/24|[0-9a-f:]{2,39}\/48)$/;

/**
 * Returns the agent's session that the request in progress came from, as far as the gateway names it. Undefined for a
 * request of an owner, and for work that goes on without its request.
 */
export function askingSession(): AskingSession | undefined {
  const { askedBy, askedFrom, loggedInAtMs, tokenId } = currentRequest() ?? {};
  if (askedBy !== 'agent' || loggedInAtMs === undefined) return undefined;
  return { loggedInAtMs, tokenId, network: askedFrom !== undefined && NETWORK.test(askedFrom) ? askedFrom : undefined };
}
