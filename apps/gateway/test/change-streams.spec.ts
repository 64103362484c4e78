import { auditV1 } from '@agent-wallet/contracts';
import { AppError, newId } from '@agent-wallet/kernel';
import { eventually } from '@agent-wallet/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseAllDocuments } from 'yaml';
import { isStream } from '../src/api/route.js';
import { ROUTES } from '../src/api/routes.js';
import { MCP_PATH } from '../src/http/mcp/endpoint.js';
import { EventReader } from './event-reader.js';
import { expectFailure } from './expect-failure.js';
import { Browser, FakeOwners, ORIGIN } from './owner-console.js';
import { ScriptedLog } from './scripted-log.js';
import { World } from './world.js';

let world: World;
let log: ScriptedLog;
let people = 0;
const readers: EventReader[] = [];

beforeAll(async () => {
  world = await World.open({ ownerOrigin: ORIGIN }, { followEveryMs: 10, reviewStreamsEveryMs: 50 });
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.reset();
  log = new ScriptedLog();
  Object.assign(world.script.history, log.script);
});
afterEach(() => readers.splice(0).forEach((reader) => reader.close()));

type Person = Awaited<ReturnType<World['login']>>;

async function read(url: string, headers: Record<string, string>): Promise<EventReader> {
  const reader = await EventReader.open(url, headers);
  readers.push(reader);
  return reader;
}

/** Opens an agent's stream, after an event that it has. */
function follow({ token }: Person, lastEventId?: string, url = world.client.url): Promise<EventReader> {
  return read(`${url}/wallets/me/events`, {
    authorization: `Bearer ${token}`,
    ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
  });
}

const idsOf = (reader: EventReader) => reader.events.map(({ id }) => id);

