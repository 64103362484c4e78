/** The real network's slot time; also how slots before the chain's start are dated. */
const REAL_SLOT_MS = 400;

/** Blocks after which a blockhash is worth nothing. */
export const BLOCKHASH_LIFE = 150;

/** Where the chain stands. `timeMs` is when the slot began, in unix milliseconds of the chain's clock. */
export interface Position {
  readonly slot: number;
  readonly height: number;
  readonly timeMs: number;
}

/** From `fromMs` on, a block every `msPerBlock`, counted from `phaseMs`, starting with `slot` and `height`. */
interface Segment {
  readonly fromMs: number;
  readonly phaseMs: number;
  readonly slot: number;
  readonly height: number;
  readonly msPerBlock: number;
}

/**
 * Slots, block heights and block times as one function of the clock. Nothing has to be written down while time goes
 * by, and after a restart the chain stands where it would stand had it run on. What does bend the function — a
 * landing in a slot of its own, an admin's jump, another slot time — adds a segment, and is in the journal.
 *
 * Without a slot time of its own (slotMs 0) blocks still come every 400 ms, so that blockhashes live for a minute however
 * many transactions land; each landing gets a slot of its own between the blocks, which counts as no block.
 */
export class ChainClock {
  private readonly segments: Segment[];
  private warpMs = 0;
  private lastMs: number;

  constructor(
    origin: Position,
    private slotMs: number,
    private readonly wallMs: () => number,
  ) {
    this.segments = [{ ...origin, fromMs: origin.timeMs, phaseMs: origin.timeMs, msPerBlock: slotMs || REAL_SLOT_MS }];
    this.lastMs = origin.timeMs;
  }

  /** The chain's clock: the machine's, plus what an admin advanced, never backwards. */
  nowMs(): number {
    this.lastMs = Math.max(this.lastMs, this.wallMs() + this.warpMs);
    return this.lastMs;
  }

  /** Where the chain stands now, or stood at a time. */
  position(timeMs = this.nowMs()): Position {
    const segment = this.segments[this.lastWhere((s) => s.fromMs <= timeMs)]!;
    const blocks = Math.max(0, Math.floor((timeMs - segment.phaseMs) / segment.msPerBlock));
    const beganMs = blocks === 0 ? segment.fromMs : segment.phaseMs + blocks * segment.msPerBlock;
    return { slot: segment.slot + blocks, height: segment.height + blocks, timeMs: beganMs };
  }

  /** When a slot began. Slots before the chain's start are dated backwards at the real slot time. */
  slotTimeMs(slot: number): number {
    const first = this.segments[0]!;
    if (slot <= first.slot) return first.fromMs - (first.slot - slot) * REAL_SLOT_MS;
    const index = this.lastWhere((s) => s.slot < slot);
    const segment = this.segments[index]!;
    const reachedMs = segment.phaseMs + (slot - segment.slot) * segment.msPerBlock;
    return Math.min(reachedMs, this.segments[index + 1]?.fromMs ?? Infinity);
  }

  /** The block height at a slot. */
  heightAt(slot: number): number {
    const first = this.segments[0]!;
    if (slot < first.slot) return Math.max(0, first.height - (first.slot - slot));
    const index = this.lastWhere((s) => s.slot <= slot);
    const segment = this.segments[index]!;
    return Math.min(segment.height + slot - segment.slot, this.segments[index + 1]?.height ?? Infinity);
  }

  /** The latest slot that had begun at a time, before the chain's start too. */
  slotAt(timeMs: number): number {
    const first = this.segments[0]!;
    if (timeMs < first.fromMs) return first.slot - Math.ceil((first.fromMs - timeMs) / REAL_SLOT_MS);
    return this.position(timeMs).slot;
  }

  /** When the next block begins. */
  nextBlockMs(): number {
    const now = this.nowMs();
    const { phaseMs, msPerBlock } = this.segments.at(-1)!;
    return phaseMs + (Math.floor((now - phaseMs) / msPerBlock) + 1) * msPerBlock;
  }

  /** Whether slots follow transactions, not only time. */
  get isInstant(): boolean {
    return this.slotMs === 0;
  }

  /** Something happened at this time: the clock never goes back behind it. */
  witness(timeMs: number): void {
    this.lastMs = Math.max(this.lastMs, timeMs);
  }

  /** Gives a landing its own slot at this time. */
  addSlot(timeMs: number): Position {
    return this.bend(timeMs, { slots: 1, blocks: 0 });
  }

  /** Lets blocks pass without time: every blockhash of before is too old then. */
  skipBlocks(timeMs: number, blocks: number): Position {
    return this.bend(timeMs, { slots: blocks, blocks });
  }

  /** Moves the clock on, with as many blocks as the real network would have made. */
  advance(timeMs: number, byMs: number): Position {
    const here = this.position(timeMs);
    this.push({ ...here, fromMs: timeMs, phaseMs: timeMs, msPerBlock: REAL_SLOT_MS });
    const there = timeMs + byMs;
    const blocks = Math.floor(byMs / REAL_SLOT_MS);
    this.warpMs += byMs;
    this.push({
      fromMs: there,
      phaseMs: there,
      slot: here.slot + blocks,
      height: here.height + blocks,
      msPerBlock: this.slotMs || REAL_SLOT_MS,
    });
    return this.position(there);
  }

  /** From this time on, another slot time. */
  setSlotMs(timeMs: number, slotMs: number): void {
    const here = this.position(timeMs);
    this.slotMs = slotMs;
    this.push({ ...here, fromMs: timeMs, phaseMs: timeMs, msPerBlock: slotMs || REAL_SLOT_MS });
  }

  get currentSlotMs(): number {
    return this.slotMs;
  }

  private bend(timeMs: number, by: { slots: number; blocks: number }): Position {
    const here = this.position(timeMs);
    const { phaseMs, msPerBlock } = this.segments[this.lastWhere((s) => s.fromMs <= timeMs)]!;
    const phase = phaseMs + Math.max(0, Math.floor((timeMs - phaseMs) / msPerBlock)) * msPerBlock;
    const there = { slot: here.slot + by.slots, height: here.height + by.blocks };
    this.push({ ...there, fromMs: timeMs, phaseMs: phase, msPerBlock });
    return { ...there, timeMs };
  }

  private push(segment: Segment): void {
    this.segments.push(segment);
    this.witness(segment.fromMs);
  }

  /** The last segment with a property that holds for a beginning of the list (the first one counts always). */
  private lastWhere(holds: (segment: Segment) => boolean): number {
    let low = 0;
    let high = this.segments.length - 1;
    if (holds(this.segments[high]!)) return high;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (holds(this.segments[middle]!)) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
