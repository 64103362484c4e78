import { newId } from '@agent-wallet/kernel';
import { eventually } from '@agent-wallet/testing';
import { beforeEach, expect, it } from '@jest/globals';
import type { ChangePlace } from '../src/application/changes/change-event.js';
import { ChangeFeed } from '../src/application/changes/change-feed.js';
import { ChangeStream } from '../src/application/changes/change-stream.js';
import { ScriptedLog } from './scripted-log.js';

const OWNERS = 40;
const AGENTS_OF_OWNER = 500;

let log: ScriptedLog;
let feed: ChangeFeed;

beforeEach(() => {
  log = new ScriptedLog();
  feed = new ChangeFeed(log.script);
});

/** Begins an owner's stream, after a change that it has. @returns a function that lists the ids of its changes */
async function join(agentIds: readonly string[], after?: ChangePlace): Promise<() => string[]> {
  const reader = { kind: 'owner', ownerId: agentIds[0]!, tokenHash: Buffer.alloc(32), client: '192.0.2.1' } as const;
  const stream = new ChangeStream(reader, agentIds, 1_000);
  let text = '';
  stream.body.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const joined = feed.join(stream, after, false);
  await feed.round();
  await joined;
  return () => [...text.matchAll(/^id: (.+)\nevent: change$/gm)].map(([, id]) => id!);
}

it('20,000 followed agents take requests of at most 125 KiB, and changes go out in the order of the log', async () => {
  const owners = Array.from({ length: OWNERS }, () => Array.from({ length: AGENTS_OF_OWNER }, newId));
  for (const agentIds of owners) await join(agentIds);
  // An agent of the last request changes before one of the first.
  const shared = [owners.at(-1)![0]!, owners[0]![0]!];
  const changes = await join(shared);
  log.requestBytes.length = 0;
  for (const agentId of shared) log.append(agentId);
  expect(await feed.round()).toBe(false);
  expect(log.requestBytes).toEqual([128_000, 128_000, 64_000]);
  await eventually(async () => changes().length === 2);
  expect(changes()).toEqual(shared.map((agentId) => `${agentId}:1`));
  log.requestBytes.length = 0;
  await feed.round();
  expect(log.requestBytes).toEqual([128_000]);
});

it('a backlog of several pages is passed, also where all events of a page belong to others', async () => {
  const [mine, other] = [newId(), newId()];
  const changes = await join([mine]);
  log.pageEvents = 3;
  for (const agentId of [mine, other, other, other, other, other, mine]) log.append(agentId);
  expect([await feed.round(), await feed.round(), await feed.round()]).toEqual([true, true, false]);
  await eventually(async () => changes().length === 2);
  expect(changes()).toEqual([`${mine}:1`, `${mine}:2`]);
});

it.each(['resumes', 'begins'])(
  'a reader that %s gets no earlier change, also where the gateway lags behind',
  async (how) => {
    const [other, one, two] = [newId(), newId(), newId()];
    await join([other]);
    log.pageEvents = 1;
    for (const agentId of [other, one, two]) log.append(agentId);
    const changes = await join([one, two], how === 'resumes' ? { agentId: two, sequence: 1n } : undefined);
    log.append(one);
    while (await feed.round());
    await eventually(async () => changes().length > 0);
    expect(changes()).toEqual([`${one}:2`]);
  },
);
