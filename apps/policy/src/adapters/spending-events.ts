import { auditV1 } from '@agent-wallet/contracts';
import { auditEvent, type AuditFact, type EventRecord } from '@agent-wallet/events';
import type { Clock } from '@agent-wallet/kernel';
import type { Attempt, FinalFinding } from '../domain/attempt.js';
import type { ReservationRequest } from '../ports/reservation-store.js';

/** The events of what is reserved and what becomes of it, made before it is known whether they will be true. */

/** Time for which spending counts toward a limit, in seconds: `window_length` of the schema. */
export const WINDOW_SECONDS = 86_400;

/** Returns the event of a granted request whose value is reserved. */
export function reservedEvent(clock: Clock, request: ReservationRequest): EventRecord {
  const { operationId, step, attempt, kind, valueUsdMicros = 0n, sponsorship, approvalId } = request;
  const sponsoredLamports = sponsorship?.lamports ?? 0n;
  const value = {
    operationId,
    step,
    attempt,
    kind,
    valueUsdMicros,
    sponsoredLamports,
    approvalId,
    windowSeconds: WINDOW_SECONDS,
  };
  return spendingEvent(clock, request.agentId, { $case: 'reservationCreated', value });
}

/** Returns the event of an attempt that ended with a finding from the chain. */
export function outcomeEvent(clock: Clock, ended: Attempt, finding: FinalFinding): EventRecord {
  const { operationId, step, attempt, reservedUsdMicros } = ended;
  const { valueUsdMicros = reservedUsdMicros } = finding.state === 'settled' ? finding : {};
  const value = { operationId, step, attempt, valueUsdMicros };
  if (finding.state === 'settled') {
    const landedAtMs = finding.landedAtMs === undefined ? undefined : BigInt(finding.landedAtMs);
    return spendingEvent(clock, ended.agentId, { $case: 'reservationSettled', value: { ...value, landedAtMs } });
  }
  return spendingEvent(clock, ended.agentId, {
    $case: 'reservationReleased',
    value: { ...value, proof: PROOFS[finding.state] },
  });
}

const PROOFS = {
  failed: auditV1.ReleaseProof.RELEASE_PROOF_FINALIZED_FAILURE,
  expired: auditV1.ReleaseProof.RELEASE_PROOF_CAN_NEVER_LAND,
} as const;

function spendingEvent(clock: Clock, agentId: string, fact: AuditFact): EventRecord {
  return auditEvent({ source: 'policy', clock }, agentId, fact);
}
