export { type AttestationPolicy, AttestationPolicyError, readAttestationPolicy } from './attestation-policy.js';
export { buildDigest } from './build-digest.js';
export { type AttestationCheck, AttestationRefused } from './attestation-refused.js';
export {
  type Countersignature,
  countersignatureBytes,
  type Countersigned,
  isCountersigned,
} from './countersignature.js';
export type { Evidence, EvidenceFormat, EvidenceVerifier, Expected } from './evidence.js';
export { type PermitKey, permitKeysHash } from './permit-keys.js';
export { bindingOf, isNonce, NONCE_BYTES, readStatement, type Statement, statementBytes } from './statement.js';
export type { AcceptedTpm } from './tpm/verify-tpm-quote.js';
export { verifyEvidence } from './verify-evidence.js';
export type { AcceptedPkcs11 } from './verify-pkcs11.js';
export { type AttestedReplica, type Verification, verifyReplica } from './verify-replica.js';
export {
  type AttestedReplicas,
  refusalOf,
  type ReplicaVerdict,
  type Verdict,
  verifyReplicas,
} from './verify-replicas.js';
