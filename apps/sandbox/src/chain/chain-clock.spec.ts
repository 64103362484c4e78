import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ChainClock } from './chain-clock.js';

const ORIGIN = { slot: 1_000, height: 900, timeMs: 1_000_000 };

function clockAt(slotMs: number): { clock: ChainClock; wall: { ms: number } } {
  const wall = { ms: ORIGIN.timeMs };
  return { clock: new ChainClock(ORIGIN, slotMs, () => wall.ms), wall };
}

describe('ChainClock', () => {
  it('makes a slot and a block each time its slot time has passed', () => {
    const { clock, wall } = clockAt(400);
    wall.ms += 399;
    expect(clock.position()).toEqual(ORIGIN);
    wall.ms += 1;
    expect(clock.position()).toEqual({ slot: 1_001, height: 901, timeMs: ORIGIN.timeMs + 400 });
  });

  it('never goes back when the machine’s clock does', () => {
    const { clock, wall } = clockAt(400);
    wall.ms += 4_000;
    const before = clock.position();
    wall.ms -= 60_000;
    expect(clock.position()).toEqual(before);
  });

  it('does not start before past events, regardless of the machine’s clock after a restart', () => {
    const { clock } = clockAt(400);
    clock.witness(ORIGIN.timeMs + 4_000);
    expect(clock.position().slot).toBe(1_010);
  });

  it('dates every slot back to its own time, and slots before the start at the real slot time', () => {
    const { clock, wall } = clockAt(50);
    wall.ms += 10_000;
    expect(clock.slotTimeMs(1_010)).toBe(ORIGIN.timeMs + 500);
    expect(clock.slotTimeMs(1_000)).toBe(ORIGIN.timeMs);
    expect(clock.slotTimeMs(990)).toBe(ORIGIN.timeMs - 4_000);
    expect(clock.slotAt(ORIGIN.timeMs - 4_000)).toBe(990);
    expect(clock.slotAt(ORIGIN.timeMs - 3_999)).toBe(990);
  });

  it('gives each landing a slot of its own but no block, so that blockhashes live on under load', () => {
    const { clock, wall } = clockAt(0);
    for (let i = 1; i <= 1_000; i++) {
      if (i % 10 === 0) wall.ms += 1;
      expect(clock.addSlot(clock.nowMs()).slot).toBe(1_000 + i);
    }
    expect(clock.position()).toEqual({ slot: 2_000, height: 900, timeMs: ORIGIN.timeMs + 100 });
    wall.ms = ORIGIN.timeMs + 400;
    expect(clock.position()).toMatchObject({ slot: 2_001, height: 901 });
    expect(clock.slotTimeMs(1_500)).toBe(ORIGIN.timeMs + 50);
  });

  it('advances with the blocks the real network makes in that time', () => {
    const { clock, wall } = clockAt(20);
    wall.ms += 100;
    const before = clock.position();
    clock.advance(clock.nowMs(), 60_000);
    expect(clock.position()).toMatchObject({ slot: before.slot + 150, height: before.height + 150 });
    expect(clock.slotTimeMs(before.slot + 75)).toBe(ORIGIN.timeMs + 100 + 30_000);
    wall.ms += 20;
    expect(clock.position()).toMatchObject({ slot: before.slot + 151, timeMs: ORIGIN.timeMs + 60_120 });
  });

  it('skips blocks without time passing', () => {
    const { clock } = clockAt(400);
    clock.skipBlocks(clock.nowMs(), 300);
    expect(clock.position()).toEqual({ slot: 1_300, height: 1_200, timeMs: ORIGIN.timeMs });
    expect(clock.slotTimeMs(1_200)).toBe(ORIGIN.timeMs);
  });

  it('stays consistent through any sequence of steps', () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('pass' as const), by: fc.integer({ min: 0, max: 2_000 }) }),
      fc.record({ kind: fc.constant('land' as const), by: fc.constant(0) }),
      fc.record({ kind: fc.constant('advance' as const), by: fc.integer({ min: 1, max: 100_000 }) }),
      fc.record({ kind: fc.constant('skip' as const), by: fc.integer({ min: 1, max: 300 }) }),
      fc.record({ kind: fc.constant('slotTime' as const), by: fc.constantFrom(0, 20, 400) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const { clock, wall } = clockAt(0);
        const seen: Array<{ slot: number; height: number; timeMs: number }> = [];
        for (const { kind, by } of steps) {
          const now = clock.nowMs();
          if (kind === 'pass') wall.ms += by;
          else if (kind === 'land') seen.push(clock.addSlot(now));
          else if (kind === 'advance') clock.advance(now, by);
          else if (kind === 'skip') clock.skipBlocks(now, by);
          else clock.setSlotMs(now, by);
          const here = clock.position();
          expect(here.slot).toBeGreaterThanOrEqual(seen.at(-1)?.slot ?? 0);
          expect(here.height).toBeGreaterThanOrEqual(seen.at(-1)?.height ?? 0);
          expect(clock.heightAt(here.slot)).toBe(here.height);
          expect(clock.slotTimeMs(here.slot)).toBeLessThanOrEqual(clock.nowMs());
        }
        for (const { slot, height, timeMs } of seen) {
          expect(clock.slotTimeMs(slot)).toBe(timeMs);
          expect(clock.heightAt(slot)).toBe(height);
        }
      }),
    );
  });
});
