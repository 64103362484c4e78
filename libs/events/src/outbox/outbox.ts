import type { Clock } from '@agent-wallet/kernel';
import type { Queryable, ServiceName } from '@agent-wallet/platform';
import { type AuditFact, auditEvent } from './audit-event.js';
import { outboxWritten } from './written.js';

/** Writes facts to a service's outbox, in the transaction that makes them true. The relay is woken after its commit. */
export interface Outbox {
  write(tx: Queryable, agentId: string, fact: AuditFact): Promise<void>;
}

/**
 * The outbox of one service. Its table, made by the service's migration, is
 * `outbox(id bigint generated always as identity primary key, event_id uuid unique, agent_id uuid, payload bytea)`.
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
  };
}
