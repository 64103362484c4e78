import { AppError } from '@agent-wallet/kernel';
import { parse } from 'lossless-json';
import { readContentType } from './content-type.js';
import type { FastifyRequest } from './fastify-types.js';

/** Larger than any valid request: 500 allowed recipients are 25 KB. */
export const BODY_LIMIT_BYTES = 64 * 1024;

const MAX_SHOWN = 100;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads the body of a request as JSON, numbers with their exact text; undefined when there is none. The body comes as
 * bytes, so that it is only read after the caller was admitted.
 * @throws AppError VALIDATION_ERROR, UNSUPPORTED_MEDIA_TYPE
 */
export function readJsonBody(request: FastifyRequest): unknown {
  const body = request.body as Buffer | null | undefined;
  if (!body || body.length === 0) return undefined;
  const { essence, isUtf8 } = readContentType(request.headers['content-type']);
  const encoding = request.headers['content-encoding']?.toLowerCase() ?? 'identity';
  if (essence !== 'application/json' || !isUtf8 || encoding !== 'identity') throw unsupportedMediaType();
  try {
    return parse(utf8.decode(body), null, { onDuplicateKey: ({ key }) => refuseDuplicate(key) });
  } catch (error) {
    if (error instanceof AppError) throw error;
    // Also when it nests deeper than the stack.
    throw AppError.field('body', 'must be valid JSON in UTF-8');
  }
}

/** Rejects a duplicate key: which of two values is meant cannot be known. */
function refuseDuplicate(key: string): never {
  throw AppError.field('body', `has the key ${JSON.stringify(key.slice(0, MAX_SHOWN))} twice`, 'duplicate');
}

/** Returns UNSUPPORTED_MEDIA_TYPE, with the supported type. */
export function unsupportedMediaType(cause?: unknown): AppError {
  return new AppError('UNSUPPORTED_MEDIA_TYPE', { data: { supported: ['application/json'] }, cause });
}
