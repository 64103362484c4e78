import { HASH_BYTES } from './chain.js';

/** Scope of a checkpoint: the chain of one agent, or the log as a whole. */
export type CheckpointScope = `agent:${string}` | 'log';

/** The state of a chain at a moment. */
export interface CheckpointClaim {
  readonly scope: CheckpointScope;
  /** Events in it: of the agent, or of the log. */
  readonly size: number;
  /** Hash of the agent's last event, or of the log's last batch. */
  readonly rootHash: Uint8Array;
  /** Unix milliseconds, by the signer's clock. */
  readonly signedAtMs: number;
}

/** A checkpoint as the signer signed it. */
export interface Checkpoint extends CheckpointClaim {
  /** Ed25519, 64 bytes, over {@link checkpointBytes}. */
  readonly signature: Uint8Array;
  /** Base58 of the public key. */
  readonly keyId: string;
}

/**
 * No Solana message begins with this byte: with the high bit set the rest is a version, and the runtime knows no 127.
 */
const NO_MESSAGE = Buffer.from([0xff]);
const LABEL = Buffer.from('agentwallet/checkpoint/v1\n');
const SCOPE = /^(?:log|agent:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** Reports whether a text is a scope, in its one spelling. */
export function isCheckpointScope(text: string): text is CheckpointScope {
  return SCOPE.test(text);
}

/**
 * Returns the bytes that are signed: 0xff ‖ label ‖ scope's length (u8) ‖ scope ‖ size (u64) ‖ root hash ‖ signed at
 * (u64).
 */
export function checkpointBytes({ scope, size, rootHash, signedAtMs }: CheckpointClaim): Buffer {
  if (!isCheckpointScope(scope)) throw new TypeError('a checkpoint is of an agent or of the log');
  if (!Number.isSafeInteger(size) || size < 1) throw new TypeError('a checkpoint has a size');
  if (rootHash.length !== HASH_BYTES) throw new TypeError(`a hash has ${HASH_BYTES} bytes`);
  return Buffer.concat([
    NO_MESSAGE,
    LABEL,
    Buffer.from([scope.length]),
    Buffer.from(scope),
    u64(size),
    rootHash,
    u64(signedAtMs),
  ]);
}

function u64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
}
