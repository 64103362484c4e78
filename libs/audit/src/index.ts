export {
  type Bytes,
  concat,
  fromBase64,
  fromHex,
  isSame,
  keyFromBase58,
  sha256,
  textOf,
  toBase64Url,
  toHex,
  utf8,
} from './bytes.js';
export type { ChainCause, PageCause } from './log/cause.js';
export { type Checkpoint, type CheckpointClaim, type CheckpointScope, isGenuine } from './log/checkpoint.js';
export { eventHash, HASH_BYTES, NO_HASH } from './log/hashes.js';
export { type ProofPage, ProofPages } from './log/pages.js';
export type { AuditRecord, Finding, StoredBatch, StoredCheckpoint, StoredEvent } from './log/records.js';
export { LogVerifier, type Surroundings, type Verdict } from './log/verify.js';
export { isSignedByPasskey } from './signature.js';
export { type AssertionProblem, isRegisteredKey, isSignedAssertion, problemOfAssertion } from './owners/assertion.js';
export {
  type DocumentProblem,
  type Json,
  objectOf,
  parseDocument,
  readDocument,
  type SignedDocument,
} from './owners/document.js';
export { isKnownField, isLoosened } from './owners/loosening.js';
export type { ChangeCause, EffectProblem, OwnerCause, PasskeyProblem, VoteProblem } from './owners/cause.js';
export type { OwnerFinding, OwnerVerdict, Unverified } from './owners/owner-finding.js';
export { OwnerSignatures } from './owners/owner-signatures.js';
export {
  type ApprovalDecided,
  type ApprovalRequested,
  type AuditEvent,
  type FactName,
  type MemberChanged,
  type OperatorActed,
  type PasskeyChanged,
  type PolicyField,
  readEvent,
} from './read-event.js';
export { wordFact, type Wording } from './wording.js';
