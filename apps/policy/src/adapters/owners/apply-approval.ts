import type { Outbox } from '@agent-wallet/events';
import type { Queryable } from '@agent-wallet/platform';
import { isOnCurve } from '@agent-wallet/solana';
import { type Approval, type ApprovalKind, MAX_OWNERS, MAX_PASSKEYS } from '../../domain/owners/approval.js';
import { isStillBefore, termsOf } from '../../domain/owners/document.js';
import { loosenings } from '../../domain/owners/loosening.js';
import { changed, changeOf, shownPolicy, type VersionedPolicy } from '../../domain/policy.js';
import { grantOf } from '../../domain/owners/token-terms.js';
import { MAX_LIVE_TOKENS } from '../../domain/token.js';
import { storePolicy } from '../policy-rows.js';
import { liveTokens, storeToken } from '../token-rows.js';
import { forgetUnlisted } from './known-recipients.js';
import { registrationOf } from './approval-rows.js';
import type { Owned } from '../../domain/owners/owned.js';
import type { Registration } from '../../ports/passkey-verifier.js';
import { isOwner, noteOf, ownersOf } from './owned-agents.js';
import { insertPasskey, passkeysOf, removePasskey } from './passkey-rows.js';

/** A transaction that holds the locks of what an approval is about. */
export interface Applying {
  readonly tx: Queryable;
  readonly outbox: Outbox;
  readonly approval: Approval;
  /** The agent's policy under its lock; undefined for what concerns an owner alone. */
  readonly locked: VersionedPolicy | undefined;
}

/** Result of a vote. */
export type VoteOutcome = 'applied' | 'superseded' | 'approved';

/**
 * Carries out exactly what the signed document says: `superseded`, without effect, when what it is about has changed. An
 * operation is `approved`: everything about it is checked when it is carried out. So is a claim with a delay, and what asks a
 * person to join, who signs it, too.
 *
 * @param voterId the owner who has signed
 */
export async function applyApproval(applying: Applying, voterId: string): Promise<VoteOutcome> {
  const { kind } = applying.approval;
  if (kind === 'operation') return 'approved';
  // The act to which it objects does not take effect: its time has not come.
  if (kind === 'objection') return 'applied';
  if (kind === 'member') return applyMemberVote(applying, voterId);
  if (kind === 'claim' && claimDelayOf(applying.approval) > 0) return isClaimable(applying) ? 'approved' : 'superseded';
  return applyNow(applying, kind);
}

/** A kind of which the document itself says what changes. */
type EffectiveKind = Exclude<ApprovalKind, 'operation' | 'objection' | 'member'>;

/** Carries out what is in effect now. */
export async function applyNow(applying: Applying, kind: EffectiveKind): Promise<'applied' | 'superseded'> {
  return (await isApplied(applying, kind)) ? 'applied' : 'superseded';
}

/** Returns the time from the signature of a claim until it takes effect, in hours. */
export function claimDelayOf({ document }: Approval): number {
  return Number(termsOf('claim', document).delayHours);
}

function isApplied(applying: Applying, kind: EffectiveKind): Promise<boolean> {
  switch (kind) {
    case 'claim':
      return applyClaim(applying);
    case 'policy':
      return applyPolicyChange(applying);
    case 'passkey':
      return applyPasskey(applying);
    case 'unfreeze':
      return applyUnfreeze(applying);
    case 'recovery':
      return applyRecovery(applying);
    case 'token':
      return applyToken(applying);
  }
}

/** Returns whether a claim still holds: a token that tightens must not undo it, and one that loosens gets no signature for it. */
function isClaimable({ approval, locked }: Applying): boolean {
  if (!locked || locked.isClaimed) return false;
  const signed = changed(locked, changeOf(termsOf('claim', approval.document).policy));
  return loosenings(signed, locked, isOnCurve).length === 0;
}

async function applyClaim(applying: Applying): Promise<boolean> {
  if (!isClaimable(applying)) return false;
  const { tx, outbox, approval } = applying;
  const { agentId, ownerId } = approval;
  if (agentId === undefined) return false;
  await tx.query('update policies set claimed_at = policy.now() where agent_id = $1', [agentId]);
  await addOwner(tx, outbox, { agentId, ownerId });
  return true;
}

const ROLE = 'owner';

/** Makes an owner of an agent, also of one who was an owner before. */
async function addOwner(tx: Queryable, outbox: Outbox, { agentId, ownerId }: Owned): Promise<void> {
  await tx.query(
    `insert into agent_owners (agent_id, owner_id, role, since) values ($1, $2, $3, policy.now())
     on conflict (agent_id, owner_id) do update set role = excluded.role, since = excluded.since, removed_at = null`,
    [agentId, ownerId, ROLE],
  );
  await outbox.write(tx, agentId, { $case: 'memberChanged', value: { ownerId, role: ROLE, action: 'added' } });
}

/** Removes an owner at once; one who joins is asked first, and joins by a signature over the same document. */
async function applyMemberVote(applying: Applying, voterId: string): Promise<VoteOutcome> {
  const { tx, outbox, approval } = applying;
  const { agentId, id, document } = approval;
  const { action, member: ownerId } = termsOf('member', document);
  if (agentId === undefined) return 'superseded';
  const owners = await ownersOf(tx, agentId);
  if (action === 'remove') return (await removeOwner(applying, owners)) ? 'applied' : 'superseded';
  const isJoining = voterId === ownerId;
  if (owners.includes(ownerId) || owners.length >= MAX_OWNERS) return 'superseded';
  if (!isJoining) {
    await outbox.write(tx, agentId, { $case: 'memberChanged', value: { ownerId, role: ROLE, action: 'invited' } });
    return 'approved';
  }
  // Who has signed that the person may join may have left since.
  const signed = await tx.query('select from votes where approval_id = $1 and owner_id = any ($2)', [id, owners]);
  if (signed.rowCount === 0) return 'superseded';
  await addOwner(tx, outbox, { agentId, ownerId });
  return 'applied';
}

