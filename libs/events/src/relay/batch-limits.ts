/** Maximum number of outbox events in one batch; {@link BATCH_BYTES} limits it too. */
export const BATCH_COUNT = 500;
/** Maximum size of a batch's payloads; a larger event goes alone. */
export const BATCH_BYTES = 1_048_576;

/** The lock that makes one replica at a time the relay of a schema, so that order is kept. */
export const RELAY_LOCK = 7_214_002;
