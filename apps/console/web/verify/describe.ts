import { type ChainCause, type OwnerCause, type PageCause, wordFact, type Wording } from '@agent-wallet/audit';
import type { Finding, NotChecked } from './report.js';

const fieldsOf = ({ fields }: { readonly fields: readonly string[] }) => fields.join(', ');

/** Predicates of a sentence about the event, page or checkpoint. */
const CAUSES: Wording<ChainCause | PageCause | OwnerCause> = {
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
  document_missing: 'approves a document that is not in the log',
  document_differs: 'approves another document than the one that was requested',
  document_unreadable: 'approves a document that cannot be read',
  document_of_other_approval: 'has the document of another approval',
  document_of_other_agent: 'has the document of another agent',
  document_of_other_console: 'has a document that names another console',
  assertion_of_other_type: 'has client data that are not those of a signature by passkey',
  challenge_differs: 'has a signature of something else than the document',
  signed_at_other_origin: 'was signed at another origin',
  authenticator_data_too_short: 'has authenticator data that are too short',
  signed_for_other_party: 'was signed for another site',
  user_not_verified: 'was signed without a verification of the user',
  decided_before: 'decides an approval that was decided before',
  closed_before: 'decides an approval that was closed before',
  claimed_before: 'claims an agent that had an owner already',
  claim_without_delay: 'puts a claim into effect without its delay',
  signer_not_owner: 'was signed by a person who is not an owner',
  passkey_unknown: 'was signed with a passkey that is not one of the owner in the log',
  signature_invalid: 'has a signature that is not that of the passkey',
  vote_unreadable: 'cannot be read',
  claim_not_signed: 'puts a claim into effect that no owner has signed',
  claim_too_early: 'puts a claim into effect before its delay is over',
  request_missing: 'puts something into effect that was not requested before',
  decided_by_owner: 'puts something into effect on which an owner had decided by a signature',
  recovery_not_confirmed: 'replaces lost passkeys, which the operator had not confirmed 72 hours before',
  act_missing: 'ends the time to object to the operator, who then did nothing',
  act_differs: 'ends the time to object to the operator, who then did something else',
  act_too_early: 'is an act of the operator before the 72 hours are over in which owners can prevent it',
  credential_added_before: 'adds a passkey whose credential was added before',
  in_chain_of_other_owner: 'changes a passkey of another owner',
  key_not_registered: 'adds a passkey whose key is not the one of its registration',
  passkey_not_approved: 'adds a passkey that no passkey of the owner has approved, and no valid recovery explains',
  removal_not_approved: 'removes a passkey, which no passkey of the owner has approved, and no valid recovery explains',
  approval_not_signed: 'changes the policy by an approval that no owner has signed',
  approval_not_applied: 'changes the policy by an approval that is not in effect',
  approval_used_before: 'changes the policy by an approval that another change has used',
  approval_applied_before: 'changes the policy by an approval that was applied before',
  approval_of_other_change: 'changes the policy by the approval of another change',
  approval_of_other_owner: 'changes the policy for another owner than the one who signed',
  approval_of_other_kind: 'changes the policy by an approval of something else',
  owner_of_unowned_agent: 'changes the policy for an owner, but the agent has none',
  actor_unknown: ({ actor }) => `changes the policy for ${actor}, which is not known`,
  fields_unknown: (cause) => `changes ${fieldsOf(cause)}, which this version does not know, without a signature`,
  loosened_without_approval: (cause) => `loosens the policy (${fieldsOf(cause)}) without the signature of an owner`,
  values_differ: (cause) =>
    `changes the policy from values that it did not have (${fieldsOf(cause)}): it is forged, or a database was restored before`,
  looser_than_signed: (cause) => `claims an agent whose policy was looser (${fieldsOf(cause)}) than its owner signed`,
  member_change_unknown: ({ action, role }) => `has a change of owners (${action}, ${role}) that is not known`,
  owner_removed_unsigned: ({ ownerId }) =>
    `removes the owner ${ownerId} without a signature of an owner or a valid release`,
  owner_added_unsigned: ({ ownerId }) => `makes ${ownerId} an owner without a signature`,
  act_without_delay: ({ action }) =>
    action === 'release'
      ? 'releases the agent before its owners could object, or without an end of the time to object'
      : 'ends the freeze before its owners could object, or without an end of the time to object',
  unfreeze_unsigned: "ends an owner's freeze without a signature",
  permitted_while_frozen: 'is a payment that was permitted during the freeze of an owner',
};

const NOT_CHECKED: Readonly<Record<NotChecked, string>> = {
  log_chain: 'The chain of the whole log was not checked: it has events of other agents.',
  earlier_reads:
    'Nothing was compared with earlier reads: an older checkpoint with a shorter chain would not be noticed.',
  event_types: 'The types of events were not checked: the hash covers the payload alone.',
  times:
    'Of times, the delays of claims and the 72 hours before acts of the operator alone were compared, and not whether a signature came before its approval expired or its passkey was removed.',
  counters: "The counters of the owners' authenticators were not compared.",
  operations: 'Payments and trades were not compared with the terms that an owner has signed.',
  countersignatures: 'Countersignatures of the signer were not checked: this needs its attestation.',
  checkpoint_key_owner: 'The key of the checkpoints was seen for the first time, and is believed from now on.',
  no_checkpoint: 'Nothing is signed yet: whether the last events are missing is not known.',
  events_after_checkpoint:
    'The last events are not covered by a checkpoint: they are not signed, or their checkpoint is not valid.',
  owner_chains:
    'Signatures of owners whose own chains were not read were not verified: their keys are in these chains.',
  algorithm_unsupported: 'This browser lacks an algorithm, such as Ed25519: some signatures were not verified.',
};

/** Describes a finding in one sentence. */
export function describeFinding({ record, sequence, eventId, cause }: Finding): string {
  const predicate = wordFact(CAUSES, cause);
  if ('page' in cause) return `Page ${cause.page} ${predicate}.`;
  if (record === 'checkpoint') return `The checkpoint of ${sequence} events ${predicate}.`;
  return `Event ${sequence}${eventId === undefined ? '' : ` (${eventId})`} ${predicate}.`;
}

/** Describes what was not checked in one sentence. */
export function describeNotChecked(code: NotChecked): string {
  return NOT_CHECKED[code];
}
