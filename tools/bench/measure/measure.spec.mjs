import { afterEach, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { cpuSince, descendants, productProcess } from './cpu.mjs';
import { closedLoop, openLoop } from './load.mjs';
import { kibOf, memoryOf } from './memory.mjs';
import { compare, figure, inPairs, median, percentile } from './pairs.mjs';

describe('statistics', () => {
  it('take the middle, or the mean of the two in the middle', () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([9, 1, 5, 3])).toBe(4);
  });

  it('find the value that a share does not pass', () => {
    const values = Array.from({ length: 101 }, (_, i) => 100 - i);
    expect([0, 0.5, 0.99, 1].map((share) => percentile(values, share))).toEqual([0, 50, 99, 100]);
  });
});

describe('pairs', () => {
  it('alternate, take turns to be first, leave the warm-up out, and compare within each pair', async () => {
    const order = [];
    const side = (name, values) => async () => {
      order.push(name);
      return values.shift();
    };
    const measured = await inPairs({
      pairs: 3,
      tell: () => {},
      limit: side('limit', [1000, 10, 20, 40]),
      product: side('product', [1000, 20, 60, 160]),
    });
    expect(order.join(' ')).toBe('limit product limit product product limit limit product');
    expect(measured).toMatchObject({ ratios: [2, 3, 4], ratio: 3, limit: 20, product: 60 });
  });

  it('compare the same rounds by another number', () => {
    const rounds = {
      limitRounds: [{ ms: 2 }, { ms: 4 }, { ms: 5 }],
      productRounds: [{ ms: 4 }, { ms: 4 }, { ms: 15 }],
    };
    expect(compare(rounds, ({ ms }) => ms)).toEqual({ ratios: [2, 1, 3], ratio: 2, limit: 4, product: 4 });
  });
});

describe('a figure', () => {
  it.each([
    [{ atMost: 2.5 }, 2.5, true],
    [{ atMost: 2.5 }, 2.51, false],
    [{ atLeast: 0.5 }, 0.5, true],
    [{ atLeast: 0.5 }, 0.49, false],
  ])('with aim %j and ratio %d says whether it is met: %s', (aim, ratio, met) => {
    expect(figure('name', { ratio }, { unit: 'µs', aim }).met).toBe(met);
  });

  it('without an aim judges nothing', () => {
    expect(figure('name', { ratio: 1 }, { unit: 'µs' })).not.toHaveProperty('met');
  });
});

describe('load', () => {
  it('in a closed loop stops at the number of calls', async () => {
    const { count } = await closedLoop({ callers: 8, calls: 100, call: () => sleep(0) });
    expect(count).toBe(100);
  });

  it('in an open loop counts a stall against everyone who was due meanwhile', async () => {
    const free = sleep(200);
    const latencies = await openLoop({ ratePerSecond: 100, durationMs: 100, call: () => free });
    expect(latencies).toHaveLength(10);
    expect(Math.min(...latencies)).toBeGreaterThan(50);
  });
});

describe('a process of the product', () => {
  it.each([
    ['node apps/wallet/bundle/main.js', 'wallet'],
    ['node apps/signer/dist/main.js', 'signer'],
    ['postgres: wallet agent_wallet 127.0.0.1(41000) idle', 'postgres for wallet'],
    ['postgres: postgres agent_wallet 127.0.0.1(41000) idle', 'postgres itself'],
    ['postgres: agent_wallet_policy agent_wallet 127.0.0.1(41000) idle', 'postgres for policy'],
    ['postgres: autovacuum worker agent_wallet', 'postgres itself'],
    ['postgres: io worker 0', 'postgres itself'],
    ['sleep 1', undefined],
  ])('%s is %s', (commandLine, name) => {
    expect(productProcess({ commandLine })).toBe(name);
  });
});

describe('memory', () => {
  it('is read from the line of its name and no other', () => {
    const rollup = 'Rss:               45056 kB\nPss:               12345 kB\nPss_Dirty:          9000 kB\n';
    expect(kibOf(rollup, 'Pss')).toBe(12_345);
    expect(kibOf(rollup, 'VmRSS')).toBe(0);
  });

  it('of this process is some, and no more when what is shared counts once', () => {
    const { processes, rss, pss } = memoryOf([process.pid]);
    expect(processes).toBeGreaterThanOrEqual(1);
    expect(rss).toBeGreaterThan(20);
    if (pss !== undefined) expect(pss).toBeLessThanOrEqual(rss);
  });
});

describe('CPU of processes', () => {
  const children = [];
  afterEach(() => children.splice(0).forEach((child) => child.kill('SIGKILL')));

  it('is that of a child since the last sample, and nothing once it has ended', async () => {
    const burn = 'while (process.cpuUsage().user < 300_000); process.send(0); setInterval(() => {}, 1000);';
    const before = descendants();
    const child = spawn(process.execPath, ['-e', burn], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    children.push(child);
    await once(child, 'message');
    const nameOf = ({ pid }) => (pid === child.pid ? 'burner' : undefined);
    const { burner } = Object.fromEntries(cpuSince(before, nameOf));
    expect(burner).toBeGreaterThan(100_000);
    const after = descendants();
    expect(cpuSince(after, nameOf).get('burner')).toBeLessThan(burner);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(cpuSince(after, nameOf).size).toBe(0);
  });
});
