import { auditV1 } from '@agent-wallet/contracts';
import { type Clock, newId } from '@agent-wallet/kernel';
import { currentRequest, type Queryable, type ServiceName } from '@agent-wallet/platform';

/** A fact of the audit log, as the generated oneof. */
export type AuditFact = NonNullable<auditV1.AuditEvent['fact']>;

/** Writes facts to a service's outbox, in the transaction that makes them true. */
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
      const event = {
        eventId: newId(),
        agentId,
        occurredAtMs: BigInt(clock.nowMs()),
        source,
        requestId: currentRequest()?.requestId ?? '',
        fact,
      };
      const payload = auditV1.AuditEvent.encode(event).finish();
      await tx.query({
        name: 'outbox-write',
        text: 'insert into outbox (event_id, agent_id, payload) values ($1, $2, $3)',
        values: [event.eventId, agentId, payload],
      });
    },
  };
}
