/** The name of the format below. */
export const PKCS11_EVIDENCE_FORMAT = 'pkcs11/v1';

/** Prefix of the binding in the signed bytes. */
export const PKCS11_EVIDENCE_PREFIX = 'agentwallet/pkcs11-evidence/v1\n';

/**
 * The document of `pkcs11/v1`: UTF-8 JSON with exactly these members.
 *
 * A verifier checks that
 * 1. `SHA-256(SubjectPublicKeyInfo DER of publicKey)`, in hex, is the evidence's `keyId`, and that key is one it was given
 *    to trust: nothing in the document proves that the key lives in a token;
 * 2. `signature` is that key's ECDSA signature (P-256, SHA-256; 64 bytes r ‖ s, IEEE P1363) over
 *    `agentwallet/pkcs11-evidence/v1\n` in ASCII, followed by the 32 bytes of the binding.
 *
 * It says that a user of the token's keys signed the binding, and nothing about the program that runs there.
 */
export interface Pkcs11EvidenceDocument {
  /** PEM, SubjectPublicKeyInfo, of a P-256 key. */
  readonly publicKey: string;
  /** r ‖ s, base64. */
  readonly signature: string;
  /** The token's own description. Not signed: for people to read. */
  readonly token: {
    readonly label: string;
    readonly serialNumber: string;
    readonly manufacturer: string;
    readonly model: string;
  };
}
