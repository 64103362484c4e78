/** Check that evidence can fail, in words that operators and programs may rely on. */
export type AttestationCheck =
  /** The evidence or answer cannot be read in its one form. */
  | 'malformed'
  /** The format is none that is known. */
  | 'unknown_format'
  /** The policy does not accept this driver or format at all. */
  | 'driver_not_accepted'
  /** It was said for another nonce, another ephemeral key, or anything else that the statement binds. */
  | 'wrong_binding'
  /** It does not name the key that signed it, or the signature is not that key's. */
  | 'wrong_signature'
  /** It is signed by a key, or a chain of certificates, that the policy does not know. */
  | 'unknown_key'
  /** A certificate of the chain is not valid at this time. */
  | 'expired_chain'
  /** What was measured (PCRs, a quote, a build digest) is none of what the policy accepts. */
  | 'wrong_measurement'
  /** The enclave runs in debug mode: its memory can be read. */
  | 'debug_mode'
  /** The build digest is none of those that the policy accepts. */
  | 'wrong_build'
  /** Permit keys are trusted that the policy does not know. */
  | 'unknown_permit_key'
  /** A replica that should have answered did not. */
  | 'replica_missing';

/** Evidence is not accepted; the message says which check failed and holds nothing secret. */
export class AttestationRefused extends Error {
  constructor(
    readonly check: AttestationCheck,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'AttestationRefused';
  }
}
