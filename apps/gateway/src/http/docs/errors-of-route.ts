import type { ErrorCode } from '@agent-wallet/kernel';
import type { RouteContract } from '../contract/route.js';

/** Every error code that a route can answer: its own, and those of what every request goes through. */
export function envelopeErrors(contract: RouteContract): ErrorCode[] {
  const codes: ErrorCode[] = ['VALIDATION_ERROR'];
  if (contract.idempotent) codes.push('INVALID_IDEMPOTENCY_KEY');
  if (contract.auth === 'bearer') codes.push('AUTHENTICATION_ERROR');
  if (contract.body) codes.push('PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE');
  if (contract.idempotent) codes.push('IDEMPOTENCY_IN_PROGRESS', 'IDEMPOTENCY_MISMATCH');
  codes.push('RATE_LIMIT_EXCEEDED', ...contract.errors, 'INTERNAL_ERROR', 'SERVICE_UNAVAILABLE');
  if (!contract.plain) codes.push('UPSTREAM_TIMEOUT');
  return [...new Set(codes)];
}
