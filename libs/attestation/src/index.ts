export { type AttestationCheck, AttestationRefused } from './attestation-refused.js';
export {
  type Evidence,
  EVIDENCE_FORMATS,
  type EvidenceFormat,
  type EvidenceVerifier,
  type Expected,
} from './evidence.js';
