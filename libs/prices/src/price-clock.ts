import type { Clock } from '@agent-wallet/kernel';
import { KnownBlocks, CHECKPOINT_SLOTS, type TimedBlock } from './known-blocks.js';

/** Source of block times, from which a price's age is computed; `SolanaChain` is one. */
export interface BlockTimes {
  /** Returns the newest block, or one that was read within `maxAgeMs`, and the time of the read. */
  time(freshness: { readonly maxAgeMs: number }): Promise<TimedBlock & { readonly readAtMs: number }>;
  /**
   * Returns the time of a slot's block in Unix milliseconds (whole seconds); null without a block, or when it is
   * unknown.
   */
  blockTimeMs(slot: number): Promise<number | null>;
}

/** Measures how old prices are. */
export interface PriceClock {
  /**
   * Milliseconds since each of the blocks that prices stem from; without those where that is unknown. An age above
   * `maxAgeMs` may be returned as a smaller one that is above it, too.
   * @throws AppError of the chain
   */
  agesMs(blockIds: readonly number[], maxAgeMs: number): Promise<ReadonlyMap<number, number>>;
  /** Returns the chain's time in Unix milliseconds, right to about a second. @throws AppError of the chain */
  nowMs(): Promise<number>;
  /** Takes note of a block that was read for something else, which may save a call. */
  saw(block: TimedBlock): void;
}

/** Time by which the chain's clock may be behind the machine's. Beyond it, prices age by the machine's clock. */
export const CHAIN_CLOCK_TOLERANCE_MS = 5_000;

/** Options of a price clock. */
export interface ChainPriceClockOptions {
  readonly chain: BlockTimes;
  readonly clock: Clock;
  /** Time that the newest block is cached; default 2 000 ms. */
  readonly headMaxAgeMs?: number;
  /** By how much the chain's clock may be behind the machine's; default `CHAIN_CLOCK_TOLERANCE_MS`. */
  readonly toleranceMs?: number;
}

/** A minute of slots takes one question; what is still unknown after these many more stays unknown. */
const SPARE_QUESTIONS = 2;
const MINUTE_MS = 60_000;

/**
 * Measures the age of a price by the chain's own time, which tests of a chain may shift: the newest block's time, and
 * what has passed since it was read. Where the chain falls behind the machine's clock by more than the tolerance —
 * a node that is stuck shows the same head for ever — the machine's clock counts, so that prices become stale.
 * Block times are whole seconds, so an age is right to about a second.
 *
 * The chain is only asked for the time of a block that those known already do not give: never more often than
 * `maxAgeMs` has minutes and twice again, however many blocks there are.
 */
export function chainPriceClock(options: ChainPriceClockOptions): PriceClock {
  return new ChainPriceClock(options);
}

class ChainPriceClock implements PriceClock {
  readonly #known = new KnownBlocks();
  readonly #asked = new Map<number, Promise<number | null>>();

  constructor(private readonly options: ChainPriceClockOptions) {}

  saw({ slot, blockTimeMs }: TimedBlock): void {
    this.#known.add({ slot, blockTimeMs });
  }

  async agesMs(blockIds: readonly number[], maxAgeMs: number): Promise<ReadonlyMap<number, number>> {
    if (blockIds.length === 0) return new Map();
    const nowMs = await this.nowMs();
    const slots = [...new Set(blockIds)].sort((a, b) => b - a);
    await this.#ask(slots, {
      oldestMs: nowMs - maxAgeMs,
      questions: Math.ceil(maxAgeMs / MINUTE_MS) + SPARE_QUESTIONS,
    });
    const times = slots.map((slot) => [slot, this.#timeMs(slot, nowMs - maxAgeMs)] as const);
    // A block may be newer than the head that was read.
    return new Map(
      times.flatMap(([slot, timeMs]) => (timeMs === undefined ? [] : [[slot, Math.max(0, nowMs - timeMs)]])),
    );
  }

  async nowMs(): Promise<number> {
    const { chain, clock, headMaxAgeMs = 2_000, toleranceMs = CHAIN_CLOCK_TOLERANCE_MS } = this.options;
    const head = await chain.time({ maxAgeMs: headMaxAgeMs });
    this.saw(head);
    const nowMs = clock.nowMs();
    return Math.max(head.blockTimeMs + Math.max(0, nowMs - head.readAtMs), nowMs - toleranceMs);
  }

  /** Returns the time of a block, or of a newer one that is already too old. */
  #timeMs(slot: number, oldestMs: number): number | undefined {
    const known = this.#known.timeMs(slot);
    if (known !== undefined) return known;
    const newer = this.#known.from(slot);
    return newer && newer.blockTimeMs < oldestMs ? newer.blockTimeMs : undefined;
  }

  /** Asks the chain, one block after the other, until the times of all slots are known; newest first. */
  async #ask(slots: readonly number[], limits: { oldestMs: number; questions: number }): Promise<void> {
    const nowhere = new Set<number>();
    for (let left = limits.questions; left > 0; left -= 1) {
      const untold = slots.filter((slot) => !nowhere.has(slot) && this.#timeMs(slot, limits.oldestMs) === undefined);
      const [newest] = untold;
      if (newest === undefined) return;
      // The oldest one whose answer gives all that lie between it and what is known.
      const above = this.#known.from(newest)?.slot ?? Infinity;
      const slot = untold.findLast((older) => above - older <= CHECKPOINT_SLOTS) ?? newest;
      const blockTimeMs = await this.#blockTimeMs(slot);
      if (blockTimeMs === null) nowhere.add(slot);
      else this.saw({ slot, blockTimeMs });
    }
  }

  /** Callers that ask for the same block meanwhile share the answer. */
  #blockTimeMs(slot: number): Promise<number | null> {
    const underWay = this.#asked.get(slot);
    if (underWay) return underWay;
    const asked = this.options.chain.blockTimeMs(slot).finally(() => this.#asked.delete(slot));
    this.#asked.set(slot, asked);
    return asked;
  }
}
