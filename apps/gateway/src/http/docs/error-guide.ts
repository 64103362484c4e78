import { type ErrorCode, errorEntry, isPublicCode } from '@agent-wallet/kernel';
import { ERROR_FIELDS } from '../../domain/error-fields.js';
import type { CommonErrors } from './common-errors.js';

/** Returns every code once: the routes that return it, its meaning, and its further fields. */
export function errorGuide(errors: CommonErrors, rules: readonly string[]): string {
  const codes = errors.all().sort((a, b) => errorEntry(a).http - errorEntry(b).http);
  const listed = new Map<string, ErrorCode>();
  /** Returns the fields of a code. Several fields that an earlier code has, too, are named by that code. */
  const fieldsOf = (code: ErrorCode): string => {
    const names = isPublicCode(code) ? Object.keys(ERROR_FIELDS[code]) : [];
    const fields = names.join(', ');
    const earlier = listed.get(fields);
    if (earlier !== undefined && names.length > 1) return `as ${earlier}`;
    listed.set(fields, code);
    return fields;
  };
  const rows = codes.map((code) => {
    const { http, message } = errorEntry(code);
    // What to do is in the response's `message` and `suggestion`.
    const [meaning] = SELF_EXPLANATORY.has(code) ? [''] : message.split(/(?<=\.) /);
    return `|${http}|${code}|${errors.groupsOf(code)}|${meaning}|${fieldsOf(code)}|`;
  });
  return `## Errors

|HTTP|\`code\`|Routes|Meaning|More fields|
|-|-|-|-|-|
${rows.join('\n')}

\`rule\` of a POLICY_VIOLATION: ${rules.map((rule) => `\`${rule}\``).join(', ')}. Only the owner should loosen a policy. If it is
\`claimed\`, propose the change. \`missingLamports\`: send SOL to the wallet.
`;
}

/** Codes whose names say all that the table would. */
const SELF_EXPLANATORY: ReadonlySet<ErrorCode> = new Set([
  ...(['VALIDATION_ERROR', 'INVALID_IDEMPOTENCY_KEY', 'UNKNOWN_TOKEN', 'MARKET_CLOSED', 'MARKET_PAUSED'] as const),
  ...(['UNSUPPORTED_MEDIA_TYPE', 'OWNERS_NOT_CONFIGURED', 'INSUFFICIENT_FUNDS', 'UNSAFE_TOKEN', 'NO_ROUTE'] as const),
  ...(['NOT_FOUND', 'METHOD_NOT_ALLOWED', 'PAYLOAD_TOO_LARGE', 'RATE_LIMIT_EXCEEDED'] as const),
  ...(['POLICY_VIOLATION', 'POLICY_LOOSENING_NEEDS_OWNER', 'APPROVAL_REJECTED', 'APPROVAL_EXPIRED'] as const),
  ...(['IDEMPOTENCY_IN_PROGRESS', 'IDEMPOTENCY_KEY_EXPIRED', 'APPROVAL_CLOSED', 'INVALID_ADDRESS'] as const),
  'OWNER_REQUIRED',
  ...(['AUTHENTICATION_ERROR', 'SLIPPAGE_EXCEEDED', 'NO_LIQUIDITY', 'INSUFFICIENT_POSITION'] as const),
  ...(['INTERNAL_ERROR', 'SERVICE_UNAVAILABLE', 'UPSTREAM_ERROR', 'UPSTREAM_TIMEOUT'] as const),
]);
