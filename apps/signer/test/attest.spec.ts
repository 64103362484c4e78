import { isCountersigned, readAttestationPolicy, refusalOf, verifyEvidence } from '@agent-wallet/attestation';
import {
  AttestedBoots,
  attestedReplica,
  attestSigner,
  openSignerReplicas,
  type SignerReplicas,
} from '@agent-wallet/attestation/service';
import { policyV1, type signerV1 } from '@agent-wallet/contracts';
import { newId, systemClock } from '@agent-wallet/kernel';
import { loadTls, type RunningGrpcService, SettingsError, type TlsIdentity } from '@agent-wallet/platform';
import { silent } from '@agent-wallet/platform/testing';
import { honestMessages } from '@agent-wallet/solana/corpus';
import { canUseTpm, where, openTestTpm } from '@agent-wallet/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import path from 'node:path';
import { claimsFor, type Deployment, NO_TABLES, openDeployment, permitOf } from './support.js';

const DEADLINE_MS = 1_000;
const NONCE = randomBytes(32);
const LENIENT = readAttestationPolicy('{"software":true}');
const STRICT = readAttestationPolicy(`{"software":true,"buildDigests":["${'00'.repeat(32)}"]}`);

let deployment: Deployment;
let replicas: RunningGrpcService[];
let tls: Pick<TlsIdentity, 'client'>;
const opened: SignerReplicas[] = [];

beforeAll(async () => {
  deployment = await openDeployment();
  replicas = await Promise.all([deployment.start(), deployment.start()]);
  const folder = path.dirname(deployment.settings.tls.caPath);
  const file = (name: string) => path.join(folder, name);
  const client = { certPath: file('wallet-client.pem'), keyPath: file('wallet-client.key') };
  tls = await loadTls({ caPath: file('ca.pem'), client });
});
afterAll(async () => {
  opened.forEach((signers) => signers.close());
  await deployment.close();
});

function signersAt(...addresses: string[]): SignerReplicas {
  const address = addresses.length > 1 ? `ipv4:${addresses.join(',')}` : addresses[0]!;
  const signers = openSignerReplicas({ address, tls, logger: silent, deadlineMs: DEADLINE_MS });
  opened.push(signers);
  return signers;
}

const addresses = () => replicas.map(({ address }) => address);
const attesting = (signers: SignerReplicas) => ({ signers, clock: systemClock, logger: silent });

/** A request that the signer signs. */
async function signable(): Promise<{ message: Buffer; permit: policyV1.Permit; resolvedAddresses: Buffer[] }> {
  const agentId = newId();
  const wallet = await deployment.clientOf(replicas[0]!, 'wallet');
  const { address } = await wallet.createKey({ agentId });
  const [{ message, intent }] = honestMessages(address) as [ReturnType<typeof honestMessages>[0]];
  return { ...NO_TABLES, message: Buffer.from(message), permit: permitOf(claimsFor(message, { agentId, intent })) };
}

describe('Attest', () => {
  it('names every replica, each with a key of its own boot', async () => {
    const { replicas: answers, unanswered } = await signersAt(...addresses()).attest(NONCE);
    expect(unanswered).toBe(0);
    expect(new Set(answers.map(({ ephemeralKey }) => ephemeralKey.toString('hex'))).size).toBe(2);
    expect(answers.map(({ driver, isolation }) => [driver, isolation])).toEqual(Array(2).fill(['software', 'none']));
    expect(new Set(answers.map(({ buildDigest }) => buildDigest.toString('hex'))).size).toBe(1);
  });

  it('does not wait for a replica that hangs, and counts it with one that is away', async () => {
    const connections: Socket[] = [];
    const hanging = createServer((connection) => connections.push(connection)).listen(0, '127.0.0.1');
    await once(hanging, 'listening');
    const { port } = hanging.address() as { port: number };
    const answers = await signersAt(addresses()[0]!, `127.0.0.1:${port}`, '127.0.0.1:1').attest(NONCE);
    expect(answers).toMatchObject({ replicas: [{ driver: 'software' }], unanswered: 2 });
    hanging.close();
    for (const connection of connections) connection.destroy();
  });

  it('takes nonces of 16 to 64 bytes', async () => {
    const wallet = await deployment.clientOf(replicas[0]!, 'wallet');
    for (const bytes of [16, 64]) await wallet.attest({ nonce: Buffer.alloc(bytes), isPublic: false });
    for (const bytes of [0, 15, 65]) {
      await expect(wallet.attest({ nonce: Buffer.alloc(bytes), isPublic: false })).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
      });
    }
  });
});

