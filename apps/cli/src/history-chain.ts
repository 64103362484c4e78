import type { components } from '@agent-wallet/sdk';
import { createHash, createPublicKey, verify } from 'node:crypto';

type Proof = components['schemas']['HistoryProof'];
type Checkpoint = NonNullable<Proof['checkpoint']>;

const EVENT_LABEL = Buffer.from('agentwallet/event/v1\n');
const CHECKPOINT_LABEL = Buffer.from('agentwallet/checkpoint/v1\n');
const NO_HASH = '0'.repeat(64);
/** DER of an Ed25519 public key up to its 32 bytes. */
const KEY_HEAD = Buffer.from('302a300506032b6570032100', 'hex');
const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** The chain of an agent's events, checked page by page from its first event. */
export class HistoryChain {
  readonly problems: string[] = [];
  readonly #hashes: string[] = [];

  /** Events that were read. */
  get length(): number {
    return this.#hashes.length;
  }

  /** Checks the next page. */
  add({ agentId, events, chain }: Proof): void {
    if (events.length !== chain.length) this.problems.push('A page has not one link for each event.');
    for (const [n, event] of events.entries()) {
      const link = chain[n];
      const sequence = this.length + 1;
      const previous = this.#hashes.at(-1) ?? NO_HASH;
      const hash = hashOf({ agentId, eventId: event.eventId, payload: event.payload, sequence, previous });
      const holds =
        event.sequence === sequence &&
        link?.eventId === event.eventId &&
        link.previousHash === previous &&
        link.hash === hash;
      if (!holds) this.problems.push(`Event ${sequence} (${event.eventId}) does not follow from what came before.`);
      this.#hashes.push(hash);
    }
  }

  /** Checks a checkpoint: its root is the hash of its last event, and the key that it names has signed it. */
  check(agentId: string, checkpoint: Checkpoint): void {
    const { size, rootHash } = checkpoint;
    const root = size === 0 ? NO_HASH : this.#hashes[size - 1];
    if (root !== rootHash) this.problems.push(`The checkpoint of ${size} events has another hash.`);
    if (!isSigned(agentId, checkpoint)) this.problems.push('The signature of the checkpoint is wrong.');
  }
}

interface Linked {
  readonly agentId: string;
  readonly eventId: string;
  /** Base64. */
  readonly payload: string;
  readonly sequence: number;
  readonly previous: string;
}

function hashOf({ agentId, eventId, payload, sequence, previous }: Linked): string {
  return createHash('sha256')
    .update(EVENT_LABEL)
    .update(Buffer.from(previous, 'hex'))
    .update(u64(sequence))
    .update(uuid(agentId))
    .update(uuid(eventId))
    .update(Buffer.from(payload, 'base64'))
    .digest('hex');
}

function isSigned(agentId: string, { size, rootHash, signature, keyId, signedAt }: Checkpoint): boolean {
  const scope = Buffer.from(`agent:${agentId}`);
  const statement = Buffer.concat([
    Buffer.of(0xff),
    CHECKPOINT_LABEL,
    Buffer.of(scope.length),
    scope,
    u64(size),
    Buffer.from(rootHash, 'hex'),
    u64(Date.parse(signedAt)),
  ]);
  try {
    const key = createPublicKey({
      key: Buffer.concat([KEY_HEAD, keyBytes(keyId)]),
      format: 'der',
      type: 'spki',
    });
    return verify(null, statement, key, Buffer.from(signature, 'base64'));
  } catch {
    return false;
  }
}

/** Reads 32 bytes in base58. */
function keyBytes(base58: string): Buffer {
  let value = 0n;
  for (const digit of base58) value = value * 58n + BigInt(BASE58.indexOf(digit));
  return Buffer.from(value.toString(16).padStart(64, '0'), 'hex');
}

function u64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
}

function uuid(text: string): Buffer {
  return Buffer.from(text.replaceAll('-', ''), 'hex');
}
