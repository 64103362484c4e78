import { auditV1, policyV1 } from '@agent-wallet/contracts';
import { newId } from '@agent-wallet/kernel';
import { splitTransaction } from '@agent-wallet/solana';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { World } from './world.js';

const BOOT = { ephemeralKey: Buffer.alloc(32, 7), signature: Buffer.alloc(64, 8) };

let world: World;
let permitId: string;

jest.setTimeout(30_000);

beforeEach(async () => {
  world = await World.open();
  permitId = newId();
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
    return { ...signed, countersignature: BOOT };
  };
});
afterEach(() => world.close());

describe('a countersignature', () => {
  it.each([false, true])(
    'is kept with the attempt and told once, in the event of the signing; sponsored: %s',
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
      const told = (await world.events(call.id)).flatMap(({ status, countersignature }) =>
        countersignature ? [{ status, countersignature }] : [],
      );
      const { signatures } = splitTransaction(attempt!.transaction!);
      expect(told).toEqual([
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
});
