import type { Queryable } from '@agent-wallet/platform';
import type { Outbox } from '@agent-wallet/events';
import type { ApprovalKind, ApprovalState } from '../../domain/owners/approval.js';
import { termsOf } from '../../domain/owners/document.js';
import type { Policy, VersionedPolicy } from '../../domain/policy.js';
import { storePolicy } from '../policy-rows.js';
import type { Applying } from './apply-approval.js';
import { closedFact } from './approval-rows.js';

/**
 * Carries out an operator's act to which no owner has objected. The caller holds the locks of the freeze, the policy and
 * the approval. @returns whether there was anything to overrule
 */
export async function overruleOwners(applying: Applying): Promise<boolean> {
  const { tx, outbox, approval, locked } = applying;
  const { agentId } = approval;
  if (agentId === undefined || !locked) return false;
  const { act, operator, reason, frozenSince } = termsOf('objection', approval.document);
  const isDone =
    act === 'release'
      ? await release(applying, { agentId, locked })
      : await liftFreeze(tx, agentId, new Date(frozenSince ?? 0));
  if (!isDone) return false;
  const action = act === 'release' ? 'release' : 'unfreeze';
  const value = { operator, action, reason, operationId: '', approvalId: approval.id };
  await outbox.write(tx, agentId, { $case: 'operatorActed', value });
  return true;
}

async function liftFreeze(tx: Queryable, agentId: string, since: Date): Promise<boolean> {
  const { rowCount } = await tx.query(
    `delete from freezes where agent_id = $1 and source = 'owner' and date_trunc('milliseconds', since) = $2`,
    [agentId, since],
  );
  return rowCount === 1;
}

/** Takes the owners, their freeze and what they can decide away from an agent. Its mailbox alone has it then. */
async function release(
  { tx, outbox, approval }: Applying,
  { agentId, locked }: { readonly agentId: string; readonly locked: VersionedPolicy },
): Promise<boolean> {
  const { rows } = await tx.query<{ owner_id: string; role: string }>(
    `update agent_owners set removed_at = policy.now() where agent_id = $1 and removed_at is null
     returning owner_id, role`,
    [agentId],
  );
  if (rows.length === 0) return false;
  await tx.query('update policies set claimed_at = null, named_owner_id = null where agent_id = $1', [agentId]);
  await tx.query(`delete from freezes where agent_id = $1 and source = 'owner'`, [agentId]);
  // What the owners had signed of recipients ends with them.
  await tx.query(
    `select policy.forget_recipients($1, array(select address from recipients where agent_id = $1), policy.now())`,
    [agentId],
  );
  await endOthers(tx, outbox, { agentId, except: approval.id });
  for (const { owner_id: ownerId, role } of rows) {
    await outbox.write(tx, agentId, { $case: 'memberChanged', value: { ownerId, role, action: 'removed' } });
  }
  // In the log the agent has no owner by then: what that loosens needs no signature.
  await storePolicy(tx, outbox, { agentId, before: locked, after: withoutApprovals(locked), actor: 'operator' });
  return true;
}

/** Refuses what an owner would have been asked about, as nothing could answer, and lets the agent log in again. */
function withoutApprovals(policy: VersionedPolicy): Policy {
  const { newRecipients, approveAboveUsdMicros: above, maxSingleTransactionUsdMicros: most } = policy;
  return {
    ...policy,
    newRecipients: newRecipients === 'approve' ? 'deny' : newRecipients,
    approveAboveUsdMicros: null,
    // Only an owner could have switched it on again.
    allowMailLogin: true,
    // At least what the field allows: an agent with a lower amount asked for each payment.
    maxSingleTransactionUsdMicros: above !== null && above < most ? (above > 0n ? above : 1n) : most,
  };
}

interface EndedRow {
  readonly id: string;
  readonly kind: ApprovalKind;
  readonly agentId: string;
  readonly ownerId: string;
  readonly state: ApprovalState;
}

/** Ends all else that is open of an agent that no owner decides any more. */
async function endOthers(
  tx: Queryable,
  outbox: Outbox,
  { agentId, except }: { readonly agentId: string; readonly except: string },
): Promise<void> {
  const { rows } = await tx.query<EndedRow>(
    `update approvals set decided_at = policy.now(), open_until = null,
       state = case kind when 'operation' then 'void' else 'superseded' end::approval_state
     where agent_id = $1 and id <> $2 and state in ('pending', 'approved') and expires_at > policy.now()
     returning id, kind, agent_id as "agentId", owner_id as "ownerId", state`,
    [agentId, except],
  );
  await outbox.writeAll(tx, rows.map(closedFact));
}
