/** The formats of evidence, one for each kind of vault. */
export type EvidenceFormat =
  | 'software/v1'
  | 'tpm2-quote/v1'
  | 'pkcs11/v1'
  | 'dstack-tdx/v1'
  | 'aws-nitro/v1'
  | 'coco/v1';

/** A vault's statement about the process that it guards. */
export interface Evidence {
  readonly format: string;
  /** ID of the key that signed it, in the vault's naming. */
  readonly keyId: string;
  readonly document: Uint8Array;
}

/** Input of a format's verifier besides the evidence. */
export interface Expected {
  /** The 32 bytes that the evidence must speak of: SHA-256 of the statement. */
  readonly binding: Uint8Array;
  /** Unix milliseconds at which certificates must be valid. */
  readonly nowMs: number;
}

/**
 * Checks evidence of one format against what a policy accepts of it.
 * @throws AttestationRefused
 */
export type EvidenceVerifier<Accepted> = (evidence: Evidence, expected: Expected, accepted: Accepted) => void;
