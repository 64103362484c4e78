import { auditV1 } from '@agent-wallet/contracts';
import { eventually } from '@agent-wallet/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Client, Reply } from './client.js';
import { expectFailure } from './expect-failure.js';
import { claimsOf, jtiOf, successorOf } from './issued-tokens.js';
import { GENEROUS } from './wallet-script.js';
import { World } from './world.js';

const SECOND_MS = 1_000;
const UNKNOWN = '01938f6e-5b7a-7cc3-98c4-dc0c0c07398f';

let world: World;
let replica: string;
beforeAll(async () => {
  world = await World.open({ rateLimits: GENEROUS });
  replica = (await world.start()).url;
});
beforeEach(() => world.reset());
afterAll(() => world.close());

interface Listed {
  readonly id: string;
  readonly authenticatedAt: string;
  readonly lastUsedAt: string | null;
  readonly network: string | null;
  readonly current: boolean;
}

async function listed(client: Client): Promise<Listed[]> {
  const answer = await client.get('/connect/sessions');
  expect(answer.status).toBe(200);
  return answer.body.data.sessions as Listed[];
}

const statusAt = async (client: Client) => (await client.post('/connect/validate')).status;

/** A later login of the same owner, from another place. */
async function loginAgain(email: string, address = '198.51.100.7'): Promise<Client> {
  world.clock.aheadMs += 2 * SECOND_MS;
  const client = world.client.from(address);
  return client.as(await world.tokenFor(email, client));
}

/** The audit events of an agent's sessions that were published, by their names. */
async function published(agentId: string): Promise<string[]> {
  const { rows } = await world.events.pool.query<{ payload: Buffer }>('select payload from log order by position');
  return rows
    .map(({ payload }) => auditV1.AuditEvent.decode(payload))
    .flatMap(({ agentId: id, fact }) => (id === agentId && fact ? [fact.$case] : []));
}

/** Asks for a code that ends all sessions. */
async function evictionCode(
  email: string,
  client = world.client,
): Promise<{ email: string; otpId: string; otpCode: string }> {
  const started = await client.post('/connect/start', { email, purpose: 'evict' });
  expect(started.status).toBe(200);
  return { email, otpId: started.body.data.otpId as string, otpCode: world.inbox.lastCode(email) };
}

describe('GET /connect/sessions', () => {
  it('lists the live sessions of the caller’s agent: when, where from, and which one asks', async () => {
    const { client, email } = await world.login();
    await world.login();
    const later = await loginAgain(email);
    const sessions = await listed(later);
    expect(sessions).toEqual([
      {
        id: expect.any(String),
        createdAt: expect.any(String),
        authenticatedAt: expect.any(String),
        lastUsedAt: expect.any(String),
        expiresAt: expect.any(String),
        network: '198.51.100.0/24',
        current: true,
      },
      expect.objectContaining({
        network: expect.stringMatching(/^10\.1\.\d+\.0\/24$/),
        current: false,
        lastUsedAt: null,
      }),
    ]);
    expect((await listed(client)).map(({ current }) => current)).toEqual([false, true]);
    await client.post('/connect/logout');
    expect(await listed(later)).toHaveLength(1);
  });

  it('keeps the time of the last code through a refresh', async () => {
    const { client } = await world.login();
    const [before] = await listed(client);
    world.clock.aheadMs += 5 * SECOND_MS;
    const refreshed = client.as(successorOf(await client.post('/connect/refresh')));
    const [after] = (await listed(refreshed)) as [Listed & { createdAt: string }];
    expect(after.authenticatedAt).toBe(before!.authenticatedAt);
    expect(Date.parse(after.createdAt)).toBeGreaterThan(Date.parse(after.authenticatedAt));
  });

  it('knows the last use to the minute: uses between two minutes write nothing', async () => {
    const { client } = await world.login();
    world.clock.stopAt(world.clock.nowMs());
    const first = (await listed(client))[0]!;
    const firstMs = Date.parse(first.lastUsedAt!);
    world.clock.stopAt(firstMs + 59 * SECOND_MS);
    expect((await listed(client))[0]!.lastUsedAt).toBe(first.lastUsedAt);
    expect((await listed(client.at(replica)))[0]!.lastUsedAt).toBe(first.lastUsedAt);
    world.clock.stopAt(firstMs + 61 * SECOND_MS);
    await eventually(async () => Date.parse((await listed(client))[0]!.lastUsedAt!) === firstMs + 61 * SECOND_MS);
  });
});

