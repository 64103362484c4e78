import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Reply } from './client.js';
import { OAuthApp } from './oauth-app.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;
/** Time in which a token may be used again, as docs/mcp.md promises. */
const AGAIN = 2 * MINUTE;

let app: OAuthApp;
let startMs: number;
let first: string;
beforeAll(async () => {
  app = await OAuthApp.open();
  startMs = app.world.clock.nowMs();
});
afterAll(() => app.world.close());
beforeEach(() => begin());

/** Starts over with a new grant, at the time at which the owner logged in. */
async function begin(): Promise<void> {
  app.world.clock.stopAt(startMs);
  first = (await app.connect()).refresh_token;
}

const wait = (ms: number) => app.world.clock.stopAt(app.world.clock.nowMs() + ms);

const successor = (reply: Reply): string => {
  expect([reply.status, reply.body.error]).toEqual([200, undefined]);
  return reply.body.refresh_token as string;
};

const refresh = async (token: string) => successor(await app.refresh(token));

async function expectEnded(...tokens: string[]): Promise<void> {
  for (const token of tokens) expect((await app.refresh(token)).body).toMatchObject({ error: 'invalid_grant' });
}

/** Returns numbers below `below` that depend on the seed alone. */
function choices(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const MCP = { accept: 'application/json, text/event-stream' };

const SEEDS = Array.from({ length: 12 }, (_, i) => i + 1);

/** Refreshes with a token once or more within the time, as windows at once or after lost responses do. */
async function race(token: string, choose: (below: number) => number): Promise<string[]> {
  const successors = [await refresh(token)];
  let leftMs = AGAIN - 1;
  for (let more = choose(4); more > 0; more -= 1) {
    const pauseMs = choose(leftMs);
    leftMs -= pauseMs;
    wait(pauseMs);
    successors.push(await refresh(token));
  }
  return successors;
}

describe('a refresh token', () => {
  it('has a good successor for each of two windows', async () => {
    const [one, other] = [await refresh(first), await refresh(first)];
    const next = await refresh(one);
    wait(DAY);
    await Promise.all([refresh(other), refresh(next)]);
  });

  it('has good successors for refreshes at the same time', async () => {
    const all = await Promise.all(Array.from({ length: 5 }, () => refresh(first)));
    wait(DAY);
    expect(new Set(await Promise.all(all.map(refresh))).size).toBe(5);
  });

  it('works for a slow window after the other has refreshed twice', async () => {
    const next = await refresh(await refresh(first));
    wait(3 * SECOND);
    const slow = await refresh(first);
    await Promise.all([refresh(next), refresh(slow)]);
  });

  it.each([90 * SECOND, AGAIN - 1])('works again %i ms later', async (ms) => {
    const lost = await refresh(first);
    wait(ms);
    await refresh(await refresh(first));
    await refresh(lost);
  });

  it.each([AGAIN, AGAIN + 1, DAY])('ends the grant when it comes again %i ms later', async (ms) => {
    const [one, other] = [await refresh(first), await refresh(first)];
    wait(ms);
    await expectEnded(first, one, other);
  });

  it('is not usable for longer because it is used again', async () => {
    const one = await refresh(first);
    wait(AGAIN - 1);
    await refresh(first);
    wait(1);
    await expectEnded(first, one);
  });
});

it('an access token is good for an hour', async () => {
  const { access_token } = await app.connect();
  const statusOf = async () =>
    (await app.client.as(access_token).post('/mcp', { jsonrpc: '2.0', id: 1, method: 'ping' }, MCP)).status;
  wait(60 * MINUTE - SECOND);
  expect(await statusOf()).toBe(200);
  wait(SECOND);
  expect(await statusOf()).toBe(401);
});

describe('two honest windows', () => {
  it.each(SEEDS)('never end the grant, in sequence %i', async (seed) => {
    const choose = choices(seed);
    // What a window remembers by itself, or reads from the store that both share.
    let windows = [first, first];
    for (let round = 0; round < 8; round += 1) {
      const isShared = windows[0] === windows[1];
      const which = choose(2);
      const successors = await race(windows[which]!, choose);
      const pick = () => successors[choose(successors.length)]!;
      windows = isShared || choose(3) === 0 ? [pick(), pick()] : windows.map((own, i) => (i === which ? pick() : own));
      wait(choose(3) === 0 ? choose(10) * DAY : choose(MINUTE));
    }
    await Promise.all(windows.map(refresh));
  });
});

describe('a thief', () => {
  it.each(SEEDS)('who replays a copy too late ends the grant, in sequence %i', async (seed) => {
    const choose = choices(seed);
    const used: string[] = [];
    let unused = [first];
    for (let round = 0; round <= choose(6); round += 1) {
      const token = unused[choose(unused.length)]!;
      used.push(token);
      unused = [...unused.filter((each) => each !== token), ...(await race(token, choose))];
      wait(choose(MINUTE));
    }
    const copy = used[choose(used.length)]!;
    wait(AGAIN + choose(DAY));
    await expectEnded(copy, ...unused, ...used);
  });

  it.each([AGAIN, 10 * MINUTE, DAY])('who refreshes first is found by the app %i ms later', async (ms) => {
    const stolen = await refresh(first);
    const more = await refresh(stolen);
    wait(ms);
    await expectEnded(first, stolen, more);
  });
});
