import {
  type ChainCause,
  isKnownField,
  type OwnerCause,
  type PageCause,
  wordFact,
  type Wording,
} from '@agent-wallet/audit';

type Cause = ChainCause | PageCause | OwnerCause;

const timeOf = (ms: number) => new Date(ms).toISOString();
/** Quotes a text of the log, which may be anything. */
const quoted = (text: string) => JSON.stringify(text.slice(0, 64));
const names = (fields: readonly string[]) =>
  fields.map((field) => (isKnownField(field) ? field : quoted(field))).join(', ');

const SENTENCES: Wording<Cause> = {
  page_malformed: ({ page }) => `page ${page} is not a response of the history`,
  page_without_progress: ({ page }) => `page ${page} promises more events, but has none that is new`,
  page_of_other: ({ page, found }) => `page ${page} is of another agent, ${quoted(found)}`,
  id_differs: 'its id is not the one in its payload',
  agent_differs: 'its agent is not the one in its payload',
  time_differs: 'its time is not the one in its payload',
  payload_unreadable: 'its payload cannot be read',
  hash_differs: 'its bytes are not those of its hash',
  next_follows_other_hash: ({ nextEventId }) =>
    `the next event of the agent (${nextEventId}) follows on another hash than its own`,
  number_used_twice: ({ number }) => `the agent has another event with the number ${number}`,
  number_out_of_order: ({ number }) => `number ${number} stands in another place than after number ${number - 1}`,
  number_missing: ({ number }) => `number ${number} of the agent is not there`,
  position_not_due: ({ position }) => `its position is ${position}, where none is due`,
  position_empty: 'nothing stands there',
  in_no_batch: 'the events from this position on are in no batch: it is missing, or they were added',
  batch_hash_differs: 'its hash is not that of its events',
  positions_swapped: ({ position, other }) => `the events at positions ${position} and ${other} have changed places`,
  batch_differs: ({ firstPosition, lastPosition }) =>
    `it is not the hash of the events at positions ${firstPosition} to ${lastPosition}, or a batch is missing before it`,
  batch_not_filled: ({ lastPosition }) => `the log has a batch up to position ${lastPosition}`,
  checkpoint_key_differs: ({ keyId }) => `it is signed with the key ${keyId}`,
  checkpoint_signature_invalid: 'its signature is not that of its key',
  differs_from_checkpoint: ({ signedAtMs }) => `it, or one before it, is not what was signed at ${timeOf(signedAtMs)}`,
  signed_events_missing: ({ size, signedAtMs }) =>
    `${size} events were signed at ${timeOf(signedAtMs)}, and are not there`,
  document_missing: 'the document that it approves is not in the log',
  document_differs: 'its document is not the one that was requested',
  document_unreadable: 'its document cannot be read, or lacks a field',
  document_of_other_approval: 'its document is of another approval',
  document_of_other_agent: 'its document is of another agent',
  document_of_other_console: 'its document names another console',
  assertion_of_other_type: 'its client data are not those of an assertion',
  challenge_differs: 'its challenge is not the hash of the document',
  signed_at_other_origin: 'it was signed at another origin',
  authenticator_data_too_short: 'its authenticator data are too short',
  signed_for_other_party: 'it was signed for another relying party',
  user_not_verified: 'its user was not verified',
  decided_before: 'the approval was decided before',
  closed_before: 'the approval was closed before',
  claimed_before: 'the agent had an owner already',
  claim_without_delay: 'it took effect without its delay',
  signer_not_owner: 'it was signed by one who is not its owner',
  passkey_unknown: 'its passkey is not one of the owner in the log',
  signature_invalid: 'its signature is not that of the passkey',
  vote_unreadable: 'it cannot be read',
  claim_not_signed: 'its claim was not signed before',
  claim_too_early: 'its mailbox had less time to cancel it',
  request_missing: 'what it puts into effect is not in the log',
  decided_by_owner: 'an owner had decided on it',
  recovery_not_confirmed: 'no operator had confirmed it 72 hours before',
  act_missing: 'no operator had acted on it',
  act_differs: 'the operator did something else than was requested',
  act_too_early: 'its owners had less than 72 hours to object',
  credential_added_before: 'its credential was added before',
  in_chain_of_other_owner: 'it is in the chain of another owner',
  key_not_registered: 'its key is not the one in its attestation object',
  passkey_not_approved: 'no passkey of the owner has approved it',
  removal_not_approved: 'no passkey of the owner has approved its removal',
  approval_not_signed: 'its approval was not signed by an owner of the agent',
  approval_not_applied: 'its approval was not applied',
  approval_used_before: 'its approval was used before',
  approval_applied_before: 'its approval was applied before',
  approval_of_other_change: 'it names an approval of another change',
  approval_of_other_owner: 'it was asked for by another owner than the one who signed',
  approval_of_other_kind: ({ kind }) => `it names another approval, of the kind ${quoted(kind)}`,
  owner_of_unowned_agent: 'it is of an owner, but the agent has none',
  actor_unknown: ({ actor }) => `its actor ${quoted(actor)} is not known`,
  fields_unknown: ({ fields }) => `changed ${names(fields)} without an approval, which this version does not know`,
  loosened_without_approval: ({ fields }) => `loosened ${names(fields)} without an approval`,
  values_differ: ({ fields }) => `the log has another value of ${names(fields)} before it`,
  looser_than_signed: ({ fields }) => `${names(fields)} was looser than its owner signed`,
  member_change_unknown: ({ action, role }) => `this version does not know ${quoted(action)} of ${quoted(role)}`,
  owner_removed_unsigned: ({ ownerId }) => `removed ${quoted(ownerId)} from its owners without an approval`,
  owner_added_unsigned: ({ ownerId }) => `made ${quoted(ownerId)} an owner without an applied claim`,
  act_without_delay: ({ action }) => `${action === 'release' ? 'released' : 'unfrozen'} before its owners could object`,
  unfreeze_unsigned: "ended its owner's freeze without an approval of that",
  permitted_while_frozen: "was permitted, although its owner's freeze had not ended",
};

/** Words the cause of a finding. */
export function reasonOf(cause: Cause): string {
  return wordFact(SENTENCES, cause);
}
