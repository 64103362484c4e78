/** A block and the time that the cluster gave it. */
export interface TimedBlock {
  readonly slot: number;
  /** Unix milliseconds (whole seconds). */
  readonly blockTimeMs: number;
}

/** About a minute of slots: within it, the times of its neighbours give a block's time to the second. */
export const CHECKPOINT_SLOTS = 150;

/** An hour of them at one every two seconds. */
const MAX_KEPT = 1_800;

/** Blocks whose times are known, the newest ones: a block's time never changes. */
export class KnownBlocks {
  /** By slot. */
  readonly #blocks: TimedBlock[] = [];

  add(block: TimedBlock): void {
    const at = this.#firstFrom(block.slot);
    const isKnown = this.#blocks[at]?.slot === block.slot;
    this.#blocks.splice(at, isKnown ? 1 : 0, block);
    if (this.#blocks.length > MAX_KEPT) this.#blocks.shift();
  }

  /** Returns the oldest known block that is not older than a slot. */
  from(slot: number): TimedBlock | undefined {
    return this.#blocks[this.#firstFrom(slot)];
  }

  /**
   * Returns the time of a slot in Unix milliseconds. It is the slot's own, or interpolated if its neighbours are close
   * together. A little above the newest block, it is at least that block's time. Undefined when unknown.
   */
  timeMs(slot: number): number | undefined {
    const at = this.#firstFrom(slot);
    const [before, after] = [this.#blocks[at - 1], this.#blocks[at]];
    if (after?.slot === slot) return after.blockTimeMs;
    if (!before || (after?.slot ?? slot) - before.slot > CHECKPOINT_SLOTS) return undefined;
    if (!after) return before.blockTimeMs;
    const passedMs = after.blockTimeMs - before.blockTimeMs;
    return before.blockTimeMs + Math.floor((passedMs * (slot - before.slot)) / (after.slot - before.slot));
  }

  /** Returns the index of the first block that is not older than a slot. */
  #firstFrom(slot: number): number {
    let [low, high] = [0, this.#blocks.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#blocks[middle]!.slot < slot) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
