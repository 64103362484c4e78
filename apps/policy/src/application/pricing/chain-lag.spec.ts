import type { Logger } from '@agent-wallet/platform';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { ChainLag } from './chain-lag.js';

const NOW_MS = 1_763_719_200_000;

let logged: Array<readonly [level: string, event: string, lagSeconds: number]>;
let lag: ChainLag;

beforeEach(() => {
  logged = [];
  const log = (level: string) => (fields: { readonly event: string; readonly lagSeconds: number }) => {
    logged.push([level, fields.event, fields.lagSeconds]);
  };
  const logger = { warn: log('warn'), info: log('info') } as unknown as Logger;
  lag = new ChainLag({ clock: { nowMs: () => NOW_MS }, logger, maxAgeMs: 60_000 });
});

const note = (secondsBehind: number) => lag.note({ blockTimeMs: NOW_MS - secondsBehind * 1_000 });

describe('the lag of the chain’s clock', () => {
  it('is undefined while prices of the newest block count', () => {
    note(65);
    expect(lag.lagMs).toBeUndefined();
    expect(logged).toEqual([]);
  });

  it('is logged when it begins and when it ends, and not in between', () => {
    for (const seconds of [900, 890, 66]) note(seconds);
    expect(lag.lagMs).toBe(66_000);
    for (const seconds of [65, 1]) note(seconds);
    expect(lag.lagMs).toBeUndefined();
    expect(logged).toEqual([
      ['warn', 'chain_clock.lag_found', 900],
      ['info', 'chain_clock.lag_ended', 65],
    ]);
  });

  it('is logged again when it comes back', () => {
    for (const seconds of [70, 1, 80]) note(seconds);
    expect(logged.map(([, event]) => event)).toEqual([
      'chain_clock.lag_found',
      'chain_clock.lag_ended',
      'chain_clock.lag_found',
    ]);
  });
});
