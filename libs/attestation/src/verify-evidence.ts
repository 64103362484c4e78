import type { AttestationPolicy } from './attestation-policy.js';
import { AttestationRefused } from './attestation-refused.js';
import type { Evidence, EvidenceVerifier, Expected } from './evidence.js';
import { verifyNitroEvidence } from './nitro/index.js';
import { verifyTpmQuote } from './tpm/verify-tpm-quote.js';
import { verifyPkcs11 } from './verify-pkcs11.js';

/** Verifies software evidence, which is the unsigned binding itself. */
const verifySoftware: EvidenceVerifier<true> = ({ keyId, document }, { binding }) => {
  if (keyId !== 'none' || !Buffer.from(document).equals(binding)) {
    throw new AttestationRefused('wrong_binding', 'the evidence was made for another nonce or another boot');
  }
};

interface Verifier {
  readonly format: string;
  readonly verify: (evidence: Evidence, expected: Expected, policy: AttestationPolicy) => void;
}

/** The verifier of each driver's evidence, and the part of a policy that it gets. */
const VERIFIERS: Readonly<Record<string, Verifier>> = {
  software: verifier('software/v1', 'software', verifySoftware),
  tpm2: verifier('tpm2-quote/v1', 'tpm2', verifyTpmQuote),
  pkcs11: verifier('pkcs11/v1', 'pkcs11', verifyPkcs11),
  'aws-nitro-kms': verifier('aws-nitro/v1', 'nitro', verifyNitroEvidence),
};

/**
 * Verifies that evidence is of the driver's own format, that the policy accepts the driver, and what the format says.
 * @throws AttestationRefused
 */
export function verifyEvidence(
  driver: string,
  evidence: Evidence,
  { policy, ...expected }: Expected & { readonly policy: AttestationPolicy },
): void {
  const known = Object.hasOwn(VERIFIERS, driver) ? VERIFIERS[driver] : undefined;
  if (!known) throw new AttestationRefused('driver_not_accepted', `the driver ${driver} cannot be verified here`);
  if (evidence.format !== known.format) {
    throw new AttestationRefused('unknown_format', `${driver} gives ${known.format}, and this is ${evidence.format}`);
  }
  known.verify(evidence, expected, policy);
}

function verifier<Part extends 'software' | 'tpm2' | 'pkcs11' | 'nitro'>(
  format: string,
  part: Part,
  verify: EvidenceVerifier<NonNullable<AttestationPolicy[Part]>>,
): Verifier {
  return {
    format,
    verify: (evidence, expected, policy) => {
      const accepted = policy[part];
      if (accepted === undefined) {
        throw new AttestationRefused('driver_not_accepted', `evidence of the format ${format} is not accepted`);
      }
      verify(evidence, expected, accepted);
    },
  };
}
