import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply } from './fastify-types.js';
import { map, type Observable } from 'rxjs';
import { type Answer, envelope, envelopeHeaders } from './envelope.js';
import { writeJson } from '../application/answers/exact-json.js';
import { contractOf } from './serves.js';

/** Puts what a handler returns into its form: the envelope, or the plain document. */
@Injectable()
export class EnvelopeInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler<Answer | string>): Observable<string> {
    const { plain } = contractOf(context);
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    return next.handle().pipe(map((answer) => (plain ? document(reply, plain, answer) : enveloped(reply, answer))));
  }
}

function document(reply: FastifyReply, mediaType: string, answer: Answer | string): string {
  reply.code(200).header('content-type', `${mediaType}; charset=utf-8`);
  return answer as string;
}

function enveloped(reply: FastifyReply, answer: Answer | string): string {
  const { statusCode = 200, message, data, dataJson, headers } = answer as Answer;
  reply.code(statusCode).headers(envelopeHeaders(statusCode, headers));
  return envelope(statusCode, message, dataJson ?? writeJson(data));
}
