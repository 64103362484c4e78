import { type Bytes, concat, sha256, u64, utf8, uuidBytes } from '../bytes.js';

/** Bytes of a SHA-256 hash. */
export const HASH_BYTES = 32;

/** Previous hash of the first element: 32 zero bytes. */
export const NO_HASH: Bytes = new Uint8Array(HASH_BYTES);

/** An event in the chain of its agent. */
export interface ChainedEvent {
  /** UUID in lower case. */
  readonly eventId: string;
  /** UUID in lower case. */
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

const EVENT_LABEL = utf8('agentwallet/event/v1\n');
const BATCH_LABEL = utf8('agentwallet/log/v1\n');

/**
 * Computes SHA-256 of label ‖ previous hash ‖ sequence (u64, big-endian) ‖ agent id (16) ‖ event id (16) ‖ payload. Returns
 * undefined for ids, numbers and hashes that no event can have.
 */
export function eventHash({ eventId, agentId, sequence, payload, previousHash }: ChainedEvent): Bytes | undefined {
  const [agent, event] = [uuidBytes(agentId), uuidBytes(eventId)];
  if (!agent || !event || !isHash(previousHash) || !Number.isSafeInteger(sequence) || sequence < 1) return undefined;
  return sha256(concat(EVENT_LABEL, previousHash, u64(sequence), agent, event, payload));
}

/**
 * Computes SHA-256 of label ‖ previous hash ‖ first position (u64) ‖ count (u32, both big-endian) ‖ the events' hashes. Returns
 * undefined for hashes that no event can have.
 */
export function batchHash({ firstPosition, eventHashes, previousHash }: ChainedBatch): Bytes | undefined {
  if (![previousHash, ...eventHashes].every(isHash)) return undefined;
  const count = u64(eventHashes.length).subarray(4);
  return sha256(concat(BATCH_LABEL, previousHash, u64(firstPosition), count, ...eventHashes));
}

function isHash(bytes: Uint8Array): boolean {
  return bytes.length === HASH_BYTES;
}
