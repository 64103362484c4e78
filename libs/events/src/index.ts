export {
  APPROVABLE_ACTIONS,
  type ApprovableActionName,
  type EventType,
  FACT_TYPES,
  HISTORY_ACTIONS,
  type HistoryActionName,
  OPERATION_ACTIONS,
  type OperationActionName,
  OPERATION_TYPES,
  POLICY_UPDATE,
  UNKNOWN_TYPE,
} from './catalogue/catalogue.js';
export { type CloudEvent, envelopeOf, eventIn } from './envelope/envelope.js';
export { type AuditFact, auditEvent, type EventSource } from './outbox/audit-event.js';
export { ensureTopics, missingTopics, type TopicPlan, type TopicsReport, withReplication } from './kafka/topics.js';
export { openEventConsumer, openEventPublisher, type OpenEventPublisher } from './open-event-stream.js';
export { handleMeasured } from './measure/measured-batches.js';
export { type AgentFact, createOutbox, type Outbox } from './outbox/outbox.js';
export { outboxWritten } from './outbox/written.js';
export type { EventConsumer, EventPublisher, EventRecord, HandleEvents, KeepPlace } from './ports.js';
export {
  EVENT_LOG_MIGRATIONS,
  grantConsume,
  grantPublish,
  grantRead,
  OUTBOX_DIRECTORY,
} from './postgres/event-log-schema.js';
export { createPostgresConsumer, type PostgresConsumerOptions } from './postgres/postgres-consumer.js';
export { createPostgresPublisher } from './postgres/postgres-publisher.js';
export { type RelayOverrides, startRelay } from './relay/relay.js';
export {
  EVENT_STREAM_VARIABLES,
  type EventStreamSettings,
  eventStreamSettings,
  type KafkaLogin,
  type KafkaSettings,
  type KafkaTls,
  type PostgresStreamSettings,
} from './settings.js';
