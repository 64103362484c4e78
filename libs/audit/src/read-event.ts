import { AuditEvent } from './generated/agentwallet/audit/v1/event.js';

export type {
  ApprovalDecided,
  ApprovalRequested,
  AuditEvent,
  MemberChanged,
  OperatorActed,
  PasskeyChanged,
  PolicyChanged_Change as PolicyField,
} from './generated/agentwallet/audit/v1/event.js';

/** Name of a fact. */
export type FactName = NonNullable<AuditEvent['fact']>['$case'];

/** Reads a serialized event. @throws Error for bytes that are not one, also where a lenient reader would go on */
export function readEvent(payload: Uint8Array): AuditEvent {
  return AuditEvent.decode(payload);
}
