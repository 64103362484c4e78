import { newId } from '@agent-wallet/kernel';
import type { RunningGrpcService } from '@agent-wallet/platform';
import { silent } from '@agent-wallet/platform/testing';
import { canUseHsm, canUseTpm, where, openTestHsm, openTestTpm } from '@agent-wallet/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { writeFile } from 'node:fs/promises';
import { startSigner } from '../../src/index.js';
import { VaultError } from '../../src/ports/vault.js';
import { type Deployment, openDeployment } from '../support.js';

let deployment: Deployment;
beforeEach(async () => void (deployment = await openDeployment()));
afterEach(() => deployment.close());

type VaultChoice = Deployment['settings']['vault'];

/** Starts the signer with a vault, as its main does; what it does is over before it is stopped. */
async function withSigner<T>(vault: VaultChoice, work: (signer: RunningGrpcService) => Promise<T>): Promise<T> {
  const signer = await startSigner({ ...deployment.settings, vault }, { logger: silent });
  try {
    return await work(signer);
  } finally {
    await signer.stop();
  }
}

const addressOf = (vault: VaultChoice, agentId: string) =>
  withSigner(vault, async (signer) => {
    const wallet = await deployment.clientOf(signer, 'wallet');
    return (await wallet.createKey({ agentId })).address;
  });

const starts = (vault: VaultChoice) => withSigner(vault, async () => undefined);

where(describe, { name: 'a TPM in software (swtpm and tpm2-tools)', isMet: canUseTpm() })(
  'a signer with its data key in a TPM',
  () => {
    it('starts after the same start of the machine, and never after another', async () => {
      const tpm = await openTestTpm();
      try {
        const vault = { driver: 'tpm2', tcti: tpm.tcti, pcrs: 'sha256:0,4,7', timeoutMs: 10_000 } as const;
        const agentId = newId();
        const address = await addressOf(vault, agentId);
        await tpm.restart();
        expect(await addressOf(vault, agentId)).toBe(address);
        await tpm.extendPcr(4);
        await expect(starts(vault)).rejects.toThrow(VaultError);
        await expect(starts(vault)).rejects.toThrow('the registers (PCRs) are not what they were');
        await tpm.restart();
        expect(await addressOf(vault, agentId)).toBe(address);
        await tpm.powerOff();
        await expect(starts(vault)).rejects.toThrow('it cannot be reached');
        const another = await openTestTpm();
        await expect(starts({ ...vault, tcti: another.tcti }).finally(() => another.stop())).rejects.toThrow(
          VaultError,
        );
      } finally {
        await tpm.stop();
      }
    });
  },
);

where(describe, { name: 'a security module in software (SoftHSM)', isMet: canUseHsm() })(
  'a signer with its data key in a token',
  () => {
    it('starts with the PIN, and never without', async () => {
      const hsm = await openTestHsm();
      try {
        const { modulePath, tokenLabel, pinPath } = hsm;
        const token = { modulePath, tokenLabel, pinPath, keyLabel: 'agent-wallet' };
        const vault = { driver: 'pkcs11', ...token, allowsSoftware: true } as const;
        const agentId = newId();
        const address = await addressOf(vault, agentId);
        expect(await addressOf(vault, agentId)).toBe(address);
        await writeFile(pinPath, '0000');
        await expect(starts(vault)).rejects.toThrow('the PIN in the file of SIGNER_PKCS11_PIN_PATH is wrong');
        await writeFile(pinPath, hsm.pin);
        await hsm.addToken('another');
        await expect(starts({ ...vault, tokenLabel: 'another' })).rejects.toThrow(VaultError);
        expect(await addressOf(vault, agentId)).toBe(address);
      } finally {
        await hsm.stop();
      }
    });
  },
);
