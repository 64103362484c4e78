import { beforeEach, describe, expect, it } from '@jest/globals';
import { AppError } from '@agent-wallet/kernel';
import { chainPriceClock, type PriceClock } from './price-clock.js';
import { FakeClock } from './testing/fake-clock.js';

/** A chain whose time runs apart from the machine's by `aheadMs`, unless it is stuck. */
class FakeChain {
  aheadMs = 0;
  stuckAtMs: number | undefined;
  broken = false;
  readonly calls: string[] = [];

  constructor(private readonly clock: FakeClock) {}

  async head() {
    this.calls.push('head');
    if (this.broken) throw new AppError('UPSTREAM_ERROR');
    const timeMs = this.stuckAtMs ?? this.clock.nowMs() + this.aheadMs;
    return { slot: 1_000, blockTimeMs: Math.floor(timeMs / 1_000) * 1_000 };
  }

  times = new Map<number, number>();
  async blockTimeMs(slot: number) {
    this.calls.push(`time of ${slot}`);
    return this.times.get(slot) ?? null;
  }
}

let clock: FakeClock;
let chain: FakeChain;
let priceClock: PriceClock;

beforeEach(() => {
  clock = new FakeClock();
  chain = new FakeChain(clock);
  chain.times.set(900, clock.nowMs() - 40_000);
  priceClock = chainPriceClock({ chain, clock });
});

describe('the age of a price', () => {
  it('is the time between its block and the newest one', async () => {
    await expect(priceClock.ageMs(900)).resolves.toBe(40_000);
  });

  it('is unknown without a block, or with one that has no time', async () => {
    await expect(priceClock.ageMs(null)).resolves.toBeNull();
    await expect(priceClock.ageMs(901)).resolves.toBeNull();
  });

  it('is told by the blocks around it when they are known and about a minute apart, without a call', async () => {
    chain.times.set(1_000, clock.nowMs());
    await Promise.all([priceClock.ageMs(900), priceClock.ageMs(1_000)]);
    await expect(priceClock.ageMs(950)).resolves.toBe(20_000);
    expect(chain.calls).toEqual(['time of 900', 'head', 'time of 1000']);
    await expect(priceClock.ageMs(899)).resolves.toBeNull();
    chain.times.set(1_151, clock.nowMs());
    await priceClock.ageMs(1_151);
    await expect(priceClock.ageMs(1_001)).resolves.toBeNull();
    expect(chain.calls.slice(3)).toEqual(['time of 899', 'time of 1151', 'time of 1001']);
  });

  it('goes on while the head is kept, and is right again when it is read', async () => {
    await priceClock.ageMs(900);
    clock.pass(2_000);
    await expect(priceClock.ageMs(900)).resolves.toBe(42_000);
    expect(chain.calls).toEqual(['time of 900', 'head']);
    clock.pass(1);
    await expect(priceClock.ageMs(900)).resolves.toBe(42_000);
    expect(chain.calls).toEqual(['time of 900', 'head', 'head']);
  });

  it('is told by the chain when its clock is ahead of ours, as after a shift', async () => {
    chain.aheadMs = 3_600_000;
    await expect(priceClock.ageMs(900)).resolves.toBe(3_640_000);
  });

  it('is told by the chain when its clock is behind ours by up to the tolerance, then by ours', async () => {
    chain.aheadMs = -5_000;
    await expect(priceClock.ageMs(900)).resolves.toBe(35_000);
    chain.aheadMs = -20_000;
    clock.pass(3_000);
    await expect(priceClock.ageMs(900)).resolves.toBe(38_000);
  });

  it('grows although the node is stuck', async () => {
    chain.stuckAtMs = clock.nowMs();
    await expect(priceClock.ageMs(900)).resolves.toBe(40_000);
    clock.pass(30_000);
    await expect(priceClock.ageMs(900)).resolves.toBe(65_000);
  });

  it('is nothing for a block that is newer than the head that was read', async () => {
    chain.times.set(1_001, clock.nowMs() + 10_000);
    await expect(priceClock.ageMs(1_001)).resolves.toBe(0);
  });

  it('asks once for what many want to know', async () => {
    await Promise.all([priceClock.ageMs(900), priceClock.ageMs(900), priceClock.ageMs(900)]);
    expect(chain.calls).toEqual(['time of 900', 'head']);
  });

  it('asks again for a block whose time was not known yet', async () => {
    await priceClock.ageMs(950);
    chain.times.set(950, clock.nowMs() - 1_000);
    await expect(priceClock.ageMs(950)).resolves.toBe(1_000);
  });

  it('is an error while the chain does not answer, and known once it does', async () => {
    chain.broken = true;
    await expect(priceClock.ageMs(900)).rejects.toMatchObject({ code: 'UPSTREAM_ERROR' });
    chain.broken = false;
    await expect(priceClock.ageMs(900)).resolves.toBe(40_000);
  });
});
