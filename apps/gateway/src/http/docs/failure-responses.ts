import { type ErrorCode, errorEntry } from '@agent-wallet/kernel';
import { failureResponse } from '../../application/responses/failure.js';
import { failureRecord, PUBLIC_CODES } from '../../api/schemas/error-records.js';
import { ALWAYS, COUNTED, OF_FAILURES } from '../../api/schemas/headers.js';
import { envelopeErrors, type RouteContract } from '../../api/route.js';
import { envelope } from '../envelope.js';
import { EXAMPLE_ERRORS } from './example-errors.js';
import { headerReferences } from './header-components.js';
import type { Json, NamedSchemas } from './named-schemas.js';

/** Failures that say nothing of a route: `default` stands for them. */
const COMMON: readonly ErrorCode[] = [
  'VALIDATION_ERROR',
  'AUTHENTICATION_ERROR',
  'INSUFFICIENT_SCOPE',
  'METHOD_NOT_ALLOWED',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'RATE_LIMIT_EXCEEDED',
  'INTERNAL_ERROR',
  'UPSTREAM_ERROR',
  'SERVICE_UNAVAILABLE',
  'UPSTREAM_TIMEOUT',
  'OWNERS_NOT_CONFIGURED',
  'CAPABILITY_UNAVAILABLE',
];

const $ref = '#/components/responses/Failure';
const REQUEST_ID = '01938f70-8f1e-7a52-b1c4-7f7a1c2f9f11';
const EXAMPLE_MS = Date.UTC(2026, 10, 21, 10, 2);

/** Returns the response component of every failure. */
export function failureComponent(schemas: NamedSchemas): Json {
  const schema = schemas.of(failureRecord, 'output');
  const examples = Object.fromEntries(
    EXAMPLE_ERRORS.map((error) => {
      const response = failureResponse(error, { requestId: REQUEST_ID, nowMs: EXAMPLE_MS });
      return [error.code, { value: JSON.parse(envelope(response)) as unknown }];
    }),
  );
  const codes = byStatus(PUBLIC_CODES).map(([status, group]) => `${status} ${group.join(', ')}`);
  return {
    description: `Any failure: ${codes.join('; ')}. Routes do not list ${COMMON.join(', ')}.`,
    headers: headerReferences([...ALWAYS, ...COUNTED, ...OF_FAILURES]),
    content: { 'application/json': { schema, examples } },
  };
}

/**
 * Returns the failures of a route by HTTP status: those that are special to it, with the codes that it can return, and
 * `default`.
 */
export function failuresOf(contract: RouteContract): Json {
  const all = byStatus(envelopeErrors(contract));
  const special = all.filter(([, codes]) => codes.some((code) => !COMMON.includes(code)));
  // Linters want a client's mistake at every operation.
  const mistake = all.find(([status]) => status === 401) ?? all[0]!;
  const listed = special.some(([status]) => status < 500) ? special : [mistake, ...special];
  return {
    ...Object.fromEntries(
      listed.map(([status, codes]) => [status, MIXED.has(status) ? { $ref, description: codes.join(', ') } : { $ref }]),
    ),
    default: { $ref },
  };
}

/** Statuses of which a route may give some codes only. */
const MIXED: ReadonlySet<number> = new Set([400, 502, 504]);

function byStatus(codes: readonly ErrorCode[]): Array<[number, ErrorCode[]]> {
  const grouped = new Map<number, ErrorCode[]>();
  for (const code of codes) {
    const { http } = errorEntry(code);
    grouped.set(http, [...(grouped.get(http) ?? []), code]);
  }
  return [...grouped].sort(([a], [b]) => a - b);
}
