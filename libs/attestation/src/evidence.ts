/** The formats of evidence, one for each kind of vault. */
export type EvidenceFormat =
  'software/v1' | 'tpm2-quote/v1' | 'pkcs11/v1' | 'dstack-tdx/v1' | 'aws-nitro/v1' | 'coco/v1';

/** What a vault says of the process that it guards. */
export interface Evidence {
  readonly format: string;
  /** Which key it is signed with, as the vault names it. */
  readonly keyId: string;
  readonly document: Uint8Array;
}

/** What a verifier of one format gets besides the evidence. */
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
