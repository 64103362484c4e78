import { auditV1 } from '@agent-wallet/contracts';
import { newId, systemClock } from '@agent-wallet/kernel';
import { type Database, migrate } from '@agent-wallet/platform';
import { openSchema, silent } from '@agent-wallet/platform/testing';
import { openTestDatabase, type TestDatabase } from '@agent-wallet/testing';
import { auditEvent, EVENT_LOG_MIGRATIONS, type EventRecord, OUTBOX_DIRECTORY } from '../src/index.js';

/** A producer's schema with an outbox, and the event log beside it. */
export async function openProducerAndLog(test: TestDatabase): Promise<{ producer: Database; log: Database }> {
  const log = await openSchema(test, EVENT_LOG_MIGRATIONS.schema);
  await migrate(log, EVENT_LOG_MIGRATIONS.directory);
  const producer = await openSchema(test, 'producer');
  await migrate(producer, OUTBOX_DIRECTORY);
  await producer.pool.query('create table event_positions (consumer text primary key, position bigint not null)');
  return { producer, log };
}

/** Puts events with payloads of these sizes into a producer's outbox, in their order. */
export async function fillOutbox({ pool }: Database, sizes: readonly number[]): Promise<void> {
  await pool.query(
    `insert into outbox (event_id, agent_id, payload)
     select gen_random_uuid(), gen_random_uuid(), decode(repeat('00', size), 'hex')
     from unnest($1::integer[]) with ordinality as given (size, n) order by n`,
    [sizes],
  );
}

/** How many events wait in a producer's outbox. */
export async function outboxSize({ pool }: Database): Promise<number> {
  const { rows } = await pool.query<{ n: number }>('select count(*)::int as n from outbox');
  return rows[0]!.n;
}

/** A fact that says which one it is. */
export function numberedFact(n: number): NonNullable<auditV1.AuditEvent['fact']> {
  return { $case: 'walletCreated', value: { address: String(n) } };
}

/** The number in an event made of `numberedFact`. */
export function numberOf(payload: Uint8Array): number {
  const { fact } = auditV1.AuditEvent.decode(payload);
  return fact?.$case === 'walletCreated' ? Number(fact.value.address.split(' ')[0]) : Number.NaN;
}

/** An event of `numberedFact`, as a relay hands it over. */
export function numberedEvent(agentId: string, n: number, padding = ''): EventRecord {
  const fact = { $case: 'walletCreated', value: { address: `${n} ${padding}`.trim() } } as const;
  return auditEvent({ source: 'wallet', clock: systemClock }, agentId, fact);
}

/** The numbers in the events of an agent. */
export function numbersOf(events: readonly EventRecord[], agentId: string): number[] {
  return events.flatMap((event) => (event.agentId === agentId ? numberOf(event.payload) : []));
}

/** Each event once, where it came first. */
export function firstSeen(events: readonly EventRecord[]): EventRecord[] {
  const seen = new Set<string>();
  return events.filter(({ eventId }) => !seen.has(eventId) && seen.add(eventId));
}

export { newId, openSchema, openTestDatabase, silent, type TestDatabase };
