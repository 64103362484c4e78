import { AppError } from '@agent-wallet/kernel';
import type { FastifyRequest } from './fastify-types.js';
import { parse } from 'lossless-json';

const JSON_TYPE = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?;?$/i;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * The body of a request as JSON, numbers with their exact text; undefined when there is none. The body comes as bytes,
 * so that it is only read after the caller was admitted.
 * @throws AppError VALIDATION_ERROR, UNSUPPORTED_MEDIA_TYPE
 */
export function readJsonBody(request: FastifyRequest): unknown {
  const body = request.body as Buffer | null | undefined;
  if (!body || body.length === 0) return undefined;
  const encoding = request.headers['content-encoding'];
  if (!JSON_TYPE.test(request.headers['content-type'] ?? '') || (encoding && encoding !== 'identity')) {
    throw new AppError('UNSUPPORTED_MEDIA_TYPE');
  }
  try {
    return parse(utf8.decode(body));
  } catch {
    // Also when it nests deeper than the stack.
    throw AppError.field('body', 'must be valid JSON in UTF-8');
  }
}
