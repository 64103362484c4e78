import { type ErrorCode, errorEntry, isPublicCode } from '@agent-wallet/kernel';
import { failureResponse } from '../../application/responses/failure.js';
import { valuesOfFields } from '../../api/schemas/error-records.js';
import { ERROR_FIELDS } from '../../domain/error-fields.js';
import { envelope } from '../envelope.js';
import type { CommonErrors } from './common-errors.js';
import { EXAMPLE_ERRORS } from './example-errors.js';

/** Returns every code once, with the routes that return it, its meaning and its further fields, and one failure in full. */
export function errorGuide(errors: CommonErrors, rules: readonly string[]): string {
  const codes = errors.all().sort((a, b) => errorEntry(a).http - errorEntry(b).http);
  const listed = new Map<string, ErrorCode>();
  /** Returns the fields of a code. Several fields that an earlier code has, too, are named by that code. */
  const fieldsOf = (code: ErrorCode): string => {
    if (!isPublicCode(code)) return '';
    const values = valuesOfFields(code);
    const names = Object.keys(ERROR_FIELDS[code]);
    const fields = names.map((name) => (values[name] ? `${name} (${values[name].join(', ')})` : name)).join(', ');
    const earlier = listed.get(fields);
    if (earlier !== undefined && names.length > 1) return `as ${earlier}`;
    listed.set(fields, code);
    return fields;
  };
  const rows = codes.map((code) => {
    const { http, message } = errorEntry(code);
    // What to do is in the response's `message` and `suggestion`.
    const [meaning] = message.split(/(?<=\.) /);
    return `|${http}|${code}|${errors.groupsOf(code)}|${meaning}|${fieldsOf(code)}|`;
  });
  return `## Errors

One failure in full:

\`${failureInFull()}\`

|HTTP|\`code\`|Routes|Meaning|More fields|
|-|-|-|-|-|
${rows.join('\n')}

\`rule\` of a POLICY_VIOLATION: ${rules.map((rule) => `\`${rule}\``).join(', ')}. Only the owner should loosen a policy. If it is
\`claimed\`, propose the change. \`missingLamports\`: send SOL to the wallet. Treat an unknown \`code\` by its \`retry\`.
`;
}

/** Returns a refusal by the daily or single limit as it is sent. */
function failureInFull(): string {
  const error = EXAMPLE_ERRORS.find(({ code }) => code === 'POLICY_VIOLATION');
  if (!error) throw new Error('no example of a refusal by policy');
  return envelope(failureResponse(error, { requestId: '01938f70-8f1e-7a52-b1c4-7f7a1c2f9f11', nowMs: 0 }));
}
