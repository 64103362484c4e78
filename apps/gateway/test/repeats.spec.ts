import { silent } from '@agent-wallet/platform/testing';
import { eventually } from '@agent-wallet/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ErrorCode } from '@agent-wallet/kernel';
import { type Database, openDatabase } from '@agent-wallet/platform';
import type { Client, Reply } from './client.js';
import { CONFIRMED } from './default-script.js';
import { BODY, fails, GENEROUS, type Transfer, walletDoes as scriptWallet } from './wallet-script.js';
import { secret, World } from './world.js';

// What skill.md tells a client to do, and what comes of it.

let world: World;
let superuser: Database;
let client: Client;
let email: string;
let agentId: string;
beforeAll(async () => {
  world = await World.open({ rateLimits: GENEROUS });
  const connection = secret(world.test.connection);
  superuser = openDatabase({ connection, schema: 'gateway', logger: silent });
});
beforeEach(async () => {
  await world.reset();
  ({ client, email, agentId } = await world.login());
});
afterAll(async () => {
  await superuser.close();
  await world.close();
});

const walletDoes = (transfer: Transfer) => scriptWallet(world, [agentId], transfer);

/** Runs work while the gateway cannot have a connection to its database. */
async function withoutDatabase<T>(work: () => Promise<T>): Promise<T> {
  const { user, database } = world.test.schemas.gateway;
  await superuser.pool.query(`alter database "${database}" connection limit 0`);
  await superuser.pool.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where usename = $1 and datname = $2',
    [user, database],
  );
  try {
    return await work();
  } finally {
    await superuser.pool.query(`alter database "${database}" connection limit -1`);
  }
}

/** Whether an answer ends its key's operation: a success, or a refusal that names it. */
const isFinal = ({ status, body }: Reply) => status === 200 || (status >= 400 && body.data.transactionId !== undefined);

/** Repeats with the same key until an answer is final. */
async function insist(as: Client, key: string): Promise<Reply> {
  let answer: Reply | undefined;
  await eventually(async () => isFinal((answer = await as.transfer(BODY, key))));
  return answer as Reply;
}

describe('a client that prefers the original', () => {
  it('gets the first response again, and its failures as ever', async () => {
    const asked = walletDoes(async () => CONFIRMED);
    const first = await client.transfer(BODY, 'original');
    const repeat = (prefer: string) =>
      client.call('POST', '/wallets/me/actions/transfer', {
        body: BODY,
        headers: { 'idempotency-key': 'original', prefer },
      });
    for (const prefer of ['return=original', 'respond-async, Return="original"; x=1']) {
      const again = await repeat(prefer);
      expect([again.status, again.headers['idempotency-status']]).toEqual([200, 'cached']);
      expect(again.body).toEqual(first.body);
    }
    for (const prefer of ['return=minimal', 'original', 'return=originals']) {
      expect((await repeat(prefer)).body.data).toEqual({ cached: true, originalResponse: first.body.data });
    }
    expect(asked).toHaveLength(1);
  });
});

describe('a client that keeps to the rule', () => {
  it('has one effect when its answer is lost and the database is away at the repeat', async () => {
    const asked = walletDoes(async () => CONFIRMED);
    await client.transfer(BODY, 'lost'); // and the answer does not arrive
    const repeat = await withoutDatabase(() => client.transfer(BODY, 'lost'));
    expect([repeat.status, repeat.body.data.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    expect(isFinal(repeat)).toBe(false);
    const answer = await insist(client, 'lost');
    expect([answer.status, answer.headers['idempotency-status']]).toEqual([200, 'cached']);
    expect(asked).toHaveLength(1);
  });

  it('has one effect when its token is over at the repeat', async () => {
    const asked = walletDoes(async () => CONFIRMED);
    await client.transfer(BODY, 'logged out');
    await client.post('/connect/logout', {});
    const repeat = await client.transfer(BODY, 'logged out');
    expect([repeat.status, isFinal(repeat)]).toEqual([401, false]);
    const answer = await insist(client.as(await world.tokenFor(email, client)), 'logged out');
    expect([answer.status, answer.headers['idempotency-status']]).toEqual([200, 'cached']);
    expect(asked).toHaveLength(1);
  });

  it('is served under the same key when nothing was begun: no early 5xx is kept', async () => {
    const asked = walletDoes(async () => CONFIRMED);
    const refused = await withoutDatabase(() => client.transfer(BODY, 'early'));
    expect([refused.status, isFinal(refused)]).toEqual([503, false]);
    const answer = await insist(client, 'early');
    expect([answer.status, answer.headers['idempotency-status']]).toEqual([200, 'fresh']);
    expect(asked).toHaveLength(1);
  });

  it.each<ErrorCode>([
    'INTERNAL_ERROR',
    'UPSTREAM_ERROR',
    'SERVICE_UNAVAILABLE',
    'UPSTREAM_TIMEOUT',
    'TRANSACTION_EXPIRED',
    'RATE_LIMIT_EXCEEDED',
    'INSUFFICIENT_FUNDS',
    'POLICY_VIOLATION',
  ])('knows that %s of its operation is the end of it', async (code) => {
    const asked = walletDoes(fails(code));
    const answer = await client.transfer(BODY, code);
    expect(answer.body.data).toMatchObject({ code, transactionId: asked[0]?.operationId });
    expect((await client.transfer(BODY, code)).text).toBe(answer.text);
    expect(asked).toHaveLength(1);
  });
});