describe('DELETE /connect/sessions/{id}', () => {
  it('ends a session of an earlier login at every replica, and its later refresh', async () => {
    const { client, email } = await world.login();
    const later = await loginAgain(email);
    const old = (await listed(later)).find(({ current }) => !current)!;
    const refreshed = client.as(successorOf(await client.post('/connect/refresh')));
    const answer = await later.delete(`/connect/sessions/${old.id.toUpperCase()}`);
    expect([answer.status, answer.body.data]).toEqual([200, { revoked: true }]);
    expect(await Promise.all([client, refreshed, refreshed.at(replica), later].map(statusAt))).toEqual([
      401, 401, 401, 200,
    ]);
    expectFailure(await later.delete(`/connect/sessions/${old.id}`), 404, 'NOT_FOUND');
  });

  it('ends the caller’s own session', async () => {
    const { client } = await world.login();
    const [own] = await listed(client);
    expect((await client.delete(`/connect/sessions/${own!.id}`)).status).toBe(200);
    expect(await statusAt(client.at(replica))).toBe(401);
  });

  it('does not let a token end the session of a later login, also after a refresh', async () => {
    const { client: thief, email } = await world.login();
    const owner = await loginAgain(email);
    const target = (await listed(owner)).find(({ current }) => current)!;
    const refused = await thief.delete(`/connect/sessions/${target.id}`);
    expectFailure(refused, 401, 'AUTHENTICATION_ERROR');
    expect(refused.body.data.reason).toBe('login_too_old');
    const refreshed = thief.as(successorOf(await thief.post('/connect/refresh')));
    expect((await refreshed.delete(`/connect/sessions/${target.id}`)).status).toBe(401);
    expect(await statusAt(owner)).toBe(200);
  });

  it('answers 404 for a session of another agent and for an unknown one, and ends nothing', async () => {
    const [mine, other] = [await world.login(), await world.login()];
    for (const id of [jtiOf(other.token), UNKNOWN]) {
      const answer = await mine.client.delete(`/connect/sessions/${id}`);
      expectFailure(answer, 404, 'NOT_FOUND');
      expect(answer.body.data.resource).toBe('session');
    }
    expect((await mine.client.delete('/connect/sessions/all')).status).toBe(400);
    expect(await statusAt(other.client)).toBe(200);
  });
});

