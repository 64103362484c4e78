export { buildDigest } from './build-digest.js';
export { type AttestationCheck, AttestationRefused } from './attestation-refused.js';
export {
  type Countersignature,
  countersignatureBytes,
  type Countersigned,
  isCountersigned,
} from './countersignature.js';
export {
  type Evidence,
  EVIDENCE_FORMATS,
  type EvidenceFormat,
  type EvidenceVerifier,
  type Expected,
} from './evidence.js';
export { type PermitKey, permitKeysHash } from './permit-keys.js';
export { bindingOf, isNonce, NONCE_BYTES, readStatement, type Statement, statementBytes } from './statement.js';
