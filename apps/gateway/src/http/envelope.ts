import type { FastifyReply } from './fastify-types.js';
import { type ExactJson, writeJson } from '../application/answers/exact-json.js';

/** What a handler answers: `data` as values, or as JSON text that was made before. */
export interface Answer {
  readonly statusCode?: number;
  readonly message: string;
  readonly data?: ExactJson;
  readonly dataJson?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const UNAVAILABLE = 503;
/** What is away for long is so for a minute or two: a failover, a recovery. */
const UNAVAILABLE_RETRY_SECONDS = 30;

/** Sends an answer in the envelope that every answer has. Below 400 it is a success. */
export function sendEnvelope(reply: FastifyReply, answer: Answer): void {
  const statusCode = answer.statusCode ?? 200;
  reply
    .code(statusCode)
    .headers(envelopeHeaders(statusCode, answer.headers))
    .send(envelope(statusCode, answer.message, answer.dataJson ?? writeJson(answer.data)));
}

/** The headers of an answer: its own, and those that every answer has. */
export function envelopeHeaders(statusCode: number, own: Answer['headers']): Record<string, string> {
  return {
    ...own,
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    ...(statusCode === UNAVAILABLE ? { 'retry-after': String(UNAVAILABLE_RETRY_SECONDS) } : {}),
  };
}

/** The envelope as text. */
export function envelope(statusCode: number, message: string, dataJson: string): string {
  const status = statusCode < 400;
  return `{"status":${status},"statusCode":${statusCode},"message":${JSON.stringify(message)},"data":${dataJson}}`;
}
