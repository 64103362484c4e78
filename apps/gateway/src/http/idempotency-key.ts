import { AppError } from '@agent-wallet/kernel';
import type { FastifyRequest } from './fastify-types.js';

const PRINTABLE = /^[\x20-\x7e]{1,128}$/;

/** The caller's idempotency key, if it sent one. @throws AppError INVALID_IDEMPOTENCY_KEY */
export function idempotencyKey(request: FastifyRequest): string | undefined {
  const given = request.raw.headersDistinct['idempotency-key'];
  if (!given) return undefined;
  const [key = ''] = given;
  if (given.length > 1 || !PRINTABLE.test(key)) {
    throw AppError.field(
      'Idempotency-Key',
      'must be given once, as 1–128 printable characters',
      'INVALID_IDEMPOTENCY_KEY',
    );
  }
  return key;
}
