import { isNonce, NONCE_BYTES } from '@agent-wallet/attestation';
import type { SignerAttestations, SignerReplicas } from '@agent-wallet/attestation/service';
import { AppError } from '@agent-wallet/kernel';

/** Asks every replica of the signer what guards the keys. The answers are passed on as they are: the asker verifies. */
export class GetAttestation {
  constructor(private readonly signers: Pick<SignerReplicas, 'attest'>) {}

  /** @throws AppError VALIDATION_ERROR; SERVICE_UNAVAILABLE when no replica answers */
  async execute(nonce: Uint8Array): Promise<SignerAttestations> {
    const { min, max } = NONCE_BYTES;
    if (!isNonce(nonce)) throw AppError.field('nonce', `must be ${min} to ${max} bytes`);
    const answers = await this.signers.attest(nonce, { isPublic: true }).catch((cause: unknown) => {
      throw new AppError('SERVICE_UNAVAILABLE', { cause });
    });
    if (answers.replicas.length === 0) throw new AppError('SERVICE_UNAVAILABLE');
    return answers;
  }
}
