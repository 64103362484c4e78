import { type ErrorCode, errorEntry, isPublicCode } from '@agent-wallet/kernel';
import { failureResponse } from '../../application/responses/failure.js';
import { failureRecord } from '../contract/error-records.js';
import { ALWAYS, COUNTED, OF_STATUS } from '../contract/headers.js';
import { envelopeErrors, type RouteContract } from '../contract/route.js';
import { envelope } from '../envelope.js';
import { exampleError } from './example-errors.js';
import { headerReferences } from './header-components.js';
import type { Json, NamedSchemas } from './named-schemas.js';

/** Names of the failures' response components. */
const NAMES: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  409: 'Conflict',
  413: 'PayloadTooLarge',
  415: 'UnsupportedMediaType',
  422: 'IdempotencyMismatch',
  429: 'TooManyRequests',
  500: 'InternalError',
  502: 'UpstreamError',
  503: 'ServiceUnavailable',
  504: 'UpstreamTimeout',
};

const REQUEST_ID = '01938f70-8f1e-7a52-b1c4-7f7a1c2f9f11';

/** Every failure as a response component, one for each HTTP status, with an example of each of its codes. */
export function failureResponses(routes: readonly RouteContract[], schemas: NamedSchemas): Json {
  const schema = schemas.of(failureRecord, 'output');
  const codes = [...new Set<ErrorCode>([...routes.flatMap(envelopeErrors), 'METHOD_NOT_ALLOWED'])];
  return Object.fromEntries(
    byStatus(codes).map(([status, group]) => {
      const headers = headerReferences([...ALWAYS, ...COUNTED, 'Idempotency-Status', ...(OF_STATUS[status] ?? [])]);
      const examples = Object.fromEntries(group.map((code) => [code, { value: exampleOf(code) }]));
      return [
        NAMES[status]!,
        { description: group.join(', '), headers, content: { 'application/json': { schema, examples } } },
      ];
    }),
  );
}

/** References to the failures of a route, each with the codes that the route can give. */
export function failuresOf(contract: RouteContract): Json {
  return Object.fromEntries(
    byStatus(envelopeErrors(contract)).map(([status, codes]) => {
      const $ref = `#/components/responses/${NAMES[status]!}`;
      // Without a description of its own, the reference has the component's: every code of the status.
      return [status, MIXED.has(status) ? { $ref, description: codes.join(', ') } : { $ref }];
    }),
  );
}

/** Statuses of which a route may give some codes only. */
const MIXED: ReadonlySet<number> = new Set([400, 502, 504]);

const EXAMPLE_MS = Date.UTC(2026, 10, 21, 10, 2);

/** A failure as it is really sent. */
function exampleOf(code: ErrorCode): unknown {
  const error = exampleError(isPublicCode(code) ? code : 'INTERNAL_ERROR');
  const explorerUrl = (signature: string) => `https://explorer.solana.com/tx/${signature}`;
  return JSON.parse(envelope(failureResponse(error, { requestId: REQUEST_ID, nowMs: EXAMPLE_MS, explorerUrl })));
}

function byStatus(codes: readonly ErrorCode[]): Array<[number, ErrorCode[]]> {
  const grouped = new Map<number, ErrorCode[]>();
  for (const code of codes) {
    const { http } = errorEntry(code);
    grouped.set(http, [...(grouped.get(http) ?? []), code]);
  }
  return [...grouped].sort(([a], [b]) => a - b);
}
