import { eventHash, fromBase64, fromHex, isGenuine, toHex } from '@agent-wallet/audit';
import type { components } from '@agent-wallet/sdk';

type Proof = components['schemas']['HistoryProof'];
type Checkpoint = NonNullable<Proof['checkpoint']>;

const NO_HASH = '0'.repeat(64);

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
        hash !== undefined &&
        link.hash === hash;
      if (!holds) this.problems.push(`Event ${sequence} (${event.eventId}) does not follow from what came before.`);
      this.#hashes.push(hash ?? NO_HASH);
    }
  }

  /** Checks a checkpoint: its root is the hash of its last event, and the key that it names has signed it. */
  async check(agentId: string, checkpoint: Checkpoint): Promise<void> {
    const { size, rootHash } = checkpoint;
    const root = size === 0 ? NO_HASH : this.#hashes[size - 1];
    if (root !== rootHash) this.problems.push(`The checkpoint of ${size} events has another hash.`);
    if (!(await isSigned(agentId, checkpoint))) this.problems.push('The signature of the checkpoint is wrong.');
  }
}

/** Computes the hash of an event in hexadecimal; undefined for one that no history can have. */
function hashOf({ previous, payload, ...ids }: Linked): string | undefined {
  const [previousHash, bytes] = [fromHex(previous), fromBase64(payload)];
  const hash = previousHash && bytes && eventHash({ ...ids, payload: bytes, previousHash });
  return hash && toHex(hash);
}

async function isSigned(agentId: string, { signature, rootHash, signedAt, ...rest }: Checkpoint): Promise<boolean> {
  const [root, bytes] = [fromHex(rootHash), fromBase64(signature)];
  if (!root || !bytes) return false;
  const signed = {
    scope: `agent:${agentId}`,
    rootHash: root,
    signature: bytes,
    signedAtMs: Date.parse(signedAt),
  } as const;
  return (await isGenuine({ ...rest, ...signed })) === true;
}

interface Linked {
  readonly agentId: string;
  readonly eventId: string;
  /** Base64. */
  readonly payload: string;
  readonly sequence: number;
  /** Hexadecimal. */
  readonly previous: string;
}
