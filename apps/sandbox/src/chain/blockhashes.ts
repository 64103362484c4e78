import { createHash } from 'node:crypto';
import { type Key, keyAt } from '../encoding/keys.js';
import { BLOCKHASH_LIFE } from './chain-clock.js';

/** Blockhashes follow from the chain's seed and the height, so that a restart gives out the same ones. */
export class Blockhashes {
  private readonly heights = new Map<Key, number>();
  private newest = -1;

  constructor(private readonly seed: Buffer) {}

  /** The hash of the block at a height. */
  at(height: number): Key {
    const counter = Buffer.alloc(8);
    counter.writeBigUInt64LE(BigInt(height));
    return keyAt(createHash('sha256').update(this.seed).update(counter).digest());
  }

  /** Whether a transaction with this blockhash may still land in the block at a height. */
  isValid(hash: Key, height: number): boolean {
    this.learnUpTo(height);
    const made = this.heights.get(hash);
    return made !== undefined && made <= height && height <= made + BLOCKHASH_LIFE;
  }

  private learnUpTo(height: number): void {
    if (height <= this.newest) return;
    const from = Math.max(this.newest + 1, height - BLOCKHASH_LIFE, 0);
    for (let h = from; h <= height; h++) this.heights.set(this.at(h), h);
    this.newest = height;
    for (const [hash, made] of this.heights) {
      if (made + 2 * BLOCKHASH_LIFE >= height) break;
      this.heights.delete(hash);
    }
  }
}
