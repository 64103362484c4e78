import { eventually, probeHealth, watchHealth } from '@agent-wallet/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { World } from './world.js';

let world: World;

beforeAll(async () => {
  world = await World.open();
});

afterAll(() => world.close());

describe('the health port of the gateway', () => {
  it('tells probes when the public is served, and those who watch that it stops', async () => {
    const gateway = await world.start({ healthAddress: '127.0.0.1:0' });
    expect(await probeHealth(gateway.healthAddress!)).toBe('SERVING');
    const heard = watchHealth(gateway.healthAddress!);
    await eventually(() => Promise.resolve(heard.length === 1));
    await gateway.stop();
    await eventually(() => Promise.resolve(heard.length === 2));
    expect(heard).toEqual(['SERVING', 'NOT_SERVING']);
    expect(await probeHealth(gateway.healthAddress!)).toBe('UNAVAILABLE');
  });

  it('is not there unless it is asked for', async () => {
    expect((await world.start()).healthAddress).toBeUndefined();
  });
});