describe('an agent that follows its wallet', () => {
  it('learns of each change with the place in its chain and the record to read again', async () => {
    const agent = await world.login();
    log.append(agent.agentId);
    const stream = await follow(agent);
    expect(stream.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });
    await stream.until(1);
    const operationId = newId();
    const operation = { ...OPERATION, operationId, status: auditV1.OperationStatus.OPERATION_STATUS_CONFIRMED };
    log.append(newId());
    log.append(agent.agentId, { $case: 'operationChanged', value: operation });
    const [ready, change] = await stream.until(2);
    expect(ready).toEqual({ id: '1', event: 'ready', data: {} });
    expect(change).toEqual({
      id: '2',
      event: 'change',
      data: {
        ...{ agentId: agent.agentId, sequence: 2, eventId: expect.any(String) },
        ...{ type: 'agentwallet.operation.confirmed.v1', occurredAt: '2025-11-21T10:00:00.000Z' },
        ...{ action: 'transfer', transactionId: operationId },
      },
    });
    expect(stream.text).toMatch(/^retry: [1-5]\d{3}$/m);
  });

  it('resumes after the last event that it has, at any replica', async () => {
    const agent = await world.login();
    for (let n = 0; n < 3; n += 1) log.append(agent.agentId);
    const first = await follow(agent, '1');
    await first.until(3);
    expect(idsOf(first)).toEqual(['1', '2', '3']);
    first.close();
    log.append(agent.agentId);
    const other = await world.start({}, { followEveryMs: 10 });
    const second = await follow(agent, '3', other.url);
    await second.until(2);
    log.append(agent.agentId);
    await second.until(3);
    expect(second.events.map(({ id, event }) => [id, event])).toEqual([
      ['3', 'ready'],
      ['4', 'change'],
      ['5', 'change'],
    ]);
  });

  it('loses no change and gets none twice while streams come and go and the log grows', async () => {
    const agent = await world.login();
    const streams: EventReader[] = [];
    for (let n = 0; n < 40; n += 1) {
      log.append(agent.agentId);
      if (n % 10 === 0) streams.push(await follow(agent, '0'));
    }
    for (const stream of streams) await stream.until(41);
    const all = ['0', ...Array.from({ length: 40 }, (_, n) => String(n + 1))];
    for (const stream of streams) expect(idsOf(stream)).toEqual(all);
  });

  it('is asked to read again when it has missed too much, or its place is not in the log', async () => {
    const agent = await world.login();
    log.atMost = 2;
    for (let n = 0; n < 4; n += 1) log.append(agent.agentId);
    for (const [place, expected] of [
      ['1', { id: '4', event: 'reset', data: {} }],
      ['9', { id: '4', event: 'reset', data: {} }],
      ['2', { id: '2', event: 'ready', data: {} }],
    ] as const) {
      const [first] = await (await follow(agent, place)).until(1);
      expect(first).toEqual(expected);
    }
  });

  it('is ended when the log is restored to an earlier state, and begins again with what it says', async () => {
    const agent = await world.login();
    for (let n = 0; n < 4; n += 1) log.append(agent.agentId);
    const stream = await follow(agent);
    await stream.until(1);
    log.cut(2);
    await stream.untilEnd();
    expect(stream.ended).toBe('well');
    const [again] = await (await follow(agent, '4')).until(1);
    expect(again).toEqual({ id: '2', event: 'reset', data: {} });
  });

  it.each(['', 'x', '-1', '1.5', '01938f70-0000-7000-8000-000000000001:1', '9999999999999999', '1 '.repeat(2)])(
    'gets an error for a last event %j that no stream has sent',
    async (id) => {
      const agent = await world.login();
      const reply = await agent.client.get('/wallets/me/events', { headers: { 'last-event-id': id || 'é' } });
      expectFailure(reply, 400, 'VALIDATION_ERROR');
      expect(reply.text).toContain('Last-Event-ID');
    },
  );

  it('is ended soon after its session, and not before', async () => {
    const [evicted, other] = [await world.login(), await world.login()];
    const [stream, stays] = [await follow(evicted), await follow(other)];
    await evicted.client.post('/connect/logout');
    await stream.untilEnd();
    expect(stream.ended).toBe('well');
    expectFailure(await evicted.client.get('/wallets/me/events'), 401, 'AUTHENTICATION_ERROR');
    log.append(other.agentId);
    await stays.until(2);
    expect(stays.ended).toBeUndefined();
  });

  it('gets an error at once while history is away, and the streams that are open go on after it', async () => {
    const agent = await world.login();
    const stream = await follow(agent);
    await stream.until(1);
    const { findChanges, followChanges } = world.script.history;
    const away = async () => {
      throw new AppError('SERVICE_UNAVAILABLE');
    };
    Object.assign(world.script.history, { findChanges: away, followChanges: away });
    expectFailure(await agent.client.get('/wallets/me/events'), 503, 'SERVICE_UNAVAILABLE');
    Object.assign(world.script.history, { findChanges, followChanges });
    log.append(agent.agentId);
    expect(await stream.until(2)).toHaveLength(2);
  });

  it('has ten streams at most: one more ends the oldest', async () => {
    const agent = await world.login();
    const streams = [];
    for (let n = 0; n < 11; n += 1) streams.push(await follow(agent));
    await streams[0]!.untilEnd();
    log.append(agent.agentId);
    for (const stream of streams.slice(1)) await stream.until(2);
    expect(streams.filter(({ ended }) => ended === undefined)).toHaveLength(10);
  });

  it('has no more than ten of those that are opened at once, also where one is ended before it begins', async () => {
    const agent = await world.login();
    const { findChanges } = world.script.history;
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    world.script.history.findChanges = async (request) => {
      await gate;
      return findChanges(request);
    };
    const opening = Array.from({ length: 25 }, () => follow(agent));
    // Reviews write to those that wait; one that has ended takes nothing any more.
    const other = await world.login();
    await eventually(async () => (await other.client.get('/healthz')).status === 200);
    release();
    const streams = await Promise.all(opening);
    expect(streams.map(({ status }) => status)).toEqual(streams.map(() => 200));
    await eventually(async () => streams.filter(({ ended }) => ended === undefined).length === 10);
    log.append(agent.agentId);
    await eventually(async () => streams.filter(({ events }) => events.length === 2).length === 10);
  });

  it('answers HEAD without a stream', async () => {
    const agent = await world.login();
    expect(await agent.client.call('HEAD', '/wallets/me/events', {})).toMatchObject({ status: 200, text: '' });
  });

  it('sees from comments that the connection lives', async () => {
    const stream = await follow(await world.login());
    await eventually(async () => stream.text.includes('\n\n:\n\n'));
  });
});

describe('a gateway', () => {
  it('ends its streams when it stops, and reads nothing while no one follows', async () => {
    const gateway = await world.start({}, { followEveryMs: 10 });
    const agent = await world.login();
    const stream = await follow(agent, undefined, gateway.url);
    await stream.until(1);
    await gateway.stop();
    await stream.untilEnd();
    expect(stream.ended).toBe('well');
    await eventually(async () => {
      log.reads = 0;
      await world.login();
      return log.reads === 0;
    });
  });
});

