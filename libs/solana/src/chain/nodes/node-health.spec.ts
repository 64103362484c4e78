import { AppError } from '@agent-wallet/kernel';
import { type RunningTelemetry, startTelemetry } from '@agent-wallet/telemetry';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { HttpStatusError } from '../http-post.js';
import type { SolanaChain } from '../solana-chain.js';
import { NodeHealth } from './node-health.js';
import { SeveralNodes } from './several-nodes.js';

const URLS = ['https://a.example/secret', 'https://b.example/?api-key=secret', 'https://b.example/secret-too'];
const SLOT = 10_000;

let telemetry: RunningTelemetry;
let health: NodeHealth;
let nowMs: number;

beforeEach(async () => {
  const settings = { sampler: 'always_off', samplerRatio: 0, spanDelayMs: 1_000, metricIntervalMs: 60_000 } as const;
  telemetry = await startTelemetry({ service: 'test', settings: { ...settings, metricsAddress: '127.0.0.1:0' } });
  nowMs = 0;
  health = new NodeHealth('wallet', URLS, { nowMs: () => nowMs });
});
afterEach(async () => {
  health.close();
  await telemetry.stop();
});

type Node = Pick<SolanaChain, 'confirmedHead' | 'accounts'>;

/** Returns a node that looks at a slot, and sees an account with so many lamports. */
function node(slot: number, lamports = 5n): Node {
  const account = { owner: '1'.repeat(32), lamports, data: new Uint8Array(), executable: false };
  return {
    confirmedHead: async () => ({ slot, blockHeight: slot, epoch: 1 }),
    accounts: async () => ({ slot, accounts: [account] }),
  };
}

function broken(cause: unknown): Node {
  const fail = async () => {
    throw new AppError('UPSTREAM_ERROR', { cause });
  };
  return { confirmedHead: fail, accounts: fail };
}

const open = (...nodes: readonly Node[]) =>
  new SeveralNodes(nodes as readonly SolanaChain[], { nowMs: () => 0 }, async () => undefined, health);

/** Scrapes a metric: the values of the nodes by their places, or the one value. */
async function scrape(name: string, filter = ''): Promise<Record<string, number>> {
  const text = await (await fetch(`http://${telemetry.metricsAddress}/metrics`)).text();
  expect(text).not.toContain('secret');
  const lines = text.split('\n').filter((line) => line.startsWith(`agentwallet_chain_nodes_${name}{`));
  return Object.fromEntries(
    lines
      .filter((line) => line.includes(filter) && line.includes('agentwallet_service="wallet"'))
      .map((line) => [/agentwallet_node="(\d)"/.exec(line)?.[1] ?? 'all', Number(line.split(' ')[1])]),
  );
}

const ADDRESS = '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T';

describe('metrics of several nodes', () => {
  it('tell how many slots a node is behind the highest of the quorum, also when it answers last', async () => {
    await open(node(SLOT), node(SLOT - 1), node(SLOT - 300)).confirmedHead();
    expect(await scrape('lag')).toEqual({ 1: 0, 2: 1, 3: 300 });
    expect(await scrape('away')).toEqual({ 1: 0, 2: 0, 3: 0 });
  });

  it('tell which node asked for a pause, and which fails', async () => {
    const paused = broken(new HttpStatusError(429, 9_000));
    await expect(open(paused, broken(new Error('down')), node(SLOT)).confirmedHead()).rejects.toThrow();
    expect(await scrape('away', '"paused"')).toEqual({ 1: 1, 2: 0, 3: 0 });
    expect(await scrape('away', '"failing"')).toEqual({ 1: 0, 2: 1, 3: 0 });
  });

  it('leave out the lag of a node that is away', async () => {
    await open(node(SLOT), node(SLOT), broken(new Error('down'))).confirmedHead();
    expect(await scrape('lag')).toEqual({ 1: 0, 2: 0 });
  });

  it.each([
    ['another balance at the same slot', node(SLOT, 6n), { 3: 1 }],
    ['another balance at a slot far ahead', node(SLOT + 1_000, 6n), { 3: 1 }],
    ['another balance a slot later, where it may have changed', node(SLOT + 1, 6n), {}],
    ['an older balance at an older slot', node(SLOT - 1, 4n), {}],
    ['the same balance', node(SLOT), {}],
  ])('count what a quorum outvoted: %s', async (_, other, expected) => {
    await open(node(SLOT), node(SLOT), other).accounts([ADDRESS]);
    expect(Object.keys(await scrape('lag'))).toHaveLength(3);
    expect(await scrape('outvoted_total')).toEqual(expected);
  });

  it('count a question once that no quorum decided, however often it was repeated', async () => {
    await expect(open(node(SLOT), node(SLOT, 6n)).accounts([ADDRESS])).rejects.toThrow();
    expect(await scrape('disagreements_total')).toEqual({ all: 1 });
    expect(await scrape('outvoted_total')).toEqual({});
  });

  it('say nothing of a node that was asked nothing for a minute', async () => {
    await open(node(SLOT), node(SLOT), node(SLOT)).confirmedHead();
    nowMs = 60_001;
    expect(await scrape('lag')).toEqual({});
  });
});
