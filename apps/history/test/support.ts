import { auditV1, type operationsV1 } from '@agent-wallet/contracts';
import { newId, Secret } from '@agent-wallet/kernel';
import { createPostgresPublisher, EVENT_LOG_MIGRATIONS, type EventRecord, grantConsume } from '@agent-wallet/events';
import { type Database, type PostgresConnection } from '@agent-wallet/platform';
import { openMigratedDatabase, openTestSchema } from '@agent-wallet/platform/testing';
import { historyMigrations } from '../src/index.js';

/** A database with history's schema and the event log, as in production. */
export interface TestStore {
  readonly connection: PostgresConnection;
  readonly history: Database;
  /** Appends to the event stream. */
  publish(...events: EventRecord[]): Promise<void>;
  /** Rows of a query in history's schema. */
  rows<Row extends object>(sql: string, ...values: unknown[]): Promise<Row[]>;
  close(): Promise<void>;
}

export async function openTestStore(): Promise<TestStore> {
  const test = await openMigratedDatabase([historyMigrations, EVENT_LOG_MIGRATIONS], {
    grants: (roles) => grantConsume(roles.history),
  });
  const log = openTestSchema(test.schemas.events, 'events');
  const history = openTestSchema(test.schemas.history, 'history');
  const publisher = createPostgresPublisher(log);
  return {
    connection: { ...test.schemas.history, password: new Secret(test.schemas.history.password) },
    history,
    publish: (...events) => publisher.publish(events),
    rows: async (sql, ...values) => (await history.pool.query(sql, values)).rows,
    close: async () => {
      await Promise.all([log.close(), history.close()]);
      await test.close();
    },
  };
}

/** An event of a fact, as its owner's outbox would publish it. */
export function eventOf(
  agentId: string,
  fact: auditV1.AuditEvent['fact'],
  occurredAtMs = 1_700_000_000_000,
): EventRecord {
  const eventId = newId();
  const origin = { source: 'wallet', requestId: '', traceparent: '' };
  const event = { eventId, agentId, occurredAtMs: BigInt(occurredAtMs), ...origin, fact };
  return { eventId, agentId, payload: auditV1.AuditEvent.encode(event).finish() };
}

/** Facts of a deposit that nothing more is known of. */
export const FACTS: operationsV1.OperationFacts = {
  action: { $case: 'deposit', value: { mint: '', from: 'sender', account: '' } },
  errorJson: '',
};

/** A transfer's state, with what the test cares about. */
export function operation(change: Partial<auditV1.OperationChanged> = {}): auditV1.OperationChanged {
  return {
    operationId: newId(),
    revision: 1,
    action: 'transfer',
    status: auditV1.OperationStatus.OPERATION_STATUS_PENDING,
    asset: 'USDC',
    amount: 64_100_000n,
    decimals: 6,
    to: '11111111111111111111111111111112',
    signature: '',
    facts: FACTS,
    createdAtMs: 1_700_000_000_000n,
    ...change,
  };
}

/** An event of an operation's state. */
export function operationEvent(agentId: string, change: Partial<auditV1.OperationChanged> = {}): EventRecord {
  return eventOf(agentId, { $case: 'operationChanged', value: operation(change) });
}

/** An event of a value that policy settled for a step. */
export function settledEvent(
  agentId: string,
  { operationId, step, value }: { operationId: string; step: number; value: bigint },
): EventRecord {
  const settled = { operationId, step, attempt: 1, valueUsdMicros: value };
  return eventOf(agentId, { $case: 'reservationSettled', value: settled });
}