describe('POST /connect/evict', () => {
  it('ends every session of the agent: no replica takes a token after the answer, and other agents keep theirs', async () => {
    const { client, email } = await world.login();
    const sessions = [client, await loginAgain(email), await loginAgain(email)];
    const other = (await world.login()).client;
    // Both replicas know each token before.
    for (const each of sessions) expect(await Promise.all([each, each.at(replica)].map(statusAt))).toEqual([200, 200]);
    const answer = await world.client.post('/connect/evict', await evictionCode(email));
    expect([answer.status, answer.body.data]).toEqual([200, { ended: 3 }]);
    const statuses = await Promise.all(sessions.flatMap((each) => [each, each.at(replica)].map(statusAt)));
    expect(new Set(statuses)).toEqual(new Set([401]));
    expect(await statusAt(other)).toBe(200);
    // The owner logs in at once.
    expect(await statusAt(await loginAgain(email))).toBe(200);
  });

  it('takes a code once, and for its purpose only', async () => {
    const { client, email } = await world.login();
    const eviction = await evictionCode(email);
    const login = await world.otp(email, world.client);
    expectFailure(await world.client.post('/connect/complete', eviction), 401, 'AUTHENTICATION_ERROR');
    const swapped = { email, otpId: login.otpId, otpCode: login.code };
    expectFailure(await world.client.post('/connect/evict', swapped), 401, 'AUTHENTICATION_ERROR');
    expect(await statusAt(client)).toBe(200);
    expect((await world.client.post('/connect/evict', eviction)).body.data).toEqual({ ended: 1 });
    expect((await world.client.post('/connect/evict', eviction)).status).toBe(401);
  });

  it('answers for an unknown address as for a wrong code, also to the holder of its mailbox', async () => {
    const known = await world.login();
    const email = 'without-agent@example.com';
    const right = await evictionCode(email);
    const wrong = { ...(await evictionCode(known.email)), otpCode: '000000' };
    const unknown = { email: 'never-seen@example.com', otpId: UNKNOWN, otpCode: '123456' };
    const answers = await Promise.all([right, wrong, unknown].map((body) => world.client.post('/connect/evict', body)));
    const seen = answers.map(({ status, body }) => [status, body.message, { ...body.data, requestId: '' }]);
    expect(seen[0]![0]).toBe(401);
    expect(seen[1]).toEqual(seen[0]);
    expect(seen[2]).toEqual(seen[0]);
    expect(await statusAt(known.client)).toBe(200);
  });

  it('mails a text that says what the code does, and refuses an unknown purpose', async () => {
    const { email } = await world.login();
    await evictionCode(email);
    expect(world.inbox.mails.findLast(({ to }) => to === email)?.text).toContain(
      'Every token of the agent stops working',
    );
    const refused = await world.client.post('/connect/start', { email, purpose: 'claim' });
    expect([refused.status, refused.body.data.details[0].field]).toEqual([400, 'purpose']);
  });

  it('lets a stranger’s login codes not displace the code', async () => {
    const { client, email } = await world.login();
    const eviction = await evictionCode(email);
    for (let n = 0; n < 4; n += 1) await world.otp(email, world.client.from('203.0.113.66'));
    expect((await world.client.post('/connect/evict', eviction)).status).toBe(200);
    expect(await statusAt(client)).toBe(401);
  });

  it('lets no refresh escape that is under way', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { client, email } = await world.login();
      const code = await evictionCode(email);
      const tokens = [client];
      let stopped = false;
      const refreshing = (async () => {
        for (let newest = client; !stopped;) {
          const answer = await newest.at(tokens.length % 2 ? replica : world.client.url).post('/connect/refresh');
          if (answer.status !== 200) return;
          tokens.push((newest = newest.as(successorOf(answer))));
        }
      })();
      await eventually(() => tokens.length > 2);
      expect((await world.client.post('/connect/evict', code)).body.data).toEqual({ ended: 1 });
      stopped = true;
      await refreshing;
      expect(await Promise.all(tokens.slice(-2).map(statusAt))).toEqual([401, 401]);
    }
  });
});

describe('POST /connect/refresh with a replaced token', () => {
  it('gives the same session again within 60 seconds, as long as the new token was not used', async () => {
    const { client } = await world.login();
    const first = successorOf(await client.post('/connect/refresh'));
    world.clock.aheadMs += 59 * SECOND_MS;
    const again = successorOf(await client.at(replica).post('/connect/refresh'));
    expect(claimsOf(again)).toEqual(claimsOf(first));
    expect(await Promise.all([client.as(again), client.as(first)].map(statusAt))).toEqual([200, 200]);
  });

  it.each([
    ['after the new token was used', 1, true],
    ['after 60 seconds', 61, false],
  ])('ends the whole family %s, once, and writes it to the audit log', async (_, seconds, isUsed) => {
    const { client, email, agentId } = await world.login();
    const sibling = await loginAgain(email);
    const successor = client.as(successorOf(await client.post('/connect/refresh')));
    if (isUsed) expect(await statusAt(successor)).toBe(200);
    world.clock.aheadMs += seconds * SECOND_MS;
    for (const at of [replica, client.url, replica]) {
      const refused = await client.at(at).post('/connect/refresh');
      expectFailure(refused, 401, 'AUTHENTICATION_ERROR');
      expect(refused.body.data.reason).toBe('revoked');
    }
    expect(await Promise.all([successor, successor.at(replica), sibling].map(statusAt))).toEqual([401, 401, 200]);
    await eventually(async () => (await published(agentId)).includes('tokenReused'));
    expect((await published(agentId)).filter((name) => name === 'tokenReused')).toHaveLength(1);
  });

  it('ends the family when a token of two refreshes ago comes', async () => {
    const { client } = await world.login();
    const second = client.as(successorOf(await client.post('/connect/refresh')));
    const third = client.as(successorOf(await second.post('/connect/refresh')));
    expect((await client.post('/connect/refresh')).status).toBe(401);
    expect(await statusAt(third)).toBe(401);
  });

  it('is a plain 401 elsewhere, and ends nothing', async () => {
    const { client } = await world.login();
    const successor = client.as(successorOf(await client.post('/connect/refresh')));
    expect(await statusAt(successor)).toBe(200);
    for (const path of ['/connect/validate', '/connect/logout']) expect((await client.post(path)).status).toBe(401);
    expect((await client.get('/wallets/me/policy')).status).toBe(401);
    expect(await statusAt(successor)).toBe(200);
  });

  it('is a plain 401 for a session that was ended and not replaced', async () => {
    const { client, email, agentId } = await world.login();
    const sibling = await loginAgain(email);
    await client.post('/connect/logout');
    expect((await client.post('/connect/refresh')).status).toBe(401);
    expect(await statusAt(sibling)).toBe(200);
    expect(await published(agentId)).not.toContain('tokenReused');
  });
});

