import { AuditEvent } from './generated/agentwallet/audit/v1/event.js';

/** Reads a serialized event. @throws Error for bytes that are not one, also where a lenient reader would go on */
export function readEvent(payload: Uint8Array): AuditEvent {
  return AuditEvent.decode(payload);
}
