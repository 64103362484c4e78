import { newId } from '@agent-wallet/kernel';
import type { EventRecord } from '@agent-wallet/events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PostgresChangeStore } from '../src/adapters/postgres-change-store.js';
import { PostgresEventStore } from '../src/adapters/postgres-event-store.js';
import { FollowAgents } from '../src/application/follow-agents.js';
import { readEvent } from '../src/application/read-event.js';
import type { Change } from '../src/ports/change-store.js';
import { openTestStore, operationEvent, type TestStore } from './support.js';

let store: TestStore;
let following: FollowAgents;

beforeAll(async () => {
  store = await openTestStore();
  following = new FollowAgents(new PostgresChangeStore(store.history));
});
afterAll(() => store.close());

async function record(...agentIds: string[]): Promise<EventRecord[]> {
  const events = agentIds.map((agentId) => operationEvent(agentId));
  await new PostgresEventStore(store.history).append(events.map(readEvent), []);
  return events;
}

const placesOf = (changes: readonly Change[] | undefined) =>
  changes?.map((change) => [change.agentId, change.sequence]);

describe('one who follows agents', () => {
  it('begins at the end of the log, and learns what the latest event of its agents is', async () => {
    const [mine, other, silent] = [newId(), newId(), newId()];
    await record(mine, other, mine, other);
    const found = await following.find([silent, mine], undefined);
    expect(found).toMatchObject({ latest: { agentId: mine, sequence: 2 }, changes: [] });
    expect(await following.find([silent], undefined)).toEqual({ ...found, latest: undefined });
  });

  it('gets what all of its agents did after a place in the chain of one of them, in the order of the log', async () => {
    const [a, b, other] = [newId(), newId(), newId()];
    const [, first, , second, third] = await record(a, b, other, a, b);
    const found = await following.find([a, b], { agentId: a, sequence: 1 });
    expect(placesOf(found.changes)).toEqual([
      [b, 1],
      [a, 2],
      [b, 2],
    ]);
    expect(found.changes!.map(({ eventId }) => eventId)).toEqual([first, second, third].map((event) => event!.eventId));
    expect(Buffer.from(found.changes![0]!.payload)).toEqual(Buffer.from(first!.payload));
    expect(found.latest).toMatchObject({ agentId: b, sequence: 2 });
    const all = await following.find([a, b], { agentId: a, sequence: 0 });
    expect(placesOf(all.changes)).toHaveLength(4);
    expect(await following.find([a, b], { agentId: b, sequence: 2 })).toMatchObject({ changes: [] });
  });

  it('of 201 missed changes gets none, but the place from which to go on; of 200 all', async () => {
    const [busy, quiet] = [newId(), newId()];
    await record(quiet, ...Array.from({ length: 201 }, () => busy));
    const tooFar = await following.find([busy, quiet], { agentId: busy, sequence: 0 });
    expect(tooFar).toMatchObject({ latest: { agentId: busy, sequence: 201 }, changes: undefined });
    const { changes } = await following.find([busy, quiet], { agentId: busy, sequence: 1 });
    expect(changes).toHaveLength(200);
    const spread = await following.find([busy, quiet], { agentId: quiet, sequence: 0 });
    expect(spread.changes).toBeUndefined();
  });

  it('begins at the end after a place that its chain has not reached', async () => {
    const mine = newId();
    await record(mine);
    expect(await following.find([mine], { agentId: mine, sequence: 2 })).toMatchObject({
      latest: { agentId: mine, sequence: 1 },
      changes: undefined,
    });
  });

  it('goes on from a position, past events of others, in bounded steps', async () => {
    const [mine, other] = [newId(), newId()];
    const { position: begun } = await following.find([mine], undefined);
    expect(await following.follow([mine], begun)).toEqual({ position: begun, changes: [], hasMore: false });
    await record(other, mine, other, mine, other);
    const steps = new PostgresChangeStore(store.history);
    const page = (afterPosition: number, untilPosition?: number) =>
      steps.follow([mine], { afterPosition, untilPosition, maxEvents: 3, maxBytes: 1_000_000 });
    const first = await page(begun);
    expect([placesOf(first.changes), first.position, first.hasMore]).toEqual([[[mine, 1]], begun + 3, true]);
    const second = await page(first.position);
    expect([placesOf(second.changes), second.position, second.hasMore]).toEqual([[[mine, 2]], begun + 5, false]);
    expect(await page(begun, begun + 1)).toEqual({ position: begun + 1, changes: [], hasMore: true });
    // A log that lost its end with a restored backup says so.
    expect(await page(begun + 9)).toEqual({ position: begun + 5, changes: [], hasMore: false });
  });

  it.each([
    ['no agents', () => following.find([], undefined)],
    ['more agents than one can follow', () => following.find(Array<string>(1_001).fill(newId()), undefined)],
    ['an agent without a UUID', () => following.find(['x'], undefined)],
    ['a place of another agent', () => following.find([newId()], { agentId: newId(), sequence: 0 })],
    ['no agents to go on with', () => following.follow([], 0)],
  ])('is refused %s', async (_, ask) => {
    await expect(ask()).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });
});
