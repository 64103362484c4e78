import type { ExactJson } from '../application/responses/exact-json.js';
import type { Readable } from 'node:stream';
import type { ApiResponse } from '../ports/idempotency-store.js';

/** A success of a route without effects on money. */
export interface HandlerResponse {
  /** 200 when omitted. */
  readonly statusCode?: 202;
  /** Says what was done; absent of a read. */
  readonly message?: string;
  readonly data: ExactJson;
  readonly headers?: Readonly<Record<string, string>>;
  /** Begins an owner's session with this token, or ends it. */
  readonly ownerSession?: { readonly token: string } | 'ended';
}

/** A response without the envelope: a document, that a document has not changed, or the way to another one. */
export class PlainResponse {
  constructor(
    readonly statusCode: 200 | 302 | 304,
    readonly headers: Readonly<Record<string, string>>,
    readonly body?: Buffer,
  ) {}
}

/** A response of Server-Sent Events, which goes on until one side ends it. */
export class EventStreamResponse {
  constructor(readonly body: Readable) {}
}

/** The return value of a handler: `data` for the envelope, a plain document, or a stream of events. */
export type Handled = ApiResponse | HandlerResponse | PlainResponse | EventStreamResponse;

/** Returns a JSON document without the envelope. */
export function jsonDocument(document: object, headers: Readonly<Record<string, string>> = {}): PlainResponse {
  return new PlainResponse(200, headers, Buffer.from(JSON.stringify(document)));
}
