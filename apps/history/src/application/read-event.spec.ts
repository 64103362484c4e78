import { auditV1, operationsV1 } from '@agent-wallet/contracts';
import { describe, expect, it } from '@jest/globals';
import { eventOf, FACTS, operation, operationEvent } from '../../test/support.js';
import { readEvent } from './read-event.js';
import { UnreadableEvent } from './unreadable-event.js';

const AGENT = '0193f3a0-0000-7000-8000-000000000001';

describe('an event that can be read', () => {
  it('of an operation is a record of its state', () => {
    const change = operation({
      status: auditV1.OperationStatus.OPERATION_STATUS_CONFIRMED,
      signature: 'sig',
      revision: 4,
    });
    expect(readEvent(operationEvent(AGENT, change)).record).toEqual({
      id: change.operationId,
      agentId: AGENT,
      revision: 4,
      action: 'transfer',
      status: 'confirmed',
      shownStatus: 'confirmed',
      asset: 'USDC',
      amount: 64_100_000n,
      decimals: 6,
      recipient: change.to,
      signature: 'sig',
      facts: operationsV1.OperationFacts.encode(FACTS).finish(),
      searchText: 'usdc',
      createdAtMs: 1_700_000_000_000,
      updatedAtMs: 1_700_000_000_000,
    });
  });

  it('knows every state that an operation can have', () => {
    const states = Object.values(auditV1.OperationStatus).filter((n): n is number => typeof n === 'number' && n > 0);
    const names = states.map((status) => readEvent(operationEvent(AGENT, { status })).record?.status);
    expect(names).toEqual([
      'pending',
      'submitted',
      'confirmed',
      'failed',
      'expired',
      'rejected_by_policy',
      'dropped',
      'awaiting_approval',
      'rejected_by_owner',
      'cancelled',
    ]);
  });

  it('of a policy change is a policy_update with the fields before and after', () => {
    const changes = [
      { field: 'dailyLimitInUsd', before: '500', after: '50.5' },
      { field: 'allowedRecipients', before: '[]', after: '["abc"]' },
    ];
    const event = eventOf(AGENT, { $case: 'policyChanged', value: { changes } });
    const { record } = readEvent(event);
    expect(record).toMatchObject({
      id: event.eventId,
      action: 'policy_update',
      status: 'confirmed',
      amount: undefined,
    });
    expect(operationsV1.OperationFacts.decode(record!.facts).action).toEqual({
      $case: 'policyUpdate',
      value: { changes },
    });
  });

  it.each<[string, auditV1.AuditEvent['fact']]>([
    ['a login', { $case: 'sessionStarted', value: { sessionId: 's', expiresAtMs: 1n } }],
    ['a logout', { $case: 'sessionEnded', value: { sessionId: 's' } }],
    ['a new wallet', { $case: 'walletCreated', value: { address: 'a' } }],
    ['a fact of a later version', undefined],
  ])('of %s is recorded and not shown', (_, fact) => {
    const event = eventOf(AGENT, fact);
    expect(readEvent(event)).toEqual({ ...event, occurredAtMs: 1_700_000_000_000, record: undefined });
  });

  it('has its ids in lower case, as the database gives them back', () => {
    const operationId = 'ABCDEF00-0000-7000-8000-000000000001';
    const event = operationEvent(AGENT.toUpperCase(), { operationId });
    expect(readEvent(event)).toMatchObject({
      agentId: AGENT,
      record: { id: operationId.toLowerCase(), agentId: AGENT },
    });
  });

  it('keeps an amount of zero apart from none, and the largest u64', () => {
    const amounts = [0n, 2n ** 64n - 1n, undefined];
    expect(amounts.map((amount) => readEvent(operationEvent(AGENT, { amount })).record?.amount)).toEqual(amounts);
  });
});

describe('an event that cannot be read', () => {
  const good = operationEvent(AGENT);
  const policyChange = (before: string) =>
    eventOf(AGENT, { $case: 'policyChanged', value: { changes: [{ field: 'x', before, after: '1' }] } });

  it.each([
    ['bytes that are not an event', { ...good, payload: Buffer.from('ffffffff', 'hex') }, 'it is not an AuditEvent'],
    ['another event id on the envelope', { ...good, eventId: AGENT }, 'its envelope has other ids'],
    ['another agent on the envelope', { ...good, agentId: good.eventId }, 'its envelope has other ids'],
    ['an agent that is not a UUID', operationEvent('agent'), 'its ids are not UUIDs'],
    ['an operation that is not a UUID', operationEvent(AGENT, { operationId: 'x' }), 'operation_id is not a UUID'],
    ['no status', operationEvent(AGENT, { status: 0 }), 'its status is not known'],
    [
      'a status of a later version',
      operationEvent(AGENT, { status: 99 as auditV1.OperationStatus }),
      'its status is not known',
    ],
    ['no action', operationEvent(AGENT, { action: '' }), 'it has no action'],
    [
      'an action that no key of a table holds',
      operationEvent(AGENT, { action: 'a'.repeat(65) }),
      'its action is too long',
    ],
    ['too many decimals', operationEvent(AGENT, { decimals: 256 }), 'decimals is more than a mint can have'],
    [
      'an error that is not JSON',
      operationEvent(AGENT, { facts: { ...FACTS, errorJson: '{' } }),
      'error_json is not JSON',
    ],
    [
      'an error that is a text',
      operationEvent(AGENT, { facts: { ...FACTS, errorJson: '"no"' } }),
      'error_json is not an object',
    ],
    [
      'an error that is null',
      operationEvent(AGENT, { facts: { ...FACTS, errorJson: 'null' } }),
      'error_json is not an object',
    ],
    ['no time', operationEvent(AGENT, { createdAtMs: 0n }), 'created_at_ms is not a time'],
    ['a time beyond all calendars', operationEvent(AGENT, { createdAtMs: 2n ** 62n }), 'created_at_ms is not a time'],
    ['a zero character', operationEvent(AGENT, { asset: 'US\0DC' }), 'a text holds a zero character'],
    ['a policy value that is not JSON', policyChange('\0'), 'before is not JSON'],
  ])('has %s', (_, event, why) => {
    expect(() => readEvent(event)).toThrow(UnreadableEvent);
    expect(() => readEvent(event)).toThrow(why);
  });
});
