import type { SignerAttestations } from '@agent-wallet/attestation/service';
import { describe, expect, it } from '@jest/globals';
import { GetAttestation } from './get-attestation.js';

const NONCE = Buffer.alloc(32, 7);
const ANSWERS = { replicas: [{}], unanswered: 0 } as unknown as SignerAttestations;
const BUSY = { code: 'SERVICE_UNAVAILABLE' };

describe('the public question for an attestation', () => {
  it('is asked once at a time, so that places are left for services; who comes meanwhile comes again', async () => {
    const answer: Array<(answers: SignerAttestations) => void> = [];
    const attestation = new GetAttestation({ attest: () => new Promise((resolve) => answer.push(resolve)) });
    const first = attestation.execute(NONCE);
    await expect(attestation.execute(NONCE)).rejects.toMatchObject(BUSY);
    expect(answer).toHaveLength(1);
    answer[0]!(ANSWERS);
    expect(await first).toBe(ANSWERS);
    const next = attestation.execute(NONCE);
    answer[1]!(ANSWERS);
    expect(await next).toBe(ANSWERS);
  });

  it('takes no place any more once it has failed, or was none', async () => {
    const failures: Array<() => Promise<SignerAttestations>> = [
      () => Promise.reject(new Error('away')),
      async () => ({ replicas: [], unanswered: 1 }),
    ];
    const attestation = new GetAttestation({ attest: () => (failures.shift() ?? (async () => ANSWERS))() });
    for (let n = 0; n < 2; n += 1) await expect(attestation.execute(NONCE)).rejects.toMatchObject(BUSY);
    await expect(attestation.execute(Buffer.alloc(1))).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    expect(await attestation.execute(NONCE)).toBe(ANSWERS);
  });
});
