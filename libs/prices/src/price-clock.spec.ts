import { beforeEach, describe, expect, it } from '@jest/globals';
import { AppError } from '@agent-wallet/kernel';
import { chainPriceClock, type PriceClock } from './price-clock.js';
import { FakeClock } from './testing/fake-clock.js';

const HEAD = 1_000;
const MAX_AGE_MS = 60_000;

/** A chain whose time runs apart from the machine's by `aheadMs`, unless it is stuck. */
class FakeChain {
  aheadMs = 0;
  stuckAtMs: number | undefined;
  broken = false;
  readonly calls: string[] = [];

  constructor(private readonly clock: FakeClock) {}

  /** Kept as `SolanaChain` keeps it. */
  kept: { slot: number; blockTimeMs: number; readAtMs: number } | undefined;
  async time({ maxAgeMs }: { maxAgeMs: number }) {
    const nowMs = this.clock.nowMs();
    if (this.kept && nowMs - this.kept.readAtMs <= maxAgeMs) return this.kept;
    this.calls.push('head');
    if (this.broken) throw new AppError('UPSTREAM_ERROR');
    const timeMs = this.stuckAtMs ?? nowMs + this.aheadMs;
    this.kept = { slot: HEAD, blockTimeMs: Math.floor(timeMs / 1_000) * 1_000, readAtMs: nowMs };
    return this.kept;
  }

  times = new Map<number, number>();
  async blockTimeMs(slot: number) {
    this.calls.push(`time of ${slot}`);
    if (this.broken) throw new AppError('UPSTREAM_ERROR');
    return this.times.get(slot) ?? null;
  }
}

let clock: FakeClock;
let chain: FakeChain;
let priceClock: PriceClock;

/** Slots of 400 ms up to the head, which is as old as the clock. */
function makeBlocks(from: number, to = HEAD): void {
  for (let slot = from; slot <= to; slot += 1) chain.times.set(slot, clock.nowMs() - (HEAD - slot) * 400);
}

async function ageMs(slot: number): Promise<number | undefined> {
  return (await priceClock.agesMs([slot], MAX_AGE_MS)).get(slot);
}

beforeEach(() => {
  clock = new FakeClock();
  chain = new FakeChain(clock);
  chain.times.set(900, clock.nowMs() - 40_000);
  priceClock = chainPriceClock({ chain, clock });
});

