import type { signerV1 } from '@agent-wallet/contracts';
import { isUuid } from '@agent-wallet/kernel';
import type { RecordedCountersignature } from './operation.js';

const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;

/**
 * What the signer said of its signatures, in the one form that is kept and told. Whether it is genuine is for those to
 * check who verify the signer: see libs/attestation.
 * @throws Error when a part is none: nothing of such an answer is used
 */
export function readCountersignature(
  permitId: string,
  { ephemeralKey, signature }: signerV1.Countersignature,
): RecordedCountersignature {
  if (!isUuid(permitId)) throw new Error('the permit that the signer signed under has no id');
  if (ephemeralKey.length !== KEY_BYTES || signature.length !== SIGNATURE_BYTES) {
    const lengths = `${ephemeralKey.length} and ${signature.length} bytes`;
    throw new Error(`the signer answered a countersignature of ${lengths}; key and signature have 32 and 64`);
  }
  return { permitId, ephemeralKey, signature };
}
