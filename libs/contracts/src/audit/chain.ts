import { hash } from 'node:crypto';

/** Bytes of a SHA-256 hash. */
export const HASH_BYTES = 32;

/** What stands in the place of a hash before the first: 32 zero bytes. */
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

/** SHA-256 of label ‖ previous hash ‖ sequence (u64, big-endian) ‖ agent id (16) ‖ event id (16) ‖ payload. */
export function eventHash({ eventId, agentId, sequence, payload, previousHash }: ChainedEvent): Buffer {
  const headBytes = EVENT_LABEL.length + HASH_BYTES + U64_BYTES + 2 * UUID_BYTES;
  const bytes = Buffer.allocUnsafe(headBytes + payload.length);
  let at = put(bytes, EVENT_LABEL, 0);
  at = put(bytes, hashBytes(previousHash), at);
  at = bytes.writeBigUInt64BE(BigInt(sequence), at);
  at = put(bytes, uuidBytes(agentId), at);
  at = put(bytes, uuidBytes(eventId), at);
  put(bytes, payload, at);
  return hash('sha256', bytes, 'buffer');
}

/** SHA-256 of label ‖ previous hash ‖ first position (u64) ‖ count (u32, both big-endian) ‖ the events' hashes. */
export function batchHash({ firstPosition, eventHashes, previousHash }: ChainedBatch): Buffer {
  const head = Buffer.allocUnsafe(U64_BYTES + U32_BYTES);
  head.writeBigUInt64BE(BigInt(firstPosition), 0);
  head.writeUInt32BE(eventHashes.length, U64_BYTES);
  const bytes = Buffer.concat([BATCH_LABEL, hashBytes(previousHash), head, ...eventHashes.map(hashBytes)]);
  return hash('sha256', bytes, 'buffer');
}

function put(target: Buffer, source: Uint8Array, at: number): number {
  target.set(source, at);
  return at + source.length;
}

function hashBytes(given: Uint8Array): Uint8Array {
  if (given.length !== HASH_BYTES) throw new TypeError(`a hash has ${HASH_BYTES} bytes`);
  return given;
}

function uuidBytes(id: string): Buffer {
  const bytes = Buffer.from(id.replaceAll('-', ''), 'hex');
  if (bytes.length !== UUID_BYTES) throw new TypeError('an id is a UUID');
  return bytes;
}
