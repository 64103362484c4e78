/** How much of an outbox goes to the stream at once: whichever comes first. */
export const BATCH_COUNT = 500;
/** Of payloads; a larger event goes alone. */
export const BATCH_BYTES = 1_048_576;

/** The lock that makes one replica at a time the relay of a schema, so that order is kept. */
export const RELAY_LOCK = 7_214_002;