describe('the age of a price', () => {
  it('is the time between its block and the newest one', async () => {
    await expect(ageMs(900)).resolves.toBe(40_000);
  });

  it('is unknown with a block that has no time, and asked for again', async () => {
    await expect(ageMs(901)).resolves.toBeUndefined();
    chain.times.set(901, clock.nowMs() - 39_000);
    await expect(ageMs(901)).resolves.toBe(39_000);
  });

  it('asks nothing for no blocks', async () => {
    await expect(priceClock.agesMs([], MAX_AGE_MS)).resolves.toEqual(new Map());
    expect(chain.calls).toEqual([]);
  });

  it('follows from the blocks around it when they are known and about a minute apart, without a call', async () => {
    await ageMs(900);
    await expect(ageMs(950)).resolves.toBe(20_000);
    await expect(ageMs(900)).resolves.toBe(40_000);
    expect(chain.calls).toEqual(['head', 'time of 900']);
    priceClock.saw({ slot: 749, blockTimeMs: clock.nowMs() - 59_000 });
    await expect(ageMs(899)).resolves.toBeUndefined();
    priceClock.saw({ slot: 750, blockTimeMs: clock.nowMs() - 58_000 });
    await expect(ageMs(899)).resolves.toBe(40_120);
    expect(chain.calls.slice(2)).toEqual(['time of 899']);
  });

  it('follows from blocks that were seen elsewhere, in any order, with one call for the newest alone', async () => {
    makeBlocks(600);
    for (const slot of [990, 850, 700, 930, 930]) priceClock.saw({ slot, blockTimeMs: chain.times.get(slot)! });
    const wanted = Array.from({ length: 50 }, (_, i) => HEAD - 3 * i);
    const ages = await priceClock.agesMs(wanted, MAX_AGE_MS);
    for (const slot of wanted) expect(Math.abs(ages.get(slot)! - (HEAD - slot) * 400)).toBeLessThanOrEqual(1_000);
    expect(chain.calls).toEqual(['head']);
  });

  it.each<[string, { recent: number; old: number; asked: string[] }]>([
    ['one minute', { recent: 49, old: 0, asked: ['time of 902'] }],
    ['one minute and of days ago', { recent: 49, old: 40, asked: ['time of 902', 'time of 400'] }],
    ['days ago alone', { recent: 0, old: 40, asked: ['time of 400'] }],
  ])('takes as many calls for prices of %s however many there are', async (_, { recent, old, asked }) => {
    makeBlocks(900);
    const [newer, older] = [
      Array.from({ length: recent }, (__, i) => HEAD - 2 * (i + 1)),
      Array.from({ length: old }, (__, i) => 10 * (i + 1)),
    ];
    for (const slot of older) chain.times.set(slot, clock.nowMs() - 86_400_000 + slot * 400);
    const ages = await priceClock.agesMs([...older, ...newer], MAX_AGE_MS);
    for (const slot of newer) expect(Math.abs(ages.get(slot)! - (HEAD - slot) * 400)).toBeLessThanOrEqual(1_000);
    for (const slot of older) expect(ages.get(slot)).toBeGreaterThan(MAX_AGE_MS);
    expect(chain.calls).toEqual(['head', ...asked]);
  });

  it('stays unknown for the rest when blocks have no times, after a few calls', async () => {
    const wanted = Array.from({ length: 50 }, (_, i) => HEAD + 200 + i);
    await expect(priceClock.agesMs(wanted, MAX_AGE_MS)).resolves.toEqual(new Map());
    expect(chain.calls).toHaveLength(4);
  });

  it('is at least that of a newer block that is already too old', async () => {
    priceClock.saw({ slot: 800, blockTimeMs: clock.nowMs() - 61_000 });
    await expect(ageMs(10)).resolves.toBe(61_000);
    expect(chain.calls).toEqual(['head']);
    // One that is exactly as old as allowed says nothing of older ones.
    priceClock = chainPriceClock({ chain, clock });
    priceClock.saw({ slot: 800, blockTimeMs: clock.nowMs() - 60_000 });
    await expect(ageMs(10)).resolves.toBeUndefined();
    expect(chain.calls).toEqual(['head', 'time of 10']);
  });

  it('goes on while the head is kept, and is right again when it is read', async () => {
    await ageMs(900);
    clock.pass(2_000);
    await expect(ageMs(900)).resolves.toBe(42_000);
    expect(chain.calls).toEqual(['head', 'time of 900']);
    clock.pass(1);
    await expect(ageMs(900)).resolves.toBe(42_000);
    expect(chain.calls).toEqual(['head', 'time of 900', 'head']);
  });

  it('follows the chain when its clock is ahead of the local one, as after a shift', async () => {
    chain.aheadMs = 3_600_000;
    await expect(ageMs(900)).resolves.toBe(3_640_000);
  });

  it('follows the chain when its clock lags by up to the tolerance, then the local clock', async () => {
    chain.aheadMs = -5_000;
    await expect(ageMs(900)).resolves.toBe(35_000);
    chain.aheadMs = -20_000;
    clock.pass(3_000);
    await expect(ageMs(900)).resolves.toBe(38_000);
  });

  it('grows although the node is stuck', async () => {
    chain.stuckAtMs = clock.nowMs();
    await expect(ageMs(900)).resolves.toBe(40_000);
    clock.pass(30_000);
    await expect(ageMs(900)).resolves.toBe(65_000);
  });

  it('is that of the head for a block a little newer than it, without a call, and asked for far above it', async () => {
    await expect(ageMs(HEAD + 150)).resolves.toBe(0);
    clock.pass(1_500);
    await expect(ageMs(HEAD + 1)).resolves.toBe(1_500);
    expect(chain.calls).toEqual(['head']);
    await expect(ageMs(HEAD + 151)).resolves.toBeUndefined();
    chain.times.set(HEAD + 151, clock.nowMs() + 10_000);
    await expect(ageMs(HEAD + 151)).resolves.toBe(0);
    expect(chain.calls.slice(1)).toEqual([`time of ${HEAD + 151}`, `time of ${HEAD + 151}`]);
  });

  it('asks once for what many want to know', async () => {
    await Promise.all([ageMs(900), ageMs(900), ageMs(900)]);
    expect(chain.calls).toEqual(['head', 'time of 900']);
  });

  it('is an error while the chain does not answer, and known once it does', async () => {
    chain.broken = true;
    await expect(ageMs(900)).rejects.toMatchObject({ code: 'UPSTREAM_ERROR' });
    chain.broken = false;
    await expect(ageMs(900)).resolves.toBe(40_000);
  });
});
