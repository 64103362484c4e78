import { AppError } from '@agent-wallet/kernel';
import { eventually } from '@agent-wallet/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { transactionRecord } from '../src/api/history/transactions.js';
import { RESPOND_WITHIN_MS } from '../src/application/operations/run-operation.js';
import { type Client, expectReplayed } from './client.js';
import { CONFIRMED, historyRecord, RECIPIENT, SIGNATURE, SUBMITTED } from './default-script.js';
import {
  BODY,
  fails,
  FIRST_POLL_MS,
  GENEROUS,
  POLLS_OFTEN,
  type Transfer,
  walletDoes as scriptWallet,
} from './wallet-script.js';
import { World } from './world.js';

let world: World;
let client: Client;
let agentId: string;
beforeAll(async () => {
  world = await World.open({ rateLimits: GENEROUS }, POLLS_OFTEN);
});
beforeEach(async () => {
  await world.reset();
  ({ client, agentId } = await world.login());
});
afterAll(() => world.close());

const walletDoes = (transfer: Transfer) => scriptWallet(world, [agentId], transfer);

describe('an open outcome', () => {
  it('is a 202; a repeat shows the present state, and the final one once it is known', async () => {
    const asked = walletDoes(async () => SUBMITTED);
    const first = await client.transfer(BODY, 'open');
    const transactionId = asked[0]?.operationId;
    expect([first.status, first.body.statusCode]).toEqual([202, 202]);
    expect(first.body.data).toEqual({
      ...{ status: 'submitted', transactionStatus: 'submitted', transactionId },
      ...{ signature: null, explorerUrl: null },
    });

    walletDoes(async () => ({ ...SUBMITTED, signature: SIGNATURE }));
    const second = await client.transfer(BODY, 'open');
    expect([second.status, second.headers['idempotency-status']]).toEqual([202, 'cached']);
    expect(second.body.data).toMatchObject({ status: 'submitted', transactionId, signature: SIGNATURE });

    walletDoes(async () => CONFIRMED);
    const third = await client.transfer(BODY, 'open');
    expect(third.status).toBe(200);
    expect(third.body.data).toMatchObject({ cached: true, originalResponse: { transactionId, status: 'confirmed' } });
  });

  it('is resolved without another request', async () => {
    let confirmed = false;
    const asked = walletDoes(async () => (confirmed ? CONFIRMED : SUBMITTED));
    await client.transfer(BODY, 'alone');
    confirmed = true;
    world.clock.aheadMs = FIRST_POLL_MS;
    const state = async () => {
      const found = await world.database.pool.query('select state from idempotency_records where operation_id = $1', [
        asked[0]?.operationId,
      ]);
      return found.rows[0].state as string;
    };
    await eventually(async () => (await state()) === 'final');
    expect(new Set(asked.map(({ operationId }) => operationId)).size).toBe(1);
    expect((await client.transfer(BODY, 'alone')).body.data.originalResponse.status).toBe('confirmed');
  });

  it('a failure found later is kept and replayed', async () => {
    walletDoes(async () => SUBMITTED);
    await client.transfer(BODY, 'later');
    walletDoes(fails('TRANSACTION_EXPIRED'));
    const second = await client.transfer(BODY, 'later');
    expect([second.status, second.body.data.code]).toEqual([504, 'TRANSACTION_EXPIRED']);
    expectReplayed(second, await client.transfer(BODY, 'later'));
  });

  it('stays open when the service that owns it is in trouble: that says nothing about the money', async () => {
    walletDoes(async () => SUBMITTED);
    await client.transfer(BODY, 'trouble');
    walletDoes(fails('SERVICE_UNAVAILABLE'));
    expect((await client.transfer(BODY, 'trouble')).status).toBe(202);
    world.script.history.getTransaction = async ({ transactionId }) => ({
      transaction: historyRecord(transactionId, 'failed'),
    });
    expect((await client.transfer(BODY, 'trouble')).status).toBe(503);
  });

  it('of an action that only a younger release knows shows in history what every request has', async () => {
    walletDoes(async () => SUBMITTED);
    const { transactionId } = (await client.transfer({ ...BODY, amount: 0.1 })).body.data;
    const change = "update idempotency_records set action = 'of_a_younger_release' where operation_id = $1";
    await world.database.pool.query(change, [transactionId]);
    const { status, body } = await client.get(`/wallets/me/history/${transactionId}`);
    expect(status).toBe(200);
    expect(body.data.transaction).toMatchObject({
      asset: null,
      mint: null,
      amount: null,
      status: 'submitted',
      metadata: {},
    });
  });

  it('shows in history before its events have arrived there', async () => {
    walletDoes(async () => SUBMITTED);
    const { transactionId } = (await client.transfer({ ...BODY, amount: 0.1 })).body.data;
    const answer = await client.get(`/wallets/me/history/${transactionId}`);
    expect(answer.status).toBe(200);
    expect(transactionRecord.safeParse(answer.body.data.transaction).error).toBeUndefined();
    expect(answer.body.data.transaction).toEqual({
      id: transactionId,
      action: 'transfer',
      asset: 'USDC',
      mint: null,
      decimals: null,
      amount: 0.1,
      amountRaw: null,
      to: RECIPIENT,
      signature: null,
      explorerUrl: null,
      status: 'submitted',
      metadata: {
        amountSent: null,
        amountSentRaw: null,
        fee: null,
        feeRaw: null,
        feeMode: null,
        rentLamports: null,
        sponsored: false,
        memo: null,
        networkFeeLamports: null,
        error: null,
        errorMessage: null,
      },
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
      valueUsd: null,
    });
    const other = (await world.login()).client;
    expect((await other.get(`/wallets/me/history/${transactionId}`)).status).toBe(404);
  });
});

