import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { World } from './world.js';

let world: World;

beforeEach(async () => {
  world = await World.open();
});

afterEach(() => world.close());

describe('two operations whose messages come out as the same bytes', () => {
  it('are two transactions with an effect each: one of the messages is built again', async () => {
    const calls = [world.call(), world.call()];
    const prepared = await world.kind.prepare(calls[0]!);
    world.preparations.push(prepared, prepared);
    const engine = world.engine();
    const records = await Promise.all(calls.map((call) => engine.run(world.kind, call)));
    expect(records.map(({ state }) => state)).toEqual(['confirmed', 'confirmed']);
    expect(records[0]!.attempt!.signature).not.toEqual(records[1]!.attempt!.signature);
    expect(world.chain.effects).toBe(2);
  });
});
