import { auditV1 } from '@agent-wallet/contracts';
import { inRequest } from '@agent-wallet/platform';
import { describe, expect, it } from '@jest/globals';
import { auditEvent, type AuditFact } from '../outbox/audit-event.js';
import { envelopeOf } from './envelope.js';

const AGENT = '01890a5d-ac96-774b-bcce-b302099a8057';
const TRACE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const FROM = { source: 'wallet', clock: { nowMs: () => 1_700_000_000_123 } } as const;

function operation(status: auditV1.OperationStatus): AuditFact {
  const empty = auditV1.OperationChanged.decode(new Uint8Array());
  const value = { ...empty, operationId: AGENT, action: 'deposit', status };
  return { $case: 'operationChanged', value };
}

/** An event as another build may have written it. */
function written(change: Partial<auditV1.AuditEvent>) {
  const whole = { eventId: 'e', agentId: AGENT, occurredAtMs: 0n, source: 'swap', requestId: '', traceparent: '' };
  const payload = auditV1.AuditEvent.encode({ ...whole, fact: undefined, ...change }).finish();
  return { eventId: 'e', agentId: AGENT, payload };
}

describe('the attributes of an event', () => {
  it('follow from its payload', () => {
    const fact: AuditFact = { $case: 'walletCreated', value: { address: 'A' } };
    const event = inRequest({ requestId: 'r' }, () => auditEvent(FROM, AGENT, fact));
    expect(envelopeOf(event)).toEqual({
      id: event.eventId,
      source: '/wallet',
      type: 'agentwallet.wallet.created.v1',
      subject: AGENT,
      time: '2023-11-14T22:13:20.123Z',
    });
    expect(auditV1.AuditEvent.decode(event.payload)).toMatchObject({ requestId: 'r', traceparent: '', fact });
  });

  it.each([
    [auditV1.OperationStatus.OPERATION_STATUS_PENDING, 'agentwallet.operation.pending.v1'],
    [auditV1.OperationStatus.OPERATION_STATUS_CONFIRMED, 'agentwallet.operation.confirmed.v1'],
    [auditV1.OperationStatus.OPERATION_STATUS_REJECTED_BY_POLICY, 'agentwallet.operation.rejected.v1'],
    [auditV1.OperationStatus.OPERATION_STATUS_UNSPECIFIED, 'agentwallet.unknown.v1'],
    [99 as auditV1.OperationStatus, 'agentwallet.unknown.v1'],
  ])('name the state %s of an operation, and its action', (status, type) => {
    expect(envelopeOf(auditEvent(FROM, AGENT, operation(status)))).toMatchObject({ type, action: 'deposit' });
  });

  it('carry the trace that the event was written in', () => {
    expect(envelopeOf(written({ traceparent: TRACE }))).toMatchObject({ traceparent: TRACE, source: '/swap' });
  });

  it('say that a younger build’s fact is not known', () => {
    const { payload, ...ids } = written({});
    // Field 536 870 911, a message without fields.
    const younger = Buffer.concat([payload, Buffer.from([0xfa, 0xff, 0xff, 0xff, 0x0f, 0x00])]);
    expect(envelopeOf({ ...ids, payload: younger })).toMatchObject({ type: 'agentwallet.unknown.v1', id: 'e' });
  });

  it.each([2n ** 62n, -(2n ** 62n)])('leave out a time that no date can say: %s', (occurredAtMs) => {
    expect(envelopeOf(written({ occurredAtMs }))).not.toHaveProperty('time');
  });

  it('are made of what is known of a payload that cannot be read', () => {
    const event = { eventId: 'e', agentId: AGENT, payload: Buffer.from([0x0a, 0xff]) };
    expect(envelopeOf(event)).toEqual({ id: 'e', subject: AGENT, source: '/', type: 'agentwallet.unknown.v1' });
  });
});
