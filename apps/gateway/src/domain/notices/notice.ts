import type { RequestedOperation } from '@agent-wallet/kernel';

/** The subject of a notice, decoded from an event. Texts that others chose are still raw. */
export type NoticeFact =
  | { readonly kind: 'approval_requested'; readonly approvalId: string; readonly request: RequestedApproval }
  | { readonly kind: 'policy_changed'; readonly changes: readonly FieldChange[] }
  | { readonly kind: 'new_recipient'; readonly payment: Payment }
  | { readonly kind: 'large_spend'; readonly operationId: string; readonly usdMicros: bigint }
  | { readonly kind: 'new_network'; readonly network: string; readonly isLogin: boolean }
  | {
      readonly kind: 'passkey_changed';
      readonly ownerId: string;
      readonly action: string;
      readonly credentialId: Buffer;
    }
  | { readonly kind: 'member_changed'; readonly ownerId: string; readonly action: string }
  | { readonly kind: 'claim_signed'; readonly ownerId: string; readonly effectiveAtMs: number }
  | { readonly kind: 'claim_ended'; readonly ownerId: string; readonly state: string }
  | { readonly kind: 'token_reused' }
  | {
      readonly kind: 'token_opened';
      readonly name: string;
      readonly scopes: readonly string[];
      readonly expiresAtMs: number;
    }
  | { readonly kind: 'recovery_confirmed'; readonly reason: string }
  | { readonly kind: 'frozen' | 'unfrozen'; readonly byOwner: boolean; readonly reason: string };

/** One field before and after, as JSON values. */
export interface FieldChange {
  readonly field: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** A payment that was confirmed. */
export interface Payment {
  readonly operationId: string;
  readonly recipient: string;
  readonly asset: string;
  /** Base units. */
  readonly amount: bigint;
  readonly decimals: number;
  readonly memo: string;
}

/** The fields of an approval's document that a notice shows. */
export interface RequestedApproval {
  /** policy, claim, operation, passkey, unfreeze, objection, recovery, member, token, or one of a later release. */
  readonly type: string;
  /** The owner (UUID) who asked, or who is asked; undefined where the document names none. */
  readonly ownerId: string | undefined;
  readonly byAgent: boolean;
  readonly expiresAt: string;
  readonly changes: readonly FieldChange[];
  readonly note: string;
  /** ID of the operation, when the approval is for one. */
  readonly operationId?: string | undefined;
  /** The requested operation, when the approval is for one. */
  readonly operation?: RequestedOperation | undefined;
  /** Name and value of each term; empty for an operation. */
  readonly terms: ReadonlyArray<readonly [name: string, value: string]>;
}

/** Whose notice it is, and where it comes from. */
export interface Notice {
  readonly eventId: string;
  /** The agent, or the owner for what concerns an owner alone. */
  readonly subjectId: string;
  readonly occurredAtMs: number;
  /** `agent`, or `owner` and the UUID; undefined where the event does not say. */
  readonly askedBy?: string | undefined;
  /** Network; undefined where the event does not say. */
  readonly askedFrom?: string | undefined;
  readonly fact: NoticeFact;
}

/** The gateway's data on the agent, owners and operation that a notice names. */
export interface NoticeNames {
  readonly agent?: { readonly email: string; readonly address: string | undefined } | undefined;
  /** E-mail addresses of owners by their ids. */
  readonly owners: ReadonlyMap<string, string>;
  /** The request of the operation that it is about. */
  readonly operation?: { readonly action: string; readonly network: string | undefined } | undefined;
}

/** Spending above this is worth a notice. */
export const LARGE_SPEND_USD_MICROS = 100_000_000n;

/** An event that comes later is not noted: whether it was noted before may be forgotten. */
export const NOTED_WITHIN_MS = 72 * 3_600_000;

/** Time for which a noted event is remembered; longer than events come. */
export const REMEMBERED_MS = 7 * 24 * 3_600_000;

/** Time for which a network stays known after the last session that was opened from it. */
export const NETWORK_KNOWN_MS = 90 * 24 * 3_600_000;

/** Notices that a mailbox gets by themselves in a day; the others wait for a digest. */
export const DAILY_NOTICES = 20;

/** Daily allowance of notices that point at a takeover. It is their own: nothing else uses it up. */
export const DAILY_URGENT_NOTICES = 50;

/** Time that notices wait for a digest, from the first one. */
export const DIGEST_AFTER_MS = 3_600_000;

/** Notices that a digest shows; of the others it says how many there are. */
export const SHOWN_IN_DIGEST = 50;

/** Mails that wait for the mail server, of all mailboxes together. Then notices wait for digests, and digests for room. */
export const NOTICE_QUEUE_LIMIT = 10_000;

/** Reports whether a notice points at a takeover of an owner or an agent. */
export function isUrgent(fact: NoticeFact): boolean {
  if (fact.kind === 'approval_requested') return URGENT_REQUESTS.has(fact.request.type);
  // Strangers can ask a person to join: that must not use up what points at a takeover.
  if (fact.kind === 'member_changed' && fact.action === 'invited') return false;
  return URGENT.has(fact.kind);
}

const URGENT_REQUESTS: ReadonlySet<string> = new Set(['claim', 'objection', 'recovery', 'member']);

const URGENT: ReadonlySet<NoticeFact['kind']> = new Set([
  'passkey_changed',
  'token_reused',
  'member_changed',
  'claim_signed',
  'claim_ended',
  'recovery_confirmed',
]);
