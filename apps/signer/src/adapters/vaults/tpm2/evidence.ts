import { createHash, createPublicKey } from 'node:crypto';

/** The name of the format below. */
export const TPM2_EVIDENCE_FORMAT = 'tpm2-quote/v1';

/**
 * The document of `tpm2-quote/v1`: UTF-8 JSON with exactly these members.
 *
 * A verifier checks, in this order of usefulness:
 * 1. `SHA-256(SubjectPublicKeyInfo DER of ak)`, in hex, is the evidence's `keyId`, and that key is one it was given to
 *    trust: nothing in the document proves that `ak` lives in a TPM. The key's private half cannot leave the TPM, and it
 *    is restricted: it signs nothing that starts with TPM_GENERATED_VALUE but what the TPM itself says.
 * 2. `signature` is a TPMT_SIGNATURE over `attest`. Its algorithm is ECDSA (sigAlg 0x0018: hash algorithm 0x000b, then
 *    r and s, each as a TPM2B) or RSASSA (0x0014: hash algorithm 0x000b, then the signature as a TPM2B), both with
 *    SHA-256. This driver's own key is ECDSA on P-256.
 * 3. `attest` is a TPMS_ATTEST: magic 0xff544347, type TPM_ST_ATTEST_QUOTE (0x8018), qualifiedSigner (TPM2B),
 *    extraData (TPM2B), clockInfo (17 bytes), firmwareVersion (8), TPML_PCR_SELECTION, pcrDigest (TPM2B); and nothing
 *    after it. `extraData` is the 32-byte binding.
 * 4. `SHA-256` over the values of `pcrs`, concatenated in the order of `attest`'s selection (its banks as they stand
 *    there, within a bank by rising index), is pcrDigest; and `pcrs` names exactly the registers selected there.
 * 5. the values of `pcrs` are those it expects.
 */
export interface Tpm2QuoteDocument {
  /** TPMS_ATTEST, base64. */
  readonly attest: string;
  /** TPMT_SIGNATURE, base64. */
  readonly signature: string;
  /** Bank → index in decimal → value in lower-case hex, e.g. `{ "sha256": { "0": "3d45…", "7": "65ca…" } }`. */
  readonly pcrs: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** The public half of the attestation key: PEM, SubjectPublicKeyInfo. */
  readonly ak: string;
}

/** Returns the ID of a key in evidence: SHA-256 of its SubjectPublicKeyInfo in DER, in hex. */
export function evidenceKeyId(publicKeyPem: string): string {
  const der = createPublicKey(publicKeyPem).export({ type: 'spki', format: 'der' });
  return createHash('sha256').update(der).digest('hex');
}
