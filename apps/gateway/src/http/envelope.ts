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

/** Sends an answer in the envelope that every answer has. Below 400 it is a success. */
export function sendEnvelope(reply: FastifyReply, answer: Answer): void {
  const statusCode = answer.statusCode ?? 200;
  if (answer.headers) reply.headers(answer.headers);
  reply
    .code(statusCode)
    .header('content-type', 'application/json; charset=utf-8')
    .header('cache-control', 'no-store')
    .send(envelope(statusCode, answer.message, answer.dataJson ?? writeJson(answer.data)));
}

/** The envelope as text. */
export function envelope(statusCode: number, message: string, dataJson: string): string {
  const status = statusCode < 400;
  return `{"status":${status},"statusCode":${statusCode},"message":${JSON.stringify(message)},"data":${dataJson}}`;
}
