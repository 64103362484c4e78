import { hash } from 'node:crypto';

/** Bytes of a SHA-256 hash. */
export const HASH_BYTES = 32;

/** Previous hash of the first element: 32 zero bytes. */
export const NO_HASH: Buffer = Buffer.alloc(HASH_BYTES);

/** An event in the chain of its agent. */
export interface ChainedEvent {
  /** UUID. */
  readonly eventId: string;
  /** UUID. */
  readonly agentId: string;
  /** Its number among the agent's events; the first is 1. */
  readonly sequence: number;
  /** Serialized agentwallet.audit.v1.AuditEvent. */
  readonly payload: Uint8Array;
  /** Hash of the agent's event before; {@link NO_HASH} before the first. */
  readonly previousHash: Uint8Array;
}

/** Events that were written together, in the chain of the whole log. */
export interface ChainedBatch {
  /** Place of its first event in the log; that of the very first is 1. */
  readonly firstPosition: number;
  readonly eventHashes: readonly Uint8Array[];
  /** Hash of the batch before; {@link NO_HASH} before the first. */
  readonly previousHash: Uint8Array;
}

const EVENT_LABEL = Buffer.from('agentwallet/event/v1\n');
const BATCH_LABEL = Buffer.from('agentwallet/log/v1\n');
const UUID_BYTES = 16;
const U64_BYTES = 8;
const U32_BYTES = 4;
const EVENT_HEAD_BYTES = EVENT_LABEL.length + HASH_BYTES + U64_BYTES + 2 * UUID_BYTES;
const FEW_BYTES = 4_096;

/** Shared buffer for the hashed bytes of an event: allocating memory for each event would cost more than its hash. */
let bytes = labelled(FEW_BYTES);

function labelled(size: number): Buffer {
  const buffer = Buffer.allocUnsafe(size);
  buffer.set(EVENT_LABEL);
  return buffer;
}

/** Computes SHA-256 of label ‖ previous hash ‖ sequence (u64, big-endian) ‖ agent id (16) ‖ event id (16) ‖ payload. */
export function eventHash({ eventId, agentId, sequence, payload, previousHash }: ChainedEvent): Buffer {
  const size = EVENT_HEAD_BYTES + payload.length;
  if (bytes.length < size) bytes = labelled(2 * size);
  let at = EVENT_LABEL.length;
  bytes.set(hashBytes(previousHash), at);
  at = bytes.writeBigUInt64BE(BigInt(sequence), at + HASH_BYTES);
  at = putUuid(agentId, at);
  at = putUuid(eventId, at);
  bytes.set(payload, at);
  return sha256(bytes.subarray(0, size));
}

/**
 * Computes SHA-256 by way of text: a buffer that the hash creates has memory of its own, which costs twice the hash.
 */
function sha256(given: Uint8Array): Buffer {
  return Buffer.from(hash('sha256', given, 'binary'), 'binary');
}

/**
 * Computes SHA-256 of label ‖ previous hash ‖ first position (u64) ‖ count (u32, both big-endian) ‖ the events' hashes.
 */
export function batchHash({ firstPosition, eventHashes, previousHash }: ChainedBatch): Buffer {
  const head = Buffer.allocUnsafe(U64_BYTES + U32_BYTES);
  head.writeBigUInt64BE(BigInt(firstPosition), 0);
  head.writeUInt32BE(eventHashes.length, U64_BYTES);
  return sha256(Buffer.concat([BATCH_LABEL, hashBytes(previousHash), head, ...eventHashes.map(hashBytes)]));
}

function hashBytes(given: Uint8Array): Uint8Array {
  if (given.length !== HASH_BYTES) throw new TypeError(`a hash has ${HASH_BYTES} bytes`);
  return given;
}

function putUuid(id: string, at: number): number {
  const digits = id.replaceAll('-', '');
  const isUuid = digits.length === 2 * UUID_BYTES && bytes.write(digits, at, 'hex') === UUID_BYTES;
  if (!isUuid) throw new TypeError('an id is a UUID');
  return at + UUID_BYTES;
}
