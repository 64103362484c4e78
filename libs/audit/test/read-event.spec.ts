import { propertyRuns } from '@agent-wallet/testing';
import { auditV1 } from '@agent-wallet/contracts';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readEvent } from '../src/read-event.js';

type Fact = NonNullable<auditV1.AuditEvent['fact']>;

const countersignature = {
  ...{ permitId: randomUUID(), messageHash: randomBytes(32), signatures: [randomBytes(64), randomBytes(64)] },
  ...{ ephemeralKey: randomBytes(32), signature: randomBytes(64) },
};

/** A complete value of each fact: a new one does not compile until it stands here. */
const FACTS: { readonly [Case in Fact['$case']]: Extract<Fact, { $case: Case }>['value'] } = {
  walletCreated: { address: 'address' },
  sessionStarted: { sessionId: randomUUID(), expiresAtMs: 1n },
  sessionEnded: { sessionId: randomUUID() },
  policyChanged: {
    changes: [change('allowTrading', 'true', 'false'), change('newRecipients', '"deny"', '"größer"')],
    ...{ actor: 'owner', approvalId: randomUUID() },
  },
  operationChanged: {
    ...auditV1.OperationChanged.decode(new Uint8Array()),
    operationId: randomUUID(),
    revision: 3,
    amount: 2n ** 60n,
  },
  operatorActed: {
    operator: `owner ${randomUUID()}`,
    action: 'unfreeze',
    reason: 'r',
    ...{ operationId: randomUUID(), approvalId: randomUUID() },
  },
  reservationCreated: {
    ...auditV1.ReservationCreated.decode(new Uint8Array()),
    operationId: randomUUID(),
    valueUsdMicros: 7n,
  },
  reservationSettled: {
    ...auditV1.ReservationSettled.decode(new Uint8Array()),
    operationId: randomUUID(),
    landedAtMs: 8n,
  },
  reservationReleased: { ...auditV1.ReservationReleased.decode(new Uint8Array()), operationId: randomUUID(), proof: 2 },
  orderFilled: { ...auditV1.OrderFilled.decode(new Uint8Array()), operationId: randomUUID(), fillIds: ['a', 'b'] },
  messageSigned: {
    ...auditV1.MessageSigned.decode(new Uint8Array()),
    operationId: randomUUID(),
    step: 1,
    countersignature,
  },
  approvalRequested: { approvalId: randomUUID(), kind: 'policy', document: randomBytes(300) },
  approvalDecided: {
    ...{
      approvalId: randomUUID(),
      documentHash: randomBytes(32),
      ownerId: randomUUID(),
      credentialId: randomBytes(20),
    },
    ...{ clientDataJson: randomBytes(200), authenticatorData: randomBytes(37), signature: randomBytes(70) },
    outcome: 'applied',
  },
  approvalClosed: { approvalId: randomUUID(), state: 'rejected', kind: 'policy', ownerId: randomUUID() },
  passkeyChanged: {
    ...{ ownerId: randomUUID(), credentialId: randomBytes(20), action: 'added', coseKey: randomBytes(77) },
    ...{ attestationObject: randomBytes(200), clientDataJson: randomBytes(100) },
  },
  memberChanged: { ownerId: randomUUID(), role: 'owner', action: 'added' },
  tokenReused: { sessionId: randomUUID() },
  tokenOpened: { tokenId: randomUUID(), name: 'A bot', scopes: ['read', 'trade'], expiresAtMs: 9n },
  tokenEnded: { tokenId: randomUUID() },
};

function change(field: string, before: string, after: string) {
  return { field, before, after };
}

function encoded($case: Fact['$case'], change: Partial<auditV1.AuditEvent> = {}): Uint8Array<ArrayBuffer> {
  const fact = { $case, value: FACTS[$case] } as Fact;
  const ids = {
    eventId: randomUUID(),
    agentId: randomUUID(),
    source: 'policy',
    requestId: randomUUID(),
    traceparent: '',
  };
  return new Uint8Array(
    auditV1.AuditEvent.encode({ ...ids, occurredAtMs: 1_800_000_000_123n, fact, ...change }).finish(),
  );
}

/** Returns the fields of a generated value that the reader reads, with bytes as plain arrays, and unset ones as empty. */
function plain(value: unknown): unknown {
  if (value === undefined) return '';
  if (value instanceof Uint8Array) return [...value];
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, plain(each)]));
}

