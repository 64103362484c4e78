import { isSame } from '../bytes.js';
import { batchHash, NO_HASH } from './hashes.js';
import type { Finding, StoredBatch } from './records.js';

const MAX_SEARCHED = 1_000;

/** A batch that does not hash to its own hash, with what it was made of. */
interface Broken {
  readonly batch: StoredBatch;
  readonly firstPosition: number;
  readonly eventHashes: readonly Uint8Array[];
  readonly previousHash: Uint8Array;
}

/** The chain over the batches of the log, which holds every event in its place. */
export class BatchChain {
  readonly #batches: readonly StoredBatch[];
  readonly #broken: Broken[] = [];
  #next = 0;
  #position = 0;
  #hashes: Uint8Array[] = [];

  constructor(batches: readonly StoredBatch[]) {
    this.#batches = [...batches].sort((a, b) => a.lastPosition - b.lastPosition);
  }

  /** Last position of the log according to its batches. */
  get end(): number {
    return this.#batches.at(-1)?.lastPosition ?? 0;
  }

  /** Takes the hash of the event at the next position. */
  add(hash: Uint8Array): void {
    const batch = this.#batches[this.#next];
    this.#position += 1;
    if (!batch) return;
    this.#hashes.push(hash);
    if (this.#position < batch.lastPosition) return;
    const firstPosition = this.#position - this.#hashes.length + 1;
    const whole = {
      batch,
      firstPosition,
      eventHashes: this.#hashes,
      previousHash: this.#batches[this.#next - 1]?.hash ?? NO_HASH,
    };
    if (!fits(whole, this.#hashes)) this.#broken.push(whole);
    this.#hashes = [];
    this.#next += 1;
  }

  /** Returns the problem of the batches, provided that the events themselves are correct. */
  finish(): Finding | undefined {
    const [first, second] = this.#broken;
    if (!first) return this.#ends();
    const { batch } = first;
    const batchFinding = { record: 'batch', position: batch.lastPosition } as const;
    if (second && isNextAlone(first, second))
      return { ...batchFinding, problem: 'altered', cause: { code: 'batch_hash_differs' } };
    const swapped = swapWithin(first) ?? (second && swapBetween(first, second));
    if (swapped) {
      const [position, other] = swapped;
      return {
        problem: 'reordered',
        record: 'event',
        position,
        cause: { code: 'positions_swapped', position, other },
      };
    }
    const { firstPosition } = first;
    const cause = { code: 'batch_differs', firstPosition, lastPosition: batch.lastPosition } as const;
    return { ...batchFinding, problem: 'altered', cause };
  }

  #ends(): Finding | undefined {
    const open = this.#batches[this.#next];
    if (open)
      return {
        problem: 'missing',
        record: 'event',
        position: this.#position + 1,
        cause: { code: 'batch_not_filled', lastPosition: open.lastPosition },
      };
    if (this.#position === this.end) return undefined;
    return {
      problem: 'missing',
      record: 'batch',
      position: this.end + 1,
      cause: { code: 'in_no_batch' },
    };
  }
}

function fits({ batch, firstPosition, previousHash }: Broken, eventHashes: readonly Uint8Array[]): boolean {
  const hash = batchHash({ firstPosition, eventHashes, previousHash });
  return hash !== undefined && isSame(hash, batch.hash);
}

/** Reports whether the second batch fails only because the hash of the first was altered. */
function isNextAlone(first: Broken, second: Broken): boolean {
  if (second.firstPosition !== first.batch.lastPosition + 1) return false;
  const previousHash = batchHash(first);
  return previousHash !== undefined && fits({ ...second, previousHash }, second.eventHashes);
}

function swapWithin(broken: Broken): [number, number] | undefined {
  const hashes = [...broken.eventHashes];
  if (hashes.length > MAX_SEARCHED) return undefined;
  for (let i = 0; i < hashes.length; i += 1) {
    for (let j = i + 1; j < hashes.length; j += 1) {
      [hashes[i], hashes[j]] = [hashes[j]!, hashes[i]!];
      if (fits(broken, hashes)) return [broken.firstPosition + i, broken.firstPosition + j];
      [hashes[i], hashes[j]] = [hashes[j]!, hashes[i]!];
    }
  }
  return undefined;
}

function swapBetween(first: Broken, second: Broken): [number, number] | undefined {
  const hashes = [...first.eventHashes];
  if (hashes.length > MAX_SEARCHED || second.eventHashes.length > MAX_SEARCHED) return undefined;
  for (let i = 0; i < hashes.length; i += 1) {
    for (let j = 0; j < second.eventHashes.length; j += 1) {
      const own = hashes[i]!;
      hashes[i] = second.eventHashes[j]!;
      if (fits(first, hashes)) return [first.firstPosition + i, second.firstPosition + j];
      hashes[i] = own;
    }
  }
  return undefined;
}
