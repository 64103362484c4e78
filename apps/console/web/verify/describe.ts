import { type ChainCause, type PageCause, wordFact, type Wording } from '@agent-wallet/audit';
import type { ActProblem, DelayedAct, Finding, NotChecked, PasskeyProblem, VoteProblem } from './report.js';

const VOTES: Readonly<Record<VoteProblem, string>> = {
  document_missing: 'the document that it approves is not in the log',
  document_differs: 'its document is not the one that was requested',
  unreadable: 'it cannot be read',
  document_unreadable: 'its document cannot be read',
  authenticator_data_too_short: 'its authenticator data are too short',
  other_approval: 'its document is of another approval',
  other_agent: 'its document is of another agent',
  other_console: 'its document names another console',
  decided_before: 'the approval was decided before',
  closed_before: 'the approval was closed before',
  claimed_before: 'the agent had an owner already',
  not_owner: 'it was signed by a person who is not an owner',
  assertion_of_other_type: 'its client data are not those of a signature by passkey',
  challenge_differs: 'what was signed is not the hash of the document',
  signed_at_other_origin: 'it was signed at another origin',
  signed_for_other_party: 'it was signed for another site',
  user_not_verified: 'its user was not verified',
  no_passkey: 'its passkey is not one of the owner in the log',
  signature: 'its signature is not that of the passkey',
};

const PASSKEYS: Readonly<Record<PasskeyProblem, string>> = {
  added_before: 'its credential was added before',
  other_chain: 'it is in the chain of another agent',
  other_key: 'its key is not the one of its registration',
  not_approved: 'no passkey of the owner has approved it, and it is not of a recovery that is valid',
  removal_not_approved: 'no passkey of the owner has approved its removal, and it is not of a recovery that is valid',
};

const ACTS: Readonly<Record<DelayedAct, string>> = {
  release: 'release of the agent from its owners',
  unfreeze: "end of the owners' freeze",
  confirm_recovery: 'recovery of a lost passkey',
};

const ACT_PROBLEMS: Readonly<Record<ActProblem, string>> = {
  no_request: 'it was not requested before',
  other_request: 'what was requested is something else',
  objected: 'an owner had objected to it by a signature',
  decided_before: 'its approval was decided before',
  closed_before: 'its approval was closed before',
  not_confirmed: 'the operator had not confirmed it',
  too_early: 'it took effect before the 72 hours were over in which owners can prevent it',
  not_ended: 'its approval did not end with it',
};

type ChainedFinding = Extract<Finding, { readonly cause: unknown }>;

const CAUSES: Wording<ChainCause | PageCause> = {
  page_malformed: 'is not a response of the history',
  page_without_progress: 'promises more events, but has none that is new',
  page_of_other: ({ found }) => `is of another agent: ${found}`,
  id_differs: 'was altered: its ID is not the one in its payload',
  agent_differs: 'was altered: its payload is of another agent',
  time_differs: 'was altered: its time is not the one in its payload',
  payload_unreadable: 'was altered: its payload cannot be read',
  hash_differs: 'was altered: its bytes are not those of its hash',
  next_follows_other_hash: 'was altered: its hash is not the one that the chain continues with',
  number_used_twice: 'was inserted: the chain has another one with its number',
  number_out_of_order: 'is in another place than its own',
  number_missing: 'is missing',
  position_not_due: ({ position }) => `has the position ${position}, where none is due`,
  position_empty: 'is missing in the log',
  in_no_batch: 'is in no batch of the log',
  batch_hash_differs: 'is in a batch with another hash than that of its events',
  positions_swapped: ({ position, other }) => `has changed places: position ${position} with ${other}`,
  batch_differs: 'is in a batch that was altered',
  batch_not_filled: 'is missing in its batch',
  checkpoint_key_differs: ({ keyId, expected }) =>
    `is signed with the key ${keyId}. The key that was seen first is ${expected}, and it never changes`,
  checkpoint_signature_invalid: 'is forged: its signature is not that of its key',
  differs_from_checkpoint: ({ signedAtMs }) =>
    `or one before it is not what was signed at ${new Date(signedAtMs).toISOString()}`,
  signed_events_missing: ({ size }) => `is missing: ${size} events were signed`,
};

