import { type Bytes, concat, keyFromBase58, u64, utf8 } from '../bytes.js';
import { isSignedByEd25519 } from '../signature.js';
import { HASH_BYTES } from './hashes.js';

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
  /** Ed25519, 64 bytes, over the bytes that docs/audit.md lists. */
  readonly signature: Uint8Array;
  /** Base58 of the public key. */
  readonly keyId: string;
}

const NO_MESSAGE = Uint8Array.of(0xff);
const LABEL = utf8('agentwallet/checkpoint/v1\n');
const SCOPE = /^(?:log|agent:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/**
 * Returns the bytes that are signed: 0xff ‖ label ‖ scope's length (u8) ‖ scope ‖ size (u64) ‖ root hash ‖ signed at
 * (u64). Returns undefined for what no signer signs.
 */
function signedBytes({ scope, size, rootHash, signedAtMs }: CheckpointClaim): Bytes | undefined {
  const isPossible = Number.isSafeInteger(size) && size >= 1 && Number.isSafeInteger(signedAtMs) && signedAtMs >= 0;
  if (!isPossible || !SCOPE.test(scope) || rootHash.length !== HASH_BYTES) return undefined;
  const name = utf8(scope);
  return concat(NO_MESSAGE, LABEL, Uint8Array.of(name.length), name, u64(size), rootHash, u64(signedAtMs));
}

/**
 * Reports whether the signature is that of the key that the checkpoint names; undefined where the browser has no Ed25519.
 * The caller must know the owner of that key.
 */
export async function isGenuine(checkpoint: Checkpoint): Promise<boolean | undefined> {
  const [key, signed] = [keyFromBase58(checkpoint.keyId), signedBytes(checkpoint)];
  return key && signed ? isSignedByEd25519(key, checkpoint.signature, signed) : false;
}
