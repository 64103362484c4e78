import type { JsonReply } from '../../http/json-server.js';
import { BadRequest } from '../../http/json-server.js';
import { BodyTooLarge } from '../../http/read-body.js';
import { JournalNotWritten } from '../../journal/journal-not-written.js';
import { Refusal } from '../engine/exchange.js';

/** A refusal as the exchange words it: `{error:{code, message, details?}}`. */
export class ExchangeError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly details?: string,
  ) {
    super(message);
    this.name = 'ExchangeError';
  }
}

/** What an error is answered with. A body that is not JSON has its code at the top level, as the real exchange's. */
export function exchangeFailure(error: unknown): JsonReply {
  if (error instanceof ExchangeError) {
    const { status, code, message, details } = error;
    return { status, body: { error: { code, message, details } } };
  }
  if (error instanceof Refusal) return wrapped(error.status, error.code, error.message);
  if (error instanceof URIError) return wrapped(400, 'bad_request', error.message);
  if (error instanceof BadRequest && error.message === 'the body is not JSON') {
    return { status: 400, body: { code: 'bad_request', message: 'invalid request body', details: error.message } };
  }
  if (error instanceof BadRequest) return wrapped(error.status, codeOf(error.status), error.message);
  if (error instanceof BodyTooLarge) return wrapped(413, 'bad_request', error.message);
  if (error instanceof JournalNotWritten) return wrapped(503, 'service_unavailable', error.message);
  return wrapped(500, 'internal_server_error', error instanceof Error ? error.message : 'internal error');
}

function wrapped(status: number, code: string, message: string): JsonReply {
  return { status, body: { error: { code, message } } };
}

function codeOf(status: number): string {
  if (status === 404) return 'not_found';
  return status === 405 ? 'method_not_allowed' : 'bad_request';
}