describe('a refresh that is slower than another of the same token', () => {
  it('ends nothing, also when the new token is used before it: it came before the replacement', async () => {
    const { client } = await world.login();
    const { getPolicy } = world.script.policy;
    let release: (() => void) | undefined;
    world.script.policy.getPolicy = async (request) => {
      if (release) return getPolicy(request);
      await new Promise<void>((resolve) => (release = resolve));
      return getPolicy(request);
    };
    const slow = client.post('/connect/refresh');
    await eventually(() => release !== undefined);
    const successor = client.as(successorOf(await client.at(replica).post('/connect/refresh')));
    expect(await statusAt(successor)).toBe(200);
    release!();
    expectFailure(await slow, 401, 'AUTHENTICATION_ERROR');
    expect(await statusAt(successor)).toBe(200);
  });
});

describe('50 refreshes of one token at once, at two replicas', () => {
  it('all get one successor, and end nothing', async () => {
    const { client } = await world.login();
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) => client.at(n % 2 ? replica : client.url).post('/connect/refresh')),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const tokens = answers.map(successorOf);
    expect(new Set(tokens.map(jtiOf)).size).toBe(1);
    expect(await statusAt(client.as(tokens[7]!))).toBe(200);
    expect(await listed(client.as(tokens[0]!))).toHaveLength(1);
  });

  it('race an eviction: whichever is first, no token survives', async () => {
    for (let round = 0; round < 4; round += 1) {
      const { client, email } = await world.login();
      const code = await evictionCode(email);
      const refreshes = Array.from({ length: 10 }, (_, n) =>
        client.at(n % 2 ? replica : client.url).post('/connect/refresh'),
      );
      const [evicted, ...answers] = await Promise.all([world.client.post('/connect/evict', code), ...refreshes]);
      expect(evicted.body.data).toEqual({ ended: 1 });
      const tokens = answers.filter(({ status }) => status === 200).map(successorOf);
      expect(new Set(await Promise.all([client, ...tokens.map((token) => client.as(token))].map(statusAt)))).toEqual(
        new Set([401]),
      );
    }
  });
});

describe('a database connection that dies before the commit', () => {
  /** Holds the agent's row, so that a change of its sessions waits, and cuts the connection of that change. */
  async function cutWhileWaiting(agentId: string, request: () => Promise<Reply>): Promise<Reply> {
    const holder = await world.database.pool.connect();
    await holder.query('begin');
    await holder.query('select 1 from agents where id = $1 for update', [agentId]);
    const answer = request();
    await eventually(async () => {
      const { rowCount } = await world.database.pool.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and usename = current_user
           and wait_event_type = 'Lock' and query like 'select 1 from agents where id%'`,
      );
      return rowCount === 1;
    });
    const reply = await answer;
    await holder.query('commit');
    holder.release();
    return reply;
  }

  it('leaves an eviction without effect, with a code that still works', async () => {
    const { client, email, agentId } = await world.login();
    const code = await evictionCode(email);
    const failed = await cutWhileWaiting(agentId, () => world.client.post('/connect/evict', code));
    expectFailure(failed, 503, 'SERVICE_UNAVAILABLE');
    expect(await statusAt(client)).toBe(200);
    expect((await world.client.post('/connect/evict', code)).body.data).toEqual({ ended: 1 });
    expect(await statusAt(client)).toBe(401);
  });

  it('leaves a refresh without effect, with a token that still works', async () => {
    const { client, agentId } = await world.login();
    const failed = await cutWhileWaiting(agentId, () => client.post('/connect/refresh'));
    expectFailure(failed, 503, 'SERVICE_UNAVAILABLE');
    expect(await statusAt(client)).toBe(200);
    expect((await client.post('/connect/refresh')).status).toBe(200);
  });
});
