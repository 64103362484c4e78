import { isNonce, NONCE_BYTES } from '@agent-wallet/attestation';
import type { SignerAttestations, SignerReplicas } from '@agent-wallet/attestation/service';
import { AppError } from '@agent-wallet/kernel';

/**
 * Anybody may ask, and each replica of the signer says it to four at once (`MAX_AT_ONCE`), services that verify a boot among
 * them: all replicas of wallet together must leave them room.
 */
const MAX_AT_ONCE = 1;

/** Asks every replica of the signer what guards the keys. The answers are passed on as they are: the asker verifies. */
export class GetAttestation {
  #underWay = 0;

  constructor(private readonly signers: Pick<SignerReplicas, 'attest'>) {}

  /** @throws AppError VALIDATION_ERROR; SERVICE_UNAVAILABLE when no replica answers, and for more questions at once */
  async execute(nonce: Uint8Array): Promise<SignerAttestations> {
    const { min, max } = NONCE_BYTES;
    if (!isNonce(nonce)) throw AppError.field('nonce', `must be ${min} to ${max} bytes`);
    if (this.#underWay >= MAX_AT_ONCE) throw new AppError('SERVICE_UNAVAILABLE');
    this.#underWay += 1;
    const answers = await this.signers
      .attest(nonce)
      .catch((cause: unknown) => {
        throw new AppError('SERVICE_UNAVAILABLE', { cause });
      })
      .finally(() => {
        this.#underWay -= 1;
      });
    if (answers.replicas.length === 0) throw new AppError('SERVICE_UNAVAILABLE');
    return answers;
  }
}
