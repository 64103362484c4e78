import { eventually } from '@agent-wallet/testing';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { World } from './world.js';

const NEVER_MS = 60_000;

let world: World;
let listeners: Set<() => void>;

beforeEach(async () => {
  world = await World.open();
  listeners = new Set();
});

afterEach(() => world.close());

describe('a new slot', () => {
  it('triggers a read of the outcome, and has no listener once that is known', async () => {
    const newSlots = {
      onSlot: (listener: () => void) => {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    };
    world.chain.landing = 'never';
    const looks = jest.spyOn(world.chain, 'signatureStatus');
    const engine = world.engine({ newSlots, timing: { pollIntervalMs: NEVER_MS, resendMs: NEVER_MS } });
    const running = engine.run(world.kind, world.call());
    await eventually(() => looks.mock.calls.length === 1);
    world.chain.landing = 'confirmed';
    world.chain.take(world.chain.sent[0]!);
    for (const listener of listeners) listener();
    expect(await running).toMatchObject({ state: 'confirmed' });
    expect(listeners.size).toBe(0);
  });
});
