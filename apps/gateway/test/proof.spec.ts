import { auditV1 } from '@agent-wallet/contracts';
import { newId, notFound } from '@agent-wallet/kernel';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { proofRoute } from '../src/api/history/proof-route.js';
import type { Client } from './client.js';
import { ADDRESS } from './default-script.js';
import { World } from './world.js';

let world: World;
let client: Client;
beforeAll(async () => {
  world = await World.open();
});
beforeEach(async () => {
  await world.reset();
  ({ client } = await world.login());
});
afterAll(() => world.close());

const HASHES = ['a1', 'b2'].map((byte) => Buffer.alloc(32, byte, 'hex')) as [Buffer, Buffer];
const SIGNATURE = Buffer.alloc(64, 7);

describe('GET /wallets/me/history/proof', () => {
  it('answers events, their chain, and the checkpoint', async () => {
    const asked: { agentId: string }[] = [];
    const [eventId, after] = [newId(), newId()];
    const payload = auditV1.AuditEvent.encode({
      ...{
        eventId,
        agentId: newId(),
        occurredAtMs: 1_763_719_200_000n,
        source: 'wallet',
        requestId: '',
        traceparent: '',
      },
      fact: { $case: 'walletCreated', value: { address: ADDRESS } },
    }).finish();
    world.script.history.getProof = async (request) => {
      asked.push(request);
      return {
        events: [{ eventId, sequence: 12n, payload: Buffer.from(payload), previousHash: HASHES[0], hash: HASHES[1] }],
        checkpoint: {
          ...{ size: 13n, rootHash: HASHES[1], signature: SIGNATURE, keyId: ADDRESS },
          signedAtMs: 1_763_719_200_123n,
        },
        hasMore: true,
      };
    };
    const { body } = await client.get(`/wallets/me/history/proof?after=${after.toUpperCase()}&limit=1`);
    expect(asked).toMatchObject([{ afterEventId: after, limit: 1 }]);
    const time = '2025-11-21T10:00:00.000Z';
    expect(body.data).toEqual({
      agentId: asked[0]!.agentId,
      events: [
        {
          ...{ eventId, sequence: 12, type: 'agentwallet.wallet.created.v1', occurredAt: time },
          payload: Buffer.from(payload).toString('base64'),
        },
      ],
      chain: [{ eventId, hash: 'b2'.repeat(32), previousHash: 'a1'.repeat(32) }],
      checkpoint: {
        ...{ size: 13, rootHash: 'b2'.repeat(32), signature: SIGNATURE.toString('base64'), keyId: ADDRESS },
        signedAt: '2025-11-21T10:00:00.123Z',
      },
      hasMore: true,
      lastEventId: eventId,
    });
    expect(proofRoute.response.safeParse(body.data).error).toBeUndefined();
  });

  it('answers a wallet of which nothing is recorded yet', async () => {
    const { body } = await client.get('/wallets/me/history/proof');
    expect(body.data).toMatchObject({ events: [], chain: [], checkpoint: null, hasMore: false, lastEventId: null });
    expect(proofRoute.response.safeParse(body.data).error).toBeUndefined();
  });

  it.each([
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['after=', 'after'],
    ['after=me', 'after'],
    [`after=${newId()}&after=${newId()}`, 'after'],
    ['offset=1', 'offset'],
  ])('refuses ?%s', async (query, field) => {
    const answer = await client.get(`/wallets/me/history/proof?${query}`);
    expect(answer.status).toBe(400);
    expect(answer.body.data).toMatchObject({ code: 'VALIDATION_ERROR', details: [{ field }] });
  });

  it('says in words that it does not know an event to begin after', async () => {
    world.script.history.getProof = async () => {
      throw notFound('event', 'Use the last event of a page.');
    };
    const { status, body } = await client.get(`/wallets/me/history/proof?after=${newId()}`);
    expect([status, body.message]).toEqual([404, 'Event not found. Use the last event of a page.']);
  });
});
