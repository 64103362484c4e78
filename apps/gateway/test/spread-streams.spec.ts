import { TestScheduler } from '@agent-wallet/testing';
import { expect, it } from '@jest/globals';
import type { ChangeStream } from '../src/application/changes/change-stream.js';
import type { ChangeStreams } from '../src/application/changes/change-streams.js';
import { agentReader, createStreams } from './streams-in-memory.js';

async function openMany(streams: ChangeStreams, count: number): Promise<ChangeStream[]> {
  const opened = [];
  for (let n = 0; n < count; n += 1) opened.push(await streams.open(agentReader(), undefined));
  return opened;
}

const liveOf = (opened: readonly ChangeStream[]) => opened.filter(({ hasEnded }) => !hasEnded).length;

it('each stream asks its reader to come back after a time of its own, between one and six seconds', async () => {
  const draws = [0, 2_500, 4_999];
  const streams = createStreams({ timing: { random: (least, below) => Math.min(least + draws.shift()!, below - 1) } });
  const opened = await openMany(streams, 3);
  const first = opened.map(({ body }) => /^retry: (\d+)\n/.exec((body.read() as Buffer).toString())?.[1]);
  expect(first).toEqual(['1000', '3500', '5999']);
});

it('a stop within five seconds ends an equal number of streams in each tenth of a second, and opens no more', async () => {
  const scheduler = new TestScheduler();
  const streams = createStreams({ timing: { scheduler } });
  const opened = await openMany(streams, 100);
  let hasStopped = false;
  const stopping = streams.stop(5_000).then(() => (hasStopped = true));
  expect(liveOf(opened)).toBe(98);
  await expect(streams.open(agentReader(), undefined)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  await scheduler.advance(2_400);
  expect([liveOf(opened), hasStopped]).toEqual([50, false]);
  await scheduler.advance(2_500);
  await stopping;
  expect(liveOf(opened)).toBe(0);
});

it('a stop without a drain ends all streams at once', async () => {
  const streams = createStreams({});
  const opened = await openMany(streams, 10);
  await streams.stop(0);
  expect(liveOf(opened)).toBe(0);
});
