export { type AuditFact, createOutbox, type Outbox } from './outbox/outbox.js';
export type { EventConsumer, EventPublisher, EventRecord } from './ports.js';
export { EVENT_LOG_MIGRATIONS, grantConsume, grantPublish } from './postgres/event-log-schema.js';
export { createPostgresConsumer, createPostgresPublisher } from './postgres/postgres-log.js';
export { startRelay } from './relay/relay.js';
