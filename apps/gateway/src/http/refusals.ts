import type { AppError } from '@agent-wallet/kernel';
import type { IncomingMessage } from 'node:http';

const refusals = new WeakMap<IncomingMessage, AppError>();

/**
 * Marks a request that no route can take, whatever its path says, and sends it to where no route is. There it is
 * counted, gets its headers and is answered like everything else that is unknown, only with this error.
 */
export function refuse(request: IncomingMessage, error: AppError): void {
  refusals.set(request, error);
  request.url = '/';
}

/** Why a request was refused before it was routed. */
export function refusalOf(request: IncomingMessage): AppError | undefined {
  return refusals.get(request);
}
