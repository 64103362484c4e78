import { type ErrorCode, errorEntry, isPublicCode } from '@agent-wallet/kernel';
import { ERROR_FIELDS } from '../../domain/error-fields.js';
import type { CommonErrors } from './common-errors.js';

/** Every code once: the routes that return it, its meaning, and its further fields. */
export function errorGuide(errors: CommonErrors, rules: readonly string[]): string {
  const codes = errors.all().sort((a, b) => errorEntry(a).http - errorEntry(b).http);
  const listed = new Map<string, ErrorCode>();
  /** Several fields that an earlier code has, too, are named by that code. */
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
    const [meaning] = message.split(/(?<=\.) /);
    return `|${http}|${code}|${errors.groupsOf(code)}|${meaning}|${fieldsOf(code)}|`;
  });
  return `## Errors

|HTTP|\`code\`|Routes|Meaning|More fields|
|-|-|-|-|-|
${rows.join('\n')}

\`rule\` of a POLICY_VIOLATION: ${rules.map((rule) => `\`${rule}\``).join(', ')}. Only the owner should change a policy to let
a request pass. \`frozen\` means that the operator has stopped payments. \`missingLamports\`: send SOL to the wallet.
`;
}
