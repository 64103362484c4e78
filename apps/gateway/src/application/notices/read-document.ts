import type { auditV1 } from '@agent-wallet/contracts';
import { isUuid, type RequestedOperation } from '@agent-wallet/kernel';
import type { FieldChange, RequestedApproval } from '../../domain/notices/notice.js';

/** Terms that say nothing to a reader of mail, or have lines of their own. */
const OMITTED: readonly string[] = ['credentialId', 'coseKey', 'changes', 'note', 'policy', 'proposer'];

type Json = Readonly<Record<string, unknown>>;

/**
 * Reads the part of an approval's document that a notice shows. A kind of a later release is shown by its terms.
 * @throws SyntaxError
 */
export function readRequest(type: string, document: Uint8Array): RequestedApproval {
  const read = JSON.parse(Buffer.from(document).toString()) as Json;
  const terms = (read['terms'] ?? {}) as Json;
  const changes = Object.entries((terms['changes'] ?? {}) as Readonly<Record<string, Json>>);
  const isOperation = type === 'operation';
  const shown = isOperation ? [] : Object.entries(terms).filter(([name]) => !OMITTED.includes(name));
  return {
    type,
    ownerId: uuidOf(read['owner']),
    byAgent: isOperation || terms['proposer'] === 'agent',
    expiresAt: textOf(read['expiresAt']),
    changes: changes.map(([field, { before, after }]) => ({ field, before, after })),
    note: textOf(terms['note']),
    operationId: uuidOf(read['operation']),
    operation: isOperation ? operationOf(read, terms) : undefined,
    terms: shown.flatMap(([name, value]) => {
      const text = textOf(value);
      return text === '' ? [] : [[name, text] as const];
    }),
  };
}

function operationOf(read: Json, terms: Json): RequestedOperation {
  const reasons: unknown[] = Array.isArray(read['reasons']) ? read['reasons'] : [];
  return {
    action: textOf(read['action']),
    terms: Object.fromEntries(
      Object.entries(terms).filter((term): term is [string, string] => typeof term[1] === 'string'),
    ),
    valueUsd: textOf(read['valueUsd']) || null,
    reasons: reasons.map(textOf),
  };
}

/** Reads a field of an event, whose values are JSON texts. @throws SyntaxError */
export function readChange({ field, before, after }: auditV1.PolicyChanged_Change): FieldChange {
  return { field, before: JSON.parse(before), after: JSON.parse(after) };
}

function uuidOf(value: unknown): string | undefined {
  return typeof value === 'string' && isUuid(value) ? value : undefined;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
