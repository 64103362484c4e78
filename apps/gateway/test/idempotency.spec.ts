import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { purgeExpired } from '../src/adapters/housekeeping.js';
import { type Client, expectReplayed } from './client.js';
import { CONFIRMED, RECIPIENT, SUBMITTED } from './default-script.js';
import { BODY, fails, GENEROUS, type Transfer, walletDoes as scriptWallet } from './wallet-script.js';
import { World } from './world.js';

let world: World;
let client: Client;
let agentId: string;
beforeAll(async () => {
  world = await World.open({ rateLimits: GENEROUS });
});
beforeEach(async () => {
  await world.reset();
  ({ client, agentId } = await world.login());
});
afterAll(() => world.close());

const walletDoes = (transfer: Transfer) => scriptWallet(world, [agentId], transfer);

describe('an idempotency key', () => {
  it('answers a repeat in the duplicate shape', async () => {
    const asked = walletDoes(async () => CONFIRMED);
    const first = await client.transfer(BODY, 'key 1');
    expect([first.status, first.headers['idempotency-status']]).toEqual([200, 'fresh']);
    const second = await client.transfer(BODY, 'key 1');
    expect(second.headers['idempotency-status']).toBe('cached');
    expect(second.body).toEqual({
      status: true,
      statusCode: 200,
      message: expect.stringMatching(/already processed/),
      data: { cached: true, originalResponse: first.body.data },
    });
    expect(asked).toHaveLength(1);
  });

  it('tells fifty at once apart: one effect, one fresh answer', async () => {
    let effects = 0;
    walletDoes(async () => {
      effects += 1;
      await new Promise((resolve) => setTimeout(resolve, 300));
      return CONFIRMED;
    });
    const answers = await Promise.all(Array.from({ length: 50 }, () => client.transfer(BODY, 'fifty')));
    const fresh = answers.filter((answer) => answer.headers['idempotency-status'] === 'fresh');
    expect([effects, fresh.length, fresh[0]?.status]).toEqual([1, 1, 200]);
    for (const answer of answers) {
      if (answer === fresh[0]) continue;
      if (answer.status === 409) {
        expect(answer.body.data.code).toBe('IDEMPOTENCY_IN_PROGRESS');
        expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
      } else expect([answer.status, answer.body.data.cached]).toEqual([200, true]);
    }
  });

  it('refuses another body, and takes the same body written otherwise', async () => {
    await client.transfer(BODY, 'mismatch');
    const other = await client.transfer({ ...BODY, amount: 64.2 }, 'mismatch');
    expect([other.status, other.body.data.code]).toEqual([422, 'IDEMPOTENCY_MISMATCH']);
    const raw = `{ "mint":"USDC", "amount":6.410e1, "to":"${RECIPIENT}" }`;
    const headers = { 'idempotency-key': 'mismatch' };
    const same = await client.call('POST', '/wallets/me/actions/transfer', { raw, headers });
    expect([same.status, same.body.data.cached]).toEqual([200, true]);
  });

  it('belongs to its agent', async () => {
    const other = await world.login();
    const asked = scriptWallet(world, [agentId, other.agentId], async () => CONFIRMED);
    await client.transfer(BODY, 'shared');
    expect((await other.client.transfer(BODY, 'shared')).headers['idempotency-status']).toBe('fresh');
    expect(asked[0]?.operationId).not.toBe(asked[1]?.operationId);
  });

  it('has 1 to 128 printable characters', async () => {
    for (const key of ['', 'x'.repeat(129), 'tab\there', 'ümlaut']) {
      const answer = await client.transfer(BODY, Buffer.from(key).toString('latin1'));
      expect([answer.status, answer.body.data.code]).toEqual([400, 'INVALID_IDEMPOTENCY_KEY']);
    }
    const twice = await client.post('/wallets/me/actions/transfer', BODY, { 'idempotency-key': ['a', 'b'] });
    expect(twice.body.data.code).toBe('INVALID_IDEMPOTENCY_KEY');
    expect((await client.transfer(BODY, 'x'.repeat(128))).status).toBe(200);
    expect((await client.transfer(BODY, 'x')).status).toBe(200);
  });

  it.each(['POLICY_VIOLATION', 'INSUFFICIENT_FUNDS', 'TRANSACTION_EXPIRED', 'UPSTREAM_ERROR'] as const)(
    'keeps a failure with %s and replays it',
    async (code) => {
      const asked = walletDoes(fails(code));
      const first = await client.transfer(BODY, code);
      expect(first.headers['idempotency-status']).toBe('fresh');
      walletDoes(async () => CONFIRMED);
      expectReplayed(first, await client.transfer(BODY, code));
      expect(asked).toHaveLength(1);
    },
  );

  it.each(['VALIDATION_ERROR', 'UNKNOWN_TOKEN', 'INVALID_ADDRESS'] as const)(
    'stays free when the wallet answers %s',
    async (code) => {
      walletDoes(fails(code));
      expect((await client.transfer(BODY, code)).status).toBe(400);
      const asked = walletDoes(async () => CONFIRMED);
      const corrected = await client.transfer({ ...BODY, amount: 1 }, code);
      expect([corrected.status, asked.length]).toEqual([200, 1]);
    },
  );

  it('stays free when the request is refused before', async () => {
    expect((await client.transfer({ ...BODY, amount: 0 }, 'free')).status).toBe(400);
    expect((await world.client.transfer(BODY, 'free')).status).toBe(401);
    expect((await client.transfer(BODY, 'free')).headers['idempotency-status']).toBe('fresh');
  });

  const DAY_MS = 24 * 3_600_000;

  it.each([
    ['a success', async () => CONFIRMED, 200],
    ['a failure', fails('INSUFFICIENT_FUNDS'), 400],
  ] as Array<[string, Transfer, number]>)(
    'keeps %s for 24 hours from the final answer, and then takes its key for a new request',
    async (_, transfer, status) => {
      // The operation was open for a day and a half before it ended: that does not count.
      const startedAtMs = world.clock.nowMs();
      world.clock.stopAt(startedAtMs);
      const key = `kept ${status}`;
      walletDoes(async () => SUBMITTED);
      expect((await client.transfer(BODY, key)).status).toBe(202);
      const endedAtMs = startedAtMs + 1.5 * DAY_MS;
      world.clock.stopAt(endedAtMs);
      const asked = walletDoes(transfer);
      const ended = await client.transfer(BODY, key);
      expect(ended.status).toBe(status);
      // Once, or twice when the resolver looked at the open operation at the same moment.
      const askedUntilEnd = asked.length;

      world.clock.stopAt(endedAtMs + DAY_MS - 1_000);
      const before = await client.transfer(BODY, key);
      expect([before.text, before.headers['idempotency-status']]).toEqual([ended.text, 'cached']);
      const other = await client.transfer({ ...BODY, amount: 1 }, key);
      expect(other.body.data.code).toBe('IDEMPOTENCY_MISMATCH');
      expect(asked).toHaveLength(askedUntilEnd);

      world.clock.stopAt(endedAtMs + DAY_MS + 1_000);
      walletDoes(async () => CONFIRMED);
      const late = await client.transfer({ ...BODY, amount: 1 }, key);
      expect([late.status, late.headers['idempotency-status']]).toEqual([200, 'fresh']);
      const { transactionId } = late.body.data;
      expect(transactionId).not.toBe(ended.body.data.transactionId);
      const repeat = await client.transfer({ ...BODY, amount: 1 }, key);
      expect(repeat.body.data.originalResponse.transactionId).toBe(transactionId);
    },
  );

  it('whose operation is still unknown never expires', async () => {
    const startedAtMs = world.clock.nowMs();
    world.clock.stopAt(startedAtMs);
    const asked = walletDoes(async () => SUBMITTED);
    const { transactionId } = (await client.transfer(BODY, 'unknown')).body.data;
    for (const afterMs of [DAY_MS - 1_000, DAY_MS + 1_000, 6 * DAY_MS]) {
      world.clock.stopAt(startedAtMs + afterMs);
      const again = await client.transfer(BODY, 'unknown');
      expect([again.status, again.body.data.transactionId]).toEqual([202, transactionId]);
      expect((await client.transfer({ ...BODY, amount: 1 }, 'unknown')).body.data.code).toBe('IDEMPOTENCY_MISMATCH');
    }
    // Nor is its row cleared away with those that are over.
    await purgeExpired(world.database, world.clock);
    expect((await client.transfer(BODY, 'unknown')).body.data.transactionId).toBe(transactionId);
    expect(new Set(asked.map(({ operationId }) => operationId))).toEqual(new Set([transactionId]));
  });
});