describe('a wallet service that dies', () => {
  it('before anything was sent: 503, and the key is free', async () => {
    const asked = walletDoes(async () => CONFIRMED);
    await world.services.wallet.kill();
    const answer = await client.transfer(BODY, 'expired');
    expect([answer.status, answer.body.data.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    await world.services.wallet.restart();
    expect(asked).toEqual([]);
    await eventually(async () => (await client.get('/readyz')).status === 200);
    expect((await client.transfer({ ...BODY, amount: 3 }, 'expired')).headers['idempotency-status']).toBe('fresh');
    expect(asked).toHaveLength(1);
  });

  it('in the middle of the call: the same operation is asked for again', async () => {
    let died = false;
    const asked = walletDoes(async () => {
      if (died) return CONFIRMED;
      died = true;
      return new Promise(() => undefined);
    });
    const answer = client.transfer(BODY, 'mid-call');
    await eventually(() => asked.length === 1);
    await world.services.wallet.kill();
    await world.services.wallet.restart();
    const { status, body } = await answer;
    expect([status, body.data.status]).toEqual([200, 'confirmed']);
    expect(new Set(asked.map(({ operationId }) => operationId)).size).toBe(1);
  });

  it('and stays away: 202 once the time to respond is over, then the truth', async () => {
    const asked = walletDoes(() => new Promise(() => undefined));
    const { url } = await world.start({}, { respondWithinMs: 3_000 });
    const answering = client.at(url).transfer(BODY, 'away');
    await eventually(() => asked.length === 1);
    await world.services.wallet.kill();
    const answer = await answering;
    expect([answer.status, answer.body.data.transactionId]).toEqual([202, asked[0]?.operationId]);
    // It comes although nothing else ends the call. The time of production is within what callers are promised.
    expect(RESPOND_WITHIN_MS).toBeLessThan(25_000);
    expect((await client.transfer(BODY, 'away')).status).toBe(202);
    walletDoes(async () => CONFIRMED);
    await world.services.wallet.restart();
    await eventually(async () => (await client.transfer(BODY, 'away')).status === 200);
  });
});

describe('a gateway that died', () => {
  /** What a gateway leaves that was killed after its claim; the resolver finds it once it is due. */
  async function leaveClaim(key: string | null, { dueInSeconds = 0 } = {}): Promise<string> {
    walletDoes(async () => SUBMITTED);
    const first = await client.transfer(BODY, key ?? 'left behind');
    const operationId = first.body.data.transactionId as string;
    await world.database.pool.query(
      `update idempotency_records set state = 'claimed', idempotency_key = $2, leased_until = clock_timestamp() - interval '1 s',
         poll_at = clock_timestamp() + make_interval(secs => $3) where operation_id = $1`,
      [operationId, key, dueInSeconds],
    );
    return operationId;
  }

  const stateOf = async (operationId: string) => {
    const { rows } = await world.database.pool.query('select * from idempotency_records where operation_id = $1', [
      operationId,
    ]);
    return rows[0] as { state: string; response_status: number };
  };

  it('leaves an operation that a repeat takes over', async () => {
    // The repeat must come before the resolver.
    const operationId = await leaveClaim('taken over', { dueInSeconds: 3_600 });
    const asked = walletDoes(async () => CONFIRMED);
    const answer = await client.transfer(BODY, 'taken over');
    expect([answer.status, answer.headers['idempotency-status']]).toEqual([200, 'fresh']);
    expect(answer.body.data.transactionId).toBe(operationId);
    expect(asked.map((request) => request.operationId)).toEqual([operationId]);
  });

  it.each([
    ['with a key', 'never begun'],
    ['without one', null],
  ])(
    'starts nothing by itself: a claim %s that never started is ended, and its caller can see that',
    async (_, key) => {
      const operationId = await leaveClaim(key);
      const asked = walletDoes(async ({ cancelIfNotStarted }) => {
        if (cancelIfNotStarted) throw new AppError('TRANSACTION_EXPIRED');
        return CONFIRMED;
      });
      await eventually(async () => (await stateOf(operationId)).state === 'final');
      expect((await stateOf(operationId)).response_status).toBe(504);
      expect(new Set(asked.map(({ cancelIfNotStarted }) => cancelIfNotStarted))).toEqual(new Set([true]));
      const { body } = await client.get(`/wallets/me/history/${operationId}`);
      expect(body.data.transaction.status).toBe('expired');
    },
  );

  it('leaves what had begun to be resolved', async () => {
    const operationId = await leaveClaim('begun');
    walletDoes(async () => CONFIRMED);
    await eventually(async () => (await stateOf(operationId)).state === 'final');
    expect((await stateOf(operationId)).response_status).toBe(200);
  });

  it('is not mistaken for one that is slow: a running claim is renewed', async () => {
    let release: (() => void) | undefined;
    const asked = walletDoes(async () => {
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      return CONFIRMED;
    });
    const slow = client.transfer(BODY, 'slow');
    await eventually(() => asked.length === 1);
    const until = performance.now() + 8_000;
    while (performance.now() < until) {
      expect((await client.transfer(BODY, 'slow')).status).toBe(409);
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    release?.();
    expect([(await slow).status, asked.length]).toEqual([200, 1]);
  });
});
