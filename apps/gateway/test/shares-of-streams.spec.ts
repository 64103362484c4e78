import { newId } from '@agent-wallet/kernel';
import { startTelemetry } from '@agent-wallet/telemetry';
import { beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { watchStreams } from '../src/adapters/watch-streams.js';
import type { ChangeStream, StreamReader } from '../src/application/changes/change-stream.js';
import type { ChangeStreams, StreamBounds } from '../src/application/changes/change-streams.js';
import { agentReader as agent, createStreams } from './streams-in-memory.js';

/** 100 × 0.9²¹ is more than the ten places that a newcomer's first one needs, and 100 × 0.9²² is less. */
const PLACES = 100;
const HOLDERS = 21;

/** Agents of each owner. */
let agents: Map<string, string[]>;
beforeEach(() => {
  agents = new Map();
});

const streamsWithin = (bounds: Partial<StreamBounds>) => createStreams({ bounds, agents });

const owner = (ownerId = newId()): StreamReader => ({
  ...{ kind: 'owner', ownerId, tokenHash: Buffer.alloc(32), client: newId() },
});

/** Opens a stream; undefined when a limit refuses it. */
function tryOpen(streams: ChangeStreams, reader: StreamReader): Promise<ChangeStream | undefined> {
  return streams.open(reader, undefined).catch((error: { code?: string }) => {
    if (error.code !== 'SERVICE_UNAVAILABLE') throw error;
    return undefined;
  });
}

/** Opens as many streams as a holder gets. */
async function openAll(streams: ChangeStreams, reader: () => StreamReader): Promise<number> {
  let opened = 0;
  while (await tryOpen(streams, reader())) opened += 1;
  return opened;
}

type Act = readonly [holder: number, opens: boolean];
const anAct = fc.tuple(fc.nat(HOLDERS - 1), fc.boolean());

/** Lets holders open and end streams in any order, and then take all that they get. */
async function play(streams: ChangeStreams, history: readonly Act[], readerOf: (holder: number) => StreamReader) {
  const open = Array.from({ length: HOLDERS }, (): ChangeStream[] => []);
  for (const [holder, opens] of history) {
    const stream = opens ? await tryOpen(streams, readerOf(holder)) : undefined;
    if (stream) open[holder]!.push(stream);
    if (!opens) await close(open[holder]!.shift());
  }
  const order = [...new Set([...history.map(([holder]) => holder), ...open.keys()])];
  for (const holder of order) await openAll(streams, () => readerOf(holder));
}

async function close(stream: ChangeStream | undefined): Promise<void> {
  if (!stream) return;
  const closed = new Promise((resolve) => stream.body.once('close', resolve));
  stream.body.destroy();
  await closed;
}

/** Reads the gauge. A process reuses a poll for five seconds, so each call starts telemetry of its own. */
async function usedPart(streams: ChangeStreams): Promise<number> {
  const settings = { sampler: 'always_off', samplerRatio: 0, spanDelayMs: 1_000, metricIntervalMs: 60_000 } as const;
  const running = await startTelemetry({
    service: 'gateway',
    settings: { ...settings, metricsAddress: '127.0.0.1:0' },
  });
  const watching = watchStreams(streams);
  try {
    const text = await (await fetch(`http://${running.metricsAddress}/metrics`)).text();
    return Number(/^agentwallet_change_streams_used\{.*\} (\S+)$/m.exec(text)?.[1]);
  } finally {
    watching.stop();
    await running.stop();
  }
}

describe('places of streams', () => {
  const networks = Array.from({ length: HOLDERS }, newId);

  it('a newcomer has one beside any history of 21 networks with 100 places', async () => {
    const property = fc.asyncProperty(fc.array(anAct, { maxLength: 120 }), async (history) => {
      const streams = streamsWithin({ streams: PLACES });
      await play(streams, history, (holder) => agent({ client: networks[holder]! }));
      expect(await tryOpen(streams, agent())).toBeDefined();
    });
    await fc.assert(property, { seed: 9, numRuns: 30 });
  });

  it('a network alone has a tenth, and each later one a tenth of the rest, until ten are free', async () => {
    const streams = streamsWithin({ streams: PLACES });
    const shares = [];
    for (let n = 0; n < 60; n += 1) {
      const client = newId();
      shares.push(await openAll(streams, () => agent({ client })));
    }
    expect(shares.slice(0, 3)).toEqual([10, 9, 8]);
    expect(shares.reduce((sum, share) => sum + share, 0)).toBe(PLACES - 9);
  });
});

describe('places of followed agents', () => {
  const owners = Array.from({ length: HOLDERS }, newId);

  it('an agent has one beside any history of 21 owners with 100 places', async () => {
    const sizes = fc.array(fc.nat(4), { minLength: HOLDERS, maxLength: HOLDERS });
    const property = fc.asyncProperty(fc.array(anAct, { maxLength: 120 }), sizes, async (history, counts) => {
      counts.forEach((count, holder) => agents.set(owners[holder]!, Array.from({ length: count }, newId)));
      const streams = streamsWithin({ agents: PLACES });
      await play(streams, history, (holder) => owner(owners[holder]));
      expect(await tryOpen(streams, agent())).toBeDefined();
    });
    await fc.assert(property, { seed: 9, numRuns: 30 });
  });

  it('an owner who claims more than the share loses the stream; one who claims less keeps it', async () => {
    const [more, less] = owners as [string, string];
    agents.set(more, [newId()]).set(less, [newId(), newId()]);
    const streams = streamsWithin({ agents: PLACES });
    const [ofMore, ofLess] = [await streams.open(owner(more), undefined), await streams.open(owner(less), undefined)];
    agents.set(more, Array.from({ length: 12 }, newId)).set(less, [newId()]);
    for (let n = 0; n < 3; n += 1) await streams.review();
    expect([ofMore.hasEnded, ofLess.hasEnded]).toEqual([true, false]);
    expect(ofLess.agentIds).toEqual([less, ...agents.get(less)!]);
  });
});

it('the gauge shows the used part of streams or of followed agents, whichever is larger', async () => {
  const streams = streamsWithin({ streams: 40, agents: 200 });
  const [few, many] = [newId(), newId()];
  agents.set(many, Array.from({ length: 9 }, newId));
  expect(await usedPart(streams)).toBe(0);
  const stream = await streams.open(owner(few), undefined);
  expect(await usedPart(streams)).toBe(0.025);
  await streams.open(owner(many), undefined);
  expect(await usedPart(streams)).toBe(0.055);
  await close(stream);
  expect(await usedPart(streams)).toBe(0.05);
});

describe('streams of one agent', () => {
  it('a scoped token that opens one more ends its own oldest, and none of the sessions or of another token', async () => {
    const streams = streamsWithin({ ofPrincipal: 2 });
    const agentId = newId();
    const open = (tokenId?: string) => streams.open(agent({ agentId, ...(tokenId && { tokenId }) }), undefined);
    const others = [await open(), await open(), await open('b'), await open('b')];
    const own = [await open('a'), await open('a'), await open('a')];
    expect(own.map(({ hasEnded }) => hasEnded)).toEqual([true, false, false]);
    expect(others.map(({ hasEnded }) => hasEnded)).toEqual([false, false, false, false]);
    await open();
    expect(others.map(({ hasEnded }) => hasEnded)).toEqual([true, false, false, false]);
  });

  it('stay open where one more finds no room', async () => {
    const streams = streamsWithin({ streams: PLACES, ofPrincipal: 2 });
    const [agentId, full] = [newId(), newId()];
    const own = [await streams.open(agent({ agentId }), undefined), await streams.open(agent({ agentId }), undefined)];
    await openAll(streams, () => agent({ client: full }));
    expect(await tryOpen(streams, agent({ agentId, client: full }))).toBeUndefined();
    expect(own.map(({ hasEnded }) => hasEnded)).toEqual([false, false]);
  });
});
