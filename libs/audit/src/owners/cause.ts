import type { AssertionProblem } from './assertion.js';
import type { DocumentProblem } from './document.js';

/** Problem of an owner's vote: of its document, its assertion, or the state before it. */
export type VoteProblem =
  | DocumentProblem
  | AssertionProblem
  | 'document_of_other_approval'
  | 'document_of_other_agent'
  | 'document_of_other_console'
  | 'decided_before'
  | 'closed_before'
  | 'claimed_before'
  | 'claim_without_delay'
  | 'signer_not_owner'
  | 'passkey_unknown'
  | 'signature_invalid'
  | 'vote_unreadable';

/** Problem of what took effect without a signature at that moment: a claim after its delay, or an act of an operator. */
export type EffectProblem =
  | 'closed_before'
  | 'claimed_before'
  | 'claim_not_signed'
  | 'claim_too_early'
  | 'request_missing'
  | 'document_of_other_agent'
  | 'decided_by_owner'
  | 'recovery_not_confirmed'
  | 'document_of_other_console'
  | 'act_missing'
  | 'act_differs'
  | 'act_too_early'
  | 'vote_unreadable';

/** Problem of an owner's passkey. */
export type PasskeyProblem =
  | 'credential_added_before'
  | 'in_chain_of_other_owner'
  | 'key_not_registered'
  | 'passkey_not_approved'
  | 'removal_not_approved';

/** Problem of a change that an owner must sign, with the facts that a sentence about it needs. */
export type ChangeCause =
  | { readonly code: 'approval_not_signed' | 'approval_not_applied' | 'approval_used_before' }
  | {
      readonly code:
        | 'approval_applied_before'
        | 'approval_of_other_change'
        | 'approval_of_other_owner'
        | 'owner_of_unowned_agent';
    }
  | { readonly code: 'approval_of_other_kind'; readonly kind: string }
  | { readonly code: 'actor_unknown'; readonly actor: string }
  | { readonly code: 'fields_unknown' | 'loosened_without_approval'; readonly fields: readonly string[] }
  | { readonly code: 'values_differ' | 'looser_than_signed'; readonly fields: readonly string[] }
  | { readonly code: 'member_change_unknown'; readonly action: string; readonly role: string }
  | { readonly code: 'owner_removed_unsigned' | 'owner_added_unsigned'; readonly ownerId: string }
  | { readonly code: 'act_without_delay'; readonly action: 'release' | 'unfreeze' }
  | { readonly code: 'unfreeze_unsigned' | 'permitted_while_frozen' };

/** Problem of an event of an owner, or of one that needs an owner. */
export type OwnerCause = { readonly code: VoteProblem | EffectProblem | PasskeyProblem } | ChangeCause;