describe('the reader of events', () => {
  it.each(Object.keys(FACTS) as Fact['$case'][])('reads %s as the generated encoder writes it', (name) => {
    const payload = encoded(name, { askedBy: 'agent', askedFrom: '10.0.0.0/24' });
    const { fact, occurredAtMs, ...fields } = auditV1.AuditEvent.decode(payload);
    const event = readEvent(payload);
    expect(event).toMatchObject({
      ...{ eventId: fields.eventId, agentId: fields.agentId, askedBy: fields.askedBy },
      occurredAtMs,
    });
    expect(event.fact?.$case).toBe(name);
    expect(plain(fact!.value)).toMatchObject(
      event.fact && 'value' in event.fact ? (plain(event.fact.value) as object) : {},
    );
  });

  it('knows every fact and number of the definition', () => {
    const proto = readFileSync(new URL('../../../proto/agentwallet/audit/v1/event.proto', import.meta.url), 'utf8');
    const facts = [.../oneof fact \{([\s\S]*?)\n {2}\}/.exec(proto)![1]!.matchAll(/ (\w+) = \d+;/g)];
    const names = facts.map(([, name]) => name!.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()));
    expect(names.sort()).toEqual(Object.keys(FACTS).sort());
  });

  it('reads empty facts, and no fact', () => {
    expect(readEvent(encoded('walletCreated', { fact: undefined })).fact).toBeUndefined();
    const value = { changes: [] };
    expect(readEvent(encoded('walletCreated', { fact: { $case: 'policyChanged', value } })).fact).toEqual({
      $case: 'policyChanged',
      value,
    });
  });

  it('fails on bytes that end too early, at every byte, or on none at all where the generated reader fails', () => {
    const payload = encoded('approvalDecided');
    for (let end = 1; end < payload.length; end += 1) {
      const part = payload.slice(0, end);
      expect(fails(() => readEvent(part))).toBe(fails(() => auditV1.AuditEvent.decode(part)));
    }
  });

  it.each([
    ['a field that ends behind its fact', [0x0a, 0x03, 0x61]],
    ['a group', [0x7b, 0x7c]],
    ['the end of a group', [0x7c]],
    ['a field without a number', [0x00, 0x00]],
  ])('fails on %s', (_, bytes) => {
    // Fact 10, and a field behind it that a lenient reader takes for a part of the fact.
    const payload = Uint8Array.of(0x52, bytes.length, ...bytes, 0x22, 0x02, 0x62, 0x63);
    expect(fails(() => readEvent(payload))).toBe(true);
  });

  it('reads the same as the generated reader of altered bytes, or fails', () => {
    const names = fc.constantFrom(...(Object.keys(FACTS) as Fact['$case'][]));
    const approvalTag = encoded('policyChanged', { askedBy: 'agent' }).lastIndexOf(0x1a);
    let read = 0;
    fc.assert(
      fc.property(names, fc.nat(), fc.integer({ min: 1, max: 255 }), (name, at, change) => {
        const payload = encoded(name, { askedBy: 'agent' });
        payload[at % payload.length]! ^= change;
        if (fails(() => readEvent(payload)) || fails(() => auditV1.AuditEvent.decode(payload))) return;
        read += 1;
        const [event, generated] = [readEvent(payload), auditV1.AuditEvent.decode(payload)];
        expect(event.eventId).toBe(generated.eventId);
        expect(event.agentId).toBe(generated.agentId);
        expect(event.askedBy ?? '').toBe(generated.askedBy ?? '');
        expect(event.occurredAtMs).toBe(generated.occurredAtMs);
        expect(event.fact?.$case).toBe(generated.fact?.$case);
        const value = event.fact && 'value' in event.fact ? (plain(event.fact.value) as object) : {};
        // The generated reader leaves out an optional text that is not there.
        const absent = Object.fromEntries(Object.keys(value).map((field) => [field, '']));
        if (generated.fact) expect({ ...absent, ...(plain(generated.fact.value) as object) }).toMatchObject(value);
      }),
      { numRuns: propertyRuns(3_000), examples: [['policyChanged', approvalTag, 159]] },
    );
    expect(read).toBeGreaterThan(500);
  });
});

function fails(work: () => unknown): boolean {
  try {
    work();
    return false;
  } catch {
    return true;
  }
}