type OwnerFinding = Exclude<Finding, { readonly cause: unknown }>;
type Sentences = {
  readonly [Code in OwnerFinding['code']]: (finding: OwnerFinding & { readonly code: Code }) => string;
};

const FINDINGS: Sentences = {
  vote_invalid: ({ approvalId, what }) =>
    `The owner's signature of approval ${approvalId} is not valid: ${VOTES[what]}.`,
  passkey_invalid: ({ ownerId, what }) => `A passkey of owner ${ownerId} is not valid: ${PASSKEYS[what]}.`,
  policy_unsigned: ({ sequence, fields }) =>
    `Event ${sequence} changed the policy (${fields.join(', ')}) without the signature of the owner that it needs.`,
  policy_differs: ({ sequence, fields }) =>
    `Event ${sequence} changed the policy from values that it did not have (${fields.join(', ')}): it is forged, or a database was restored before.`,
  owner_unsigned: ({ sequence, ownerId }) => `Event ${sequence} made ${ownerId} an owner without a signature.`,
  owner_removed_unsigned: ({ sequence, ownerId }) =>
    `Event ${sequence} removed the owner ${ownerId} without a signature of an owner or a release that is valid.`,
  unfreeze_unsigned: ({ sequence, ownerId }) =>
    `Event ${sequence} ended the freeze of owner ${ownerId} without a signature.`,
  act_invalid: ({ act, approvalId, what }) =>
    `The operator's ${ACTS[act]} (approval ${approvalId}) is not valid: ${ACT_PROBLEMS[what]}.`,
};

const NOT_CHECKED: Readonly<Record<NotChecked, string>> = {
  log_chain: 'The chain of the whole log was not checked: it has events of other agents.',
  earlier_reads:
    'Nothing was compared with earlier reads: an older checkpoint with a shorter chain would not be noticed.',
  event_types: 'The types of events were not checked: the hash covers the payload alone.',
  times:
    'Of times, the 72 hours before acts of the operator alone were compared, and not whether a signature came before its approval expired or its passkey was removed.',
  counters: "The counters of the owners' authenticators were not compared.",
  operations: 'Payments and trades were not compared with the terms that an owner has signed.',
  countersignatures: 'Countersignatures of the signer were not checked: this needs its attestation.',
  checkpoint_key_owner: 'The key of the checkpoints was seen for the first time, and is believed from now on.',
  no_checkpoint: 'Nothing is signed yet: whether the last events are missing is not known.',
  events_after_checkpoint:
    'The last events are not covered by a checkpoint: they are not signed, or their checkpoint is not valid.',
  owner_chains:
    'Signatures of owners whose own chains were not read were not verified: their keys are in these chains.',
  ed25519_unsupported: 'This browser cannot verify Ed25519 signatures: some signatures were not verified.',
};

/** Describes a finding in one sentence. */
export function describeFinding(finding: Finding): string {
  if (!('cause' in finding)) return (FINDINGS[finding.code] as (finding: Finding) => string)(finding);
  return `${nameOf(finding)} ${wordFact(CAUSES, finding.cause)}.`;
}

function nameOf({ record, sequence, eventId, cause }: ChainedFinding): string {
  if (record === 'page') return `Page ${(cause as PageCause).page}`;
  if (record === 'checkpoint') return `The checkpoint of ${sequence} events`;
  return eventId === undefined ? `Event ${sequence}` : `Event ${sequence} (${eventId})`;
}

/** Describes what was not checked in one sentence. */
export function describeNotChecked(code: NotChecked): string {
  return NOT_CHECKED[code];
}