describe('a countersignature', () => {
  it('is over what was signed, by the boot that signed, which can be traced', async () => {
    const [wallet, ops] = [
      await deployment.clientOf(replicas[1]!, 'wallet'),
      await deployment.clientOf(replicas[0]!, 'ops'),
    ];
    const request = await signable();
    const { signature, countersignature } = await wallet.sign(request);
    const { permitId, messageHash } = policyV1.PermitClaims.decode(request.permit.claims);
    expect(isCountersigned({ permitId, messageHash, signatures: [signature] }, countersignature!)).toBe(true);
    const { ephemeralKey } = await wallet.attest({ nonce: NONCE, isPublic: false });
    expect(countersignature!.ephemeralKey).toEqual(ephemeralKey);
    const boot = await ops.getBoot({ ephemeralKey });
    const binding = createHash('sha256').update(boot.statement).digest();
    const evidence = { format: boot.evidenceFormat, keyId: boot.evidenceKeyId, document: boot.evidence };
    expect(() => verifyEvidence('software', evidence, { binding, nowMs: 0, policy: LENIENT })).not.toThrow();
    await expect(ops.getBoot({ ephemeralKey: Buffer.alloc(32) })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('a service with an attestation policy', () => {
  it('does not start when a replica is not accepted, or is missing', async () => {
    const file = path.join(path.dirname(deployment.vaultPath), 'policy.json');
    await writeFile(file, '{"software":true,"replicas":2}');
    const attest = (...at: string[]) => attestSigner(file, attesting(signersAt(...at)));
    await expect(attest(...addresses())).resolves.toBeInstanceOf(AttestedBoots);
    await expect(attest(addresses()[0]!)).rejects.toThrow('replica_missing');
    await writeFile(file, JSON.stringify({ software: true, buildDigests: ['00'.repeat(32)] }));
    await expect(attest(...addresses())).rejects.toThrow('wrong_build');
    await writeFile(file, '{"pkcs11":{"keys":[]}}');
    await expect(attest(...addresses())).rejects.toThrow(SettingsError);
    await expect(attestSigner(undefined, attesting(signersAt('127.0.0.1:1')))).resolves.toBeUndefined();
  });

  it('uses a signature of a boot that it has not seen once that boot is attested, and never otherwise', async () => {
    const late = await deployment.start();
    const wallet = await deployment.clientOf(late, 'wallet');
    const signers = signersAt(...addresses(), late.address);
    const request = await signable();
    const { signature } = await new AttestedBoots(LENIENT, attesting(signers)).guard(wallet).sign(request);
    expect(signature).toHaveLength(64);
    const unavailable = { code: 'SERVICE_UNAVAILABLE' };
    await expect(new AttestedBoots(STRICT, attesting(signers)).guard(wallet).sign(request)).rejects.toMatchObject(
      unavailable,
    );
    // One that is behind no address that is known.
    const elsewhere = new AttestedBoots(LENIENT, attesting(signersAt(...addresses())));
    await expect(elsewhere.guard(wallet).sign(request)).rejects.toMatchObject(unavailable);
    const unsigned = { sign: async (_request: signerV1.SignRequest) => ({ signature }) };
    await expect(new AttestedBoots(LENIENT, attesting(signers)).guard(unsigned).sign(request)).rejects.toMatchObject(
      unavailable,
    );
  });
});

where(describe, { name: 'a TPM in software (swtpm and tpm2-tools)', isMet: canUseTpm() })('a signer with a TPM', () => {
  it('is accepted as it was measured, and refused after a register was extended', async () => {
    const tpm = await openTestTpm();
    const own = await openDeployment();
    try {
      const vault = { driver: 'tpm2', tcti: tpm.tcti, pcrs: 'sha256:0,7', timeoutMs: 10_000 } as const;
      const signer = await own.start({ settings: { vault } });
      const wallet = await own.clientOf(signer, 'wallet');
      const signers = {
        attest: async (nonce: Uint8Array) => {
          const options = { deadlineMs: 20_000 };
          return {
            replicas: [await wallet.attest({ nonce: Buffer.from(nonce), isPublic: false }, options)],
            unanswered: 0,
          };
        },
      };
      const first = (await signers.attest(NONCE)).replicas[0]!;
      const { keyId, document } = attestedReplica(NONCE, first).evidence;
      const { pcrs } = JSON.parse(Buffer.from(document).toString());
      const accepted = { 'sha256:0': [pcrs.sha256['0']], 'sha256:7': [pcrs.sha256['7']] };
      const policy = readAttestationPolicy(JSON.stringify({ tpm2: { attestationKeys: [keyId], pcrs: accepted } }));
      const boots = new AttestedBoots(policy, { signers, clock: systemClock, logger: silent });
      expect(refusalOf(await boots.attest())).toBeUndefined();
      await tpm.extendPcr(7);
      expect(refusalOf(await boots.attest())?.check).toBe('wrong_measurement');
    } finally {
      await own.close();
      await tpm.stop();
    }
  });
});