describe('an owner who follows agents', () => {
  let fake: FakeOwners;
  let browser: Browser;
  let ownerId: string;

  beforeEach(async () => {
    fake = new FakeOwners(world);
    people += 1;
    browser = new Browser(world.client.from(`10.9.0.${people}`));
    ownerId = await browser.openWithPasskey(world, `follower${people}@example.com`);
  });

  const open = (lastEventId?: string) =>
    read(`${world.client.url}/owner/events`, {
      cookie: browser.cookie,
      origin: ORIGIN,
      'x-forwarded-for': `10.9.0.${people}`,
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    });

  it('learns of changes of each of them, and of nothing else, and resumes after any of these', async () => {
    const [a, b, foreign] = [newId(), newId(), newId()];
    fake.agents.push({ ownerId, agentId: a }, { ownerId, agentId: b });
    log.append(a);
    const stream = await open();
    expect(stream.headers).toMatchObject({ 'access-control-allow-origin': ORIGIN });
    await stream.until(1);
    for (const agentId of [b, foreign, a, ownerId]) log.append(agentId);
    await stream.until(4);
    expect(idsOf(stream)).toEqual([`${a}:1`, `${b}:1`, `${a}:2`, `${ownerId}:1`]);
    const resumed = await open(`${b}:1`);
    await resumed.until(3);
    expect(idsOf(resumed)).toEqual([`${b}:1`, `${a}:2`, `${ownerId}:1`]);
    const [lost] = await (await open(`${foreign}:1`)).until(1);
    expect(lost).toMatchObject({ event: 'reset' });
  });

  it('learns of an agent that is claimed meanwhile, and no more of one that is not theirs', async () => {
    const [mine, later] = [newId(), newId()];
    fake.agents.push({ ownerId, agentId: mine });
    const stream = await open();
    await stream.until(1);
    fake.agents.splice(0, 1, { ownerId, agentId: later });
    await stream.until(2);
    expect(stream.events[1]).toEqual({ id: stream.events[0]!.id, event: 'reset', data: {} });
    const known = stream.events.length;
    log.append(mine);
    log.append(later);
    await stream.until(known + 1);
    expect(stream.text).not.toContain(mine);
  });

  it('needs a session, and the page of the console', async () => {
    const path = '/owner/events';
    expectFailure(await world.client.get(path, { headers: { origin: ORIGIN } }), 401, 'AUTHENTICATION_ERROR');
    browser.origin = 'https://other.example.com';
    expectFailure(await browser.get(path), 401, 'AUTHENTICATION_ERROR');
  });

  it('is ended with the session', async () => {
    const stream = await open();
    await stream.until(1);
    await browser.post('/owner/logout');
    await stream.untilEnd();
    expect(stream.ended).toBe('well');
  });
});

it('streams are the only requests that the cluster’s public route does not bound in time', () => {
  const file = path.join(import.meta.dirname, '..', '..', '..', 'k8s', 'components', 'public-route', 'route.yaml');
  const routes = parseAllDocuments(readFileSync(file, 'utf8')).map((document) => document.toJS() as HttpRoute);
  const unbound = routes.flatMap(({ spec }) => spec.rules.filter(({ timeouts }) => timeouts.request === '0s'));
  const paths = unbound.flatMap(({ matches }) => matches.map((match) => match.path));
  const streams = ROUTES.filter(isStream).map((route) => ({ type: 'Exact', value: route.path }));
  expect(paths).toEqual([...streams, { type: 'Exact', value: MCP_PATH }]);
});

interface HttpRoute {
  readonly spec: {
    readonly rules: ReadonlyArray<{
      readonly matches: ReadonlyArray<{ readonly path: { readonly type: string; readonly value: string } }>;
      readonly timeouts: { readonly request: string };
    }>;
  };
}

const OPERATION: auditV1.OperationChanged = {
  operationId: newId(),
  revision: 1,
  action: 'transfer',
  status: auditV1.OperationStatus.OPERATION_STATUS_PENDING,
  asset: 'USDC',
  amount: 64_100_000n,
  decimals: 6,
  to: '11111111111111111111111111111112',
  signature: '',
  facts: undefined,
  createdAtMs: 1_700_000_000_000n,
};
