import type { Clock } from '@agent-wallet/kernel';

/** What of a chain tells the age of a price; `SolanaChain` is one. */
export interface BlockTimes {
  /** The newest block. */
  head(): Promise<{ readonly slot: number; readonly blockTimeMs: number }>;
  /** Unix milliseconds of a slot's block (whole seconds); null when it has none or is not known. */
  blockTimeMs(slot: number): Promise<number | null>;
}

/** Tells how old a price is. */
export interface PriceClock {
  /**
   * Milliseconds since the block that a price stems from; null when that cannot be told.
   * @throws AppError of the chain
   */
  ageMs(blockId: number | null): Promise<number | null>;
}

/** How a price clock is made. */
export interface ChainPriceClockOptions {
  readonly chain: BlockTimes;
  readonly clock: Clock;
  /** How long the head is kept; default 2 000 ms. */
  readonly headMaxAgeMs?: number;
  /** By how much the chain's clock may be behind the machine's; default 5 000 ms. */
  readonly toleranceMs?: number;
}

const MAX_KEPT_SLOTS = 1_000;

/** The newest block, and when it was read. */
interface KeptHead {
  readonly readAtMs: number;
  readonly blockTimeMs: Promise<number>;
}

/**
 * Tells the age of a price by the chain's own time, which tests of a chain may shift: the newest block's time, and
 * what has passed since it was read. Where the chain falls behind the machine's clock by more than the tolerance —
 * a node that is stuck shows the same head for ever — the machine's clock counts, so that prices become stale.
 * Block times are whole seconds, so an age is right to about a second.
 */
export function chainPriceClock(options: ChainPriceClockOptions): PriceClock {
  const { chain, clock, headMaxAgeMs = 2_000, toleranceMs = 5_000 } = options;
  const slots = new Map<number, Promise<number | null>>();
  const times = new Map<number, number>();
  let kept: KeptHead | undefined;

  const chainNowMs = async (): Promise<number> => {
    const nowMs = clock.nowMs();
    if (!kept || Math.abs(nowMs - kept.readAtMs) > headMaxAgeMs) {
      const head: KeptHead = { readAtMs: nowMs, blockTimeMs: chain.head().then((block) => block.blockTimeMs) };
      kept = head;
      head.blockTimeMs.catch(() => {
        if (kept === head) kept = undefined;
      });
    }
    const { readAtMs, blockTimeMs } = kept;
    const headTimeMs = await blockTimeMs;
    return Math.max(headTimeMs + Math.max(0, clock.nowMs() - readAtMs), clock.nowMs() - toleranceMs);
  };

  const slotTimeMs = async (slot: number): Promise<number | null> => {
    const known = slots.get(slot);
    if (known !== undefined) return known;
    const told = timeBetween(slot, times);
    if (told !== undefined) return told;
    const asked = chain.blockTimeMs(slot);
    slots.set(slot, asked);
    // Only a time that is known stays true for ever.
    const forget = (): boolean => slots.delete(slot);
    asked.then((timeMs) => (timeMs === null ? forget() : times.set(slot, timeMs)), forget);
    for (const kept of [slots, times]) {
      const oldest = kept.keys().next();
      if (kept.size > MAX_KEPT_SLOTS && !oldest.done) kept.delete(oldest.value);
    }
    return asked;
  };

  return {
    ageMs: async (blockId) => {
      if (blockId === null) return null;
      const [timeMs, nowMs] = await Promise.all([slotTimeMs(blockId), chainNowMs()]);
      // A block may be newer than the head that was read.
      return timeMs === null ? null : Math.max(0, nowMs - timeMs);
    },
  };
}

/** About a minute of slots: within it, the time of one is told to the second by those around it. */
const TELLING_SLOTS = 150;

/** The time of a slot between two that are known and close together; undefined where there are none. */
function timeBetween(slot: number, times: ReadonlyMap<number, number>): number | undefined {
  const before = Math.max(...[...times.keys()].filter((known) => known < slot));
  const after = Math.min(...[...times.keys()].filter((known) => known > slot));
  if (after - before > TELLING_SLOTS) return undefined;
  const [from, to] = [times.get(before)!, times.get(after)!];
  return from + Math.floor(((to - from) * (slot - before)) / (after - before));
}
