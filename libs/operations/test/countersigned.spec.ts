import { auditV1, policyV1 } from '@agent-wallet/contracts';
import { newId } from '@agent-wallet/kernel';
import { splitTransaction } from '@agent-wallet/solana';
import { eventually } from '@agent-wallet/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { signedEvent } from '../src/runtime/operation-event.js';
import { World } from './world.js';

let said: { ephemeralKey: Buffer; signature: Buffer };
const BOOT = { ephemeralKey: Buffer.alloc(32, 7), signature: Buffer.alloc(64, 8) };

let world: World;
let permitId: string;

beforeEach(async () => {
  world = await World.open();
  permitId = newId();
  said = BOOT;
  const { policy, signer } = world;
  const [authorize, sign] = [policy.authorize.bind(policy), signer.sign.bind(signer)];
  // The peers of these tests know a permit by the hash alone; this one is written as policy writes it.
  policy.authorize = async (request) => {
    const answer = await authorize(request);
    const claims = policyV1.PermitClaims.encode({
      ...{
        permitId,
        operationId: request.operationId,
        step: 1,
        attempt: 1,
        agentId: request.agentId,
        intent: undefined,
      },
      ...{ messageHash: request.messageHash, issuedAtMs: 0n, expiresAtMs: 0n },
    }).finish();
    return { ...answer, permit: { ...answer.permit!, claims: Buffer.from(claims) } };
  };
  signer.sign = async (request) => {
    const { messageHash } = policyV1.PermitClaims.decode(request.permit!.claims);
    const signed = await sign({ ...request, permit: { ...request.permit!, claims: messageHash } });
    return { ...signed, countersignature: said };
  };
});
afterEach(() => world.close());

describe('a countersignature', () => {
  it.each([false, true])(
    'is kept with the attempt and published once, in the event of the signing; sponsored: %s',
    async (isSponsored) => {
      const call = world.call({ isSponsored });
      const { state, attempt } = await world.engine().run(world.kind, call);
      expect(state).toBe('confirmed');
      const { rows } = await world.database.pool.query(
        'select permit_id, ephemeral_key, countersignature from attempts',
      );
      expect(rows).toEqual([
        { permit_id: permitId, ephemeral_key: BOOT.ephemeralKey, countersignature: BOOT.signature },
      ]);
      const published = (await world.events(call.id)).flatMap(({ status, countersignature }) =>
        countersignature ? [{ status, countersignature }] : [],
      );
      const { signatures } = splitTransaction(attempt!.transaction!);
      expect(published).toEqual([
        {
          status: auditV1.OperationStatus.OPERATION_STATUS_SUBMITTED,
          countersignature: {
            permitId,
            messageHash: Buffer.from(attempt!.messageHash),
            // A sponsor signs in front of the wallet; what is countersigned begins with the wallet.
            signatures: [...signatures].reverse().map((signature) => Buffer.from(signature)),
            ...BOOT,
          },
        },
      ]);
    },
  );

  it.each([
    ['a key that is short', { ephemeralKey: Buffer.alloc(31) }],
    ['a key that is long', { ephemeralKey: Buffer.alloc(33) }],
    ['no signature', { signature: Buffer.alloc(0) }],
    ['a signature that is long', { signature: Buffer.alloc(65) }],
    ['no id of a permit', {}],
  ])('of another form is not used, and asked for again: %s', async (what, part) => {
    if (what.includes('permit')) permitId = 'none';
    said = { ...BOOT, ...part };
    const running = world.engine().run(world.kind, world.call());
    await eventually(async () => world.signer.signed.size > 0);
    const { rows } = await world.database.pool.query('select ephemeral_key from attempts');
    expect(rows).toEqual([{ ephemeral_key: null }]);
    [said, permitId] = [BOOT, newId()];
    const { state, attempt } = await running;
    expect([state, attempt!.countersignature]).toEqual(['confirmed', { permitId, ...BOOT }]);
  });
});

describe('a countersignature for the operation of another service', () => {
  const countersignature = () => ({ permitId, ...BOOT });
  const name = { operationId: newId(), step: 2, attempt: 3 };
  const from = { source: 'wallet' as const, clock: { nowMs: () => 1_800_000_000_000 } };

  it('is published in an event of its own, with what policy knows the message by', async () => {
    const { record } = await confirmed();
    const event = signedEvent(record, name, from);
    const { fact, agentId } = auditV1.AuditEvent.decode(event!.payload);
    expect(agentId).toBe(record.agentId);
    const { signatures } = splitTransaction(record.attempt!.transaction!);
    expect(fact).toEqual({
      $case: 'messageSigned',
      value: {
        ...name,
        countersignature: {
          ...countersignature(),
          messageHash: Buffer.from(record.attempt!.messageHash),
          signatures: signatures.map((signature) => Buffer.from(signature)),
        },
      },
    });
  });

  it('is not published where the signer returned none', async () => {
    const { record } = await confirmed();
    const attempt = { ...record.attempt!, countersignature: undefined };
    expect(signedEvent({ ...record, attempt }, name, from)).toBeUndefined();
  });

  async function confirmed() {
    return { record: await world.engine().run(world.kind, world.call()) };
  }
});
