import { canUseTpm, where, openTestTpm, type TestTpm } from '@agent-wallet/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { callJson } from '../src/index.js';
import { deploy, type Deployment } from './harness/deployment.js';
import { newRecipient } from './harness/recipient.js';

const describeWithTpm = where(describe, { name: 'a TPM in software (swtpm and tpm2-tools)', isMet: canUseTpm() });
const APPS = path.join(import.meta.dirname, '..', '..');
const VERIFYING = ['policy', 'wallet', 'swap'];
const FRESH = '00'.repeat(32);
const run = promisify(execFile);

let tpm: TestTpm;
let directory: string;
let deployment: Deployment;
beforeAll(async () => {
  tpm = await openTestTpm();
  directory = await mkdtemp(path.join(tmpdir(), 'attested-'));
  const vault = { SIGNER_VAULT: 'tpm2', SIGNER_TPM2_TCTI: tpm.tcti, SIGNER_TPM2_PCRS: 'sha256:0,7' };
  deployment = await deploy({ environment: vault });
});
afterAll(async () => {
  await deployment?.stop();
  await tpm?.stop();
  if (directory) await rm(directory, { recursive: true });
});

/** Writes down that one TPM is accepted, while its register 7 has a value. */
async function accepted(name: string, { keyId, register }: { keyId: string; register: string }): Promise<string> {
  const file = path.join(directory, name);
  const tpm2 = { attestationKeys: [keyId], pcrs: { 'sha256:0': [FRESH], 'sha256:7': [register] } };
  await writeFile(file, JSON.stringify({ tpm2 }));
  return file;
}

async function attestationKeyOf(url: string): Promise<string> {
  const { status, body } = await callJson(`${url}/attestation?nonce=${'ab'.repeat(32)}`);
  expect(status).toBe(200);
  return (body as { data: { replicas: [{ keyId: string }] } }).data.replicas[0].keyId;
}

/** What a program prints, and how it ends. */
async function outcomeOf(program: string, args: readonly string[], environment: object = {}) {
  const env = { PATH: process.env['PATH'], ...environment } as Record<string, string>;
  const ended = run(process.execPath, [path.join(APPS, program), ...args], { env, timeout: 30_000 });
  return ended.then(
    ({ stdout }) => ({ code: 0, printed: stdout }),
    (error: { code: number; stdout: string; stderr: string }) => ({
      code: error.code,
      printed: error.stdout + error.stderr,
    }),
  );
}

describeWithTpm('a deployment with its keys behind a TPM', () => {
  it('starts and is verified with an accepted measurement; with another one, no verifying service starts', async () => {
    const keyId = await attestationKeyOf(deployment.url());
    const good = await accepted('good.json', { keyId, register: FRESH });
    const bad = await accepted('bad.json', { keyId, register: '5a'.repeat(32) });
    const restart = async (service: string) => {
      await deployment.terminate(`${service}-0`);
      await deployment.restart(`${service}-0`, { SIGNER_ATTESTATION_POLICY_PATH: good });
    };
    await Promise.all(VERIFYING.map(restart));
    const agent = await deployment.agent({ SOL: 2 });
    const sent = await agent.transfer({ to: newRecipient(), amount: 0.1, mint: 'SOL' });
    expect([sent.status, sent.body]).toEqual([200, expect.objectContaining({ message: 'Transfer confirmed.' })]);

    const verify = (policy: string) => outcomeOf('ops/dist/attest.js', ['--policy', policy, '--url', deployment.url()]);
    const [trusted, refused] = await Promise.all([verify(good), verify(bad)]);
    expect(trusted).toEqual({
      code: 0,
      printed: expect.stringMatching(/^accepted \w+: tpm2 [^]*accepted: 1 replicas\n$/),
    });
    expect(refused).toEqual({ code: 1, printed: expect.stringMatching(/^REFUSED \w+: wrong_measurement: /) });

    const starts = VERIFYING.map((service) => {
      const environment = deployment.environmentOf(`${service}-0`);
      return outcomeOf(`${service}/dist/main.js`, [], { ...environment, SIGNER_ATTESTATION_POLICY_PATH: bad });
    });
    const message = 'SIGNER_ATTESTATION_POLICY_PATH: the signer is not accepted (wrong_measurement): ';
    for (const start of await Promise.all(starts)) {
      expect(start).toEqual({ code: 1, printed: expect.stringContaining(message) });
    }
  });
});
