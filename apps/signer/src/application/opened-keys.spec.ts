import { describe, expect, it } from '@jest/globals';
import { createSecretKey, randomBytes } from 'node:crypto';
import { makeSealedKey, type SealedKey } from '../domain/sealed-key.js';
import { OpenedKeys } from './opened-keys.js';

const AGENTS = [1, 2, 3].map((n) => `0193f3a0-0000-7000-8000-00000000000${n}`) as [string, string, string];
const dataKey = { version: 1, secret: createSecretKey(randomBytes(32)) };
const rows = new Map<string, SealedKey>(AGENTS.map((agentId) => [agentId, makeSealedKey(agentId, dataKey)]));

function open({ maxCount = 2, ttlMs = 1_000, maxSealedCount = 0 } = {}) {
  const asked: string[] = [];
  const time = { nowMs: 0 };
  const store = {
    find: async (agentId: string) => {
      asked.push(agentId);
      return rows.get(agentId);
    },
  };
  const known = new Set([dataKey.version]);
  const dataKeys = { find: async (version: number) => (known.has(version) ? dataKey : undefined) };
  const limits = { maxCount, ttlMs, maxSealedCount };
  return { asked, time, known, keys: new OpenedKeys(store, dataKeys, limits, { nowMs: () => time.nowMs }) };
}

describe('opened keys', () => {
  it('are opened once while they are in use', async () => {
    const { asked, keys } = open();
    const [first, second] = [await keys.get(AGENTS[0]), await keys.get(AGENTS[0])];
    expect(second).toBe(first);
    expect(asked).toEqual([AGENTS[0]]);
  });

  it('are at most so many: the one not used for longest is closed', async () => {
    const { asked, keys } = open({ maxCount: 2 });
    for (const agent of [AGENTS[0], AGENTS[1], AGENTS[0], AGENTS[2]]) await keys.get(agent);
    expect(keys.count).toBe(2);
    asked.length = 0;
    for (const agent of [AGENTS[0], AGENTS[2], AGENTS[1]]) await keys.get(agent);
    expect(asked).toEqual([AGENTS[1]]);
  });

  it.each([
    [999, 1],
    [1_000, 2],
  ])('are opened again when their time is over: after %i ms, %i times', async (afterMs, times) => {
    const { asked, keys, time } = open({ ttlMs: 1_000 });
    await keys.get(AGENTS[0]);
    time.nowMs = 500;
    await keys.get(AGENTS[0]);
    time.nowMs = afterMs;
    await keys.get(AGENTS[0]);
    expect(asked).toHaveLength(times);
  });

  it('are closed when their time is over, without another call', async () => {
    const { keys, time } = open({ ttlMs: 1_000 });
    await keys.get(AGENTS[0]);
    time.nowMs = 600;
    await keys.get(AGENTS[1]);
    time.nowMs = 1_000;
    keys.closeExpired();
    expect(keys.count).toBe(1);
  });

  it('are closed when the clock was set back, which would keep them open for longer', async () => {
    const { keys, time } = open({ ttlMs: 1_000 });
    time.nowMs = 5_000;
    await keys.get(AGENTS[0]);
    keys.closeExpired();
    expect(keys.count).toBe(1);
    time.nowMs = 4_999;
    keys.closeExpired();
    expect(keys.count).toBe(0);
  });

  it('are not kept open at all without a time, and opened again from what is kept sealed', async () => {
    const { asked, keys } = open({ ttlMs: 0, maxSealedCount: 2 });
    const [first, second] = [await keys.get(AGENTS[0]), await keys.get(AGENTS[0])];
    expect(second!.privateKey).not.toBe(first!.privateKey);
    expect(keys.count).toBe(0);
    expect(asked).toEqual([AGENTS[0]]);
    for (const agent of [AGENTS[1], AGENTS[2], AGENTS[0]]) await keys.get(agent);
    expect(asked).toEqual([AGENTS[0], AGENTS[1], AGENTS[2], AGENTS[0]]);
  });

  it('are read again when the data key of what is kept sealed is retired', async () => {
    const { asked, keys, known } = open({ ttlMs: 0, maxSealedCount: 2 });
    await keys.get(AGENTS[0]);
    known.clear();
    await expect(keys.get(AGENTS[0])).rejects.toThrow('does not open');
    expect(asked).toHaveLength(3);
    known.add(dataKey.version);
    await keys.get(AGENTS[0]);
    expect(asked).toHaveLength(3);
  });

  it('are not remembered as missing', async () => {
    const { asked, keys } = open();
    expect(await keys.get('none')).toBeUndefined();
    expect(await keys.get('none')).toBeUndefined();
    expect(asked).toEqual(['none', 'none']);
    expect(keys.count).toBe(0);
  });
});
