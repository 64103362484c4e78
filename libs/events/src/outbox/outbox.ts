import type { Clock } from '@agent-wallet/kernel';
import type { Queryable, ServiceName } from '@agent-wallet/platform';
import { type AuditFact, auditEvent } from './audit-event.js';
import { outboxWritten } from './written.js';

/** Writes facts to a service's outbox, in the transaction that makes them true. The relay is woken after its commit. */
export interface Outbox {
  write(tx: Queryable, agentId: string, fact: AuditFact): Promise<void>;
  /** Writes many, which keep their order, by a few statements. */
  writeAll(tx: Queryable, facts: readonly AgentFact[]): Promise<void>;
}

/** A fact, and whose it is. */
export interface AgentFact {
  readonly agentId: string;
  readonly fact: AuditFact;
}

/** Maximum number of rows in one statement: its parameters are texts in memory, twice the size of the events. */
const ROWS_A_STATEMENT = 1_000;

/**
 * Creates the outbox of one service. The service's migration creates its table, `outbox(id bigint generated always as
 * identity primary key, event_id uuid unique, agent_id uuid, payload bytea)`.
 */
export function createOutbox(source: ServiceName, clock: Clock): Outbox {
  return {
    async write(tx, agentId, fact) {
      const { eventId, payload } = auditEvent({ source, clock }, agentId, fact);
      await tx.query({
        name: 'outbox-write',
        text: 'insert into outbox (event_id, agent_id, payload) values ($1, $2, $3)',
        values: [eventId, agentId, payload],
      });
      outboxWritten(tx);
    },
    async writeAll(tx, facts) {
      for (let from = 0; from < facts.length; from += ROWS_A_STATEMENT) {
        const events = facts
          .slice(from, from + ROWS_A_STATEMENT)
          .map(({ agentId, fact }) => auditEvent({ source, clock }, agentId, fact));
        await tx.query({
          name: 'outbox-write-all',
          text: `insert into outbox (event_id, agent_id, payload)
                 select event_id, agent_id, payload from unnest($1::uuid[], $2::uuid[], $3::bytea[])
                   with ordinality as e (event_id, agent_id, payload, n) order by n`,
          values: [
            events.map(({ eventId }) => eventId),
            events.map(({ agentId }) => agentId),
            events.map(({ payload }) => payload),
          ],
        });
      }
      if (facts.length > 0) outboxWritten(tx);
    },
  };
}
