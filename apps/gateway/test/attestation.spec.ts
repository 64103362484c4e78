import { readStatement } from '@agent-wallet/attestation';
import { toBase58 } from '@agent-wallet/contracts/audit';
import { AppError } from '@agent-wallet/kernel';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { attestationRoute } from '../src/api/attestation-route.js';
import { attested } from './attested.js';
import type { Client } from './client.js';
import { World } from './world.js';

const NONCE = 'a1B2'.repeat(8);

let world: World;
let client: Client;
beforeAll(async () => {
  world = await World.open();
});
beforeEach(async () => {
  await world.reset();
  ({ client } = world);
});
afterAll(() => world.close());

/** Lets replicas answer that differ so. */
function replicas(...changes: Parameters<typeof attested>[1][]): void {
  world.script.wallet.getAttestation = async ({ nonce }) => ({
    replicas: changes.map((change) => attested(nonce, change)),
    unanswered: 0,
  });
}

const other = { ephemeralKey: Buffer.alloc(32, 9) };
const dataOf = async () => attestationRoute.response.parse((await client.get(`/attestation?nonce=${NONCE}`)).body.data);

describe('GET /attestation', () => {
  it('returns each replica’s attestation to any caller, bound to the nonce, and names the software vault', async () => {
    const { status, body, headers } = await client.get(`/attestation?nonce=${NONCE}`);
    expect(status).toBe(200);
    expect(headers['cache-control']).toBe('no-store');
    expect(body.message).toMatch(/^Software mode: nothing but a file guards the keys/);
    const data = attestationRoute.response.parse(body.data);
    expect(data).toMatchObject({ driver: 'software', isolation: 'none', unanswered: 0 });
    expect(data.permitKeys).toEqual([{ keyId: 'permit-1', publicKey: toBase58(Buffer.alloc(32, 3)) }]);
    const [{ evidence, ...replica }] = data.replicas as [(typeof data.replicas)[0]];
    const statement = Buffer.from(evidence.statement, 'base64');
    expect(createHash('sha256').update(statement).digest('hex')).toBe(replica.boundNonce);
    expect(Buffer.from(readStatement(statement).nonce).toString('hex')).toBe(NONCE.toLowerCase());
    expect(Buffer.from(evidence.document, 'base64').toString('hex')).toBe(replica.boundNonce);
    expect(replica).toMatchObject({
      ...{ keyId: 'none', buildDigest: '01'.repeat(32), ephemeralKey: toBase58(Buffer.alloc(32, 2)) },
    });
  });

  it('names the weakest of several replicas, and does not pass over one that gave no answer', async () => {
    const tpm = { driver: 'tpm2', isolation: 'a TPM' };
    replicas(tpm, other);
    expect(await dataOf()).toMatchObject({ driver: 'software', isolation: 'a TPM; none' });
    replicas(tpm, { ...other, driver: 'pkcs11', isolation: 'a token' });
    expect(await dataOf()).toMatchObject({ driver: 'mixed', isolation: 'a TPM; a token' });
    replicas(tpm, { ...tpm, ...other });
    expect(await dataOf()).toMatchObject({ driver: 'tpm2', isolation: 'a TPM' });
    world.script.wallet.getAttestation = async ({ nonce }) => ({ replicas: [attested(nonce, tpm)], unanswered: 1 });
    const data = await dataOf();
    expect(data.unanswered).toBe(1);
    expect(data.replicas).toHaveLength(1);
  });

  it('names the permit keys of all replicas while they are exchanged', async () => {
    replicas({}, { ...other, permitKeys: [{ keyId: 'permit-2', publicKey: Buffer.alloc(32, 4) }] });
    expect((await dataOf()).permitKeys.map(({ keyId }) => keyId)).toEqual(['permit-1', 'permit-2']);
  });

  it.each([undefined, '', 'zz'.repeat(16), 'a1'.repeat(15), `${'a1'.repeat(16)}b`, 'a1'.repeat(65)])(
    'refuses the nonce %s',
    async (nonce) => {
      const { status, body } = await client.get(`/attestation${nonce === undefined ? '' : `?nonce=${nonce}`}`);
      expect(status).toBe(400);
      expect(body.data).toMatchObject({ code: 'VALIDATION_ERROR', details: [{ field: 'nonce' }] });
    },
  );

  it('is 503 in the envelope when no replica answers', async () => {
    world.script.wallet.getAttestation = async () => {
      throw new AppError('SERVICE_UNAVAILABLE');
    };
    const { status, body } = await client.get(`/attestation?nonce=${NONCE}`);
    expect(status).toBe(503);
    expect(body).toMatchObject({ status: false, data: { code: 'SERVICE_UNAVAILABLE', retryable: true } });
  });
});