async function removeOwner({ tx, outbox, approval }: Applying, owners: readonly string[]): Promise<boolean> {
  const { agentId, document } = approval;
  const { member: ownerId } = termsOf('member', document);
  if (agentId === undefined || !owners.includes(ownerId) || owners.length === 1) return false;
  await tx.query('update agent_owners set removed_at = policy.now() where agent_id = $1 and owner_id = $2', [
    agentId,
    ownerId,
  ]);
  await outbox.write(tx, agentId, { $case: 'memberChanged', value: { ownerId, role: ROLE, action: 'removed' } });
  return true;
}

/** Opens the token under the approval's id, unless too many are live by now, or its time is over. */
async function applyToken({ tx, outbox, approval }: Applying): Promise<boolean> {
  const { agentId, id: tokenId, document } = approval;
  if (agentId === undefined) return false;
  const { nowMs, live } = await liveTokens(tx, agentId);
  const grant = grantOf(termsOf('token', document));
  if (live >= MAX_LIVE_TOKENS || grant.expiresAtMs <= nowMs) return false;
  await storeToken(tx, outbox, { agentId, tokenId }, grant);
  return true;
}

async function applyRecovery({ tx, outbox, approval }: Applying): Promise<boolean> {
  const { ownerId, document } = approval;
  const registration = await signedRegistration(tx, approval.id, termsOf('recovery', document));
  const lost = await passkeysOf(tx, ownerId);
  if (!registration || !(await insertPasskey(tx, outbox, { ownerId, registration }))) return false;
  for (const { credentialId } of lost) await removePasskey(tx, outbox, { ownerId, credentialId });
  return true;
}

/** Reads the registration beside a document, which is not signed: only the key that was seen may enter. */
async function signedRegistration(
  tx: Queryable,
  approvalId: string,
  { credentialId, coseKey }: { readonly credentialId: string; readonly coseKey: string },
): Promise<Registration | undefined> {
  const registration = await registrationOf(tx, approvalId);
  const isSigned =
    registration.credentialId.toString('base64url') === credentialId &&
    registration.coseKey.toString('base64url') === coseKey;
  return isSigned ? registration : undefined;
}

async function applyPolicyChange({ tx, outbox, approval, locked }: Applying): Promise<boolean> {
  const { agentId, document } = approval;
  if (agentId === undefined || !locked) return false;
  const { changes } = termsOf('policy', document);
  if (!isStillBefore(changes, shownPolicy(locked))) return false;
  const afterwards = Object.entries(changes).map(([field, { after }]) => [field, after] as const);
  const after = changed(locked, changeOf(Object.fromEntries(afterwards)));
  await storePolicy(tx, outbox, { agentId, before: locked, after, actor: 'owner', approvalId: approval.id });
  const added = after.allowedRecipients.filter((address) => !locked.allowedRecipients.includes(address));
  await trustRecipients(tx, agentId, added);
  await forgetUnlisted(tx, agentId, { before: locked, after });
  return true;
}

/**
 * Marks recipients that an owner added to the list by a signature as known from then on. Recipients that the agent
 * listed by itself are not.
 */
async function trustRecipients(tx: Queryable, agentId: string, addresses: readonly string[]): Promise<void> {
  await tx.query(
    `insert into recipients (agent_id, address, trusted_at) select $1, unnest($2::text[]), policy.now()
     on conflict (agent_id, address) do update set trusted_at = excluded.trusted_at where recipients.trusted_at is null`,
    [agentId, addresses],
  );
}

async function applyPasskey({ tx, outbox, approval }: Applying): Promise<boolean> {
  const { ownerId, document } = approval;
  const { action, credentialId, coseKey } = termsOf('passkey', document);
  const { length } = await passkeysOf(tx, ownerId);
  if (action === 'add') {
    if (length >= MAX_PASSKEYS) return false;
    const registration = await signedRegistration(tx, approval.id, { credentialId, coseKey });
    return registration !== undefined && insertPasskey(tx, outbox, { ownerId, registration });
  }
  if (length <= 1) return false;
  return removePasskey(tx, outbox, { ownerId, credentialId: Buffer.from(credentialId, 'base64url') });
}

/** Its caller holds the lock of the freeze, which comes before that of the policy. */
async function applyUnfreeze({ tx, outbox, approval }: Applying): Promise<boolean> {
  const { agentId, ownerId, document } = approval;
  if (agentId === undefined) return false;
  // One who is an owner no more may have requested it before.
  if (!(await isOwner(tx, { agentId, ownerId }))) return false;
  const { frozenSince } = termsOf('unfreeze', document);
  const { rowCount } = await tx.query(
    `delete from freezes where agent_id = $1 and source = 'owner' and date_trunc('milliseconds', since) = $2`,
    [agentId, new Date(frozenSince)],
  );
  if (rowCount === 0) return false;
  const value = { ...noteOf(ownerId), action: 'unfreeze', operationId: '' };
  await outbox.write(tx, agentId, { $case: 'operatorActed', value });
  return true;
}
