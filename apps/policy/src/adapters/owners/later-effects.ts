import type { Outbox } from '@agent-wallet/events';
import { notFound } from '@agent-wallet/kernel';
import type { Queryable } from '@agent-wallet/platform';
import {
  type Approval,
  approvalClosed,
  type ApprovalState,
  OPERATOR_DELAY_HOURS,
} from '../../domain/owners/approval.js';
import type { OperatorNote } from '../../ports/approval-store.js';
import { lockPolicy } from '../policy-rows.js';
import { type Applying, applyNow } from './apply-approval.js';
import { closedFact, endApproval, IS_AHEAD, lockApproval, readApproval } from './approval-rows.js';
import { overruleOwners } from './overrule-owners.js';
import { lockOwner } from './passkey-rows.js';

/**
 * Approvals with an effect some time after the decision: a signed claim, a recovery that an operator has confirmed, and an
 * act of an operator to which no owner has objected.
 */

/** An approval whose time has come. */
export interface DueApproval {
  readonly id: string;
  readonly kind: 'claim' | 'recovery' | 'objection';
  readonly agentId: string | undefined;
  readonly ownerId: string;
  /** Time at which it takes effect, as Postgres writes it. */
  readonly due: string;
}

interface DueRow extends Omit<DueApproval, 'agentId'> {
  readonly agentId: string | null;
}

/** Returns what is to take effect now and comes after another one, the earliest first. */
export async function dueApprovals(
  on: Queryable,
  { after, limit }: { readonly after: DueApproval | undefined; readonly limit: number },
): Promise<DueApproval[]> {
  const { rows } = await on.query<DueRow>(
    `select id, kind, agent_id as "agentId", owner_id as "ownerId", due::text from (
       select *, effective_at as due from approvals where state = 'approved' and effective_at <= (select policy.now())
       union all
       select *, expires_at as due from approvals
         where state = 'pending' and kind = 'objection' and expires_at <= (select policy.now())) a
     where $2::timestamptz is null or (due, id) > ($2, $3::uuid) order by a.due, id limit $1`,
    [limit, after?.due ?? null, after?.id ?? null],
  );
  return rows.map(({ agentId, ...row }) => ({ ...row, agentId: agentId ?? undefined }));
}

/** Has an approval take effect. @returns the state that it ends with; undefined when it ended in the meantime */
export async function takeEffect(tx: Queryable, outbox: Outbox, due: DueApproval): Promise<ApprovalState | undefined> {
  const { id, kind, agentId, ownerId } = due;
  if (kind === 'recovery') await lockOwner(tx, ownerId);
  if (kind === 'objection') await lockFreeze(tx, agentId);
  const locked = agentId === undefined ? undefined : await lockPolicy(tx, agentId);
  if ((await lockApproval(tx, id)) !== (kind === 'objection' ? 'pending' : 'approved')) return undefined;
  const approval = await readApproval(tx, id);
  if (!approval) return undefined;
  const state = await effectOf({ tx, outbox, approval, locked }, kind);
  await endApproval(tx, id, state);
  await outbox.writeAll(tx, [closedFact({ ...approval, state })]);
  return state;
}

async function effectOf(applying: Applying, kind: DueApproval['kind']): Promise<ApprovalState> {
  if (kind !== 'objection') return applyNow(applying, kind);
  return (await overruleOwners(applying)) ? 'expired' : 'superseded';
}

/**
 * Locks the freeze before the policy, as authorizations do. Locks a row and not the table, so that authorizations of
 * other agents go on while the caller waits for the policy.
 */
export async function lockFreeze(tx: Queryable, agentId: string | undefined): Promise<void> {
  await tx.query(`select from freezes where agent_id = $1 and source = 'owner' for update`, [agentId]);
}

/** Has an approval take effect later. @returns when, in Unix milliseconds */
export async function delayEffect(tx: Queryable, id: string, hours: number): Promise<number> {
  const { rows } = await tx.query<{ effective_at: Date }>(
    `update approvals set state = 'approved', decided_at = policy.now(),
       effective_at = date_trunc('milliseconds', policy.now()) + make_interval(hours => $2)
     where id = $1 returning effective_at`,
    [id, hours],
  );
  return rows[0]!.effective_at.getTime();
}

/** Notes that an operator confirms a recovery, and publishes that. @throws AppError NOT_FOUND, APPROVAL_CLOSED */
export async function confirmRecovery(
  tx: Queryable,
  outbox: Outbox,
  { id, operator, reason }: OperatorNote & { readonly id: string },
): Promise<Approval> {
  const asked = await readApproval(tx, id);
  if (asked?.kind !== 'recovery') throw notFound('recovery', 'Check its id. Its owner sees it in the console.');
  await lockOwner(tx, asked.ownerId);
  await lockApproval(tx, id);
  const { state, ownerId } = (await readApproval(tx, id))!;
  if (state !== 'pending') throw approvalClosed(state);
  await delayEffect(tx, id, OPERATOR_DELAY_HOURS);
  const value = { operator, action: 'confirm_recovery', reason, operationId: '', approvalId: id };
  await outbox.write(tx, ownerId, { $case: 'operatorActed', value });
  return (await readApproval(tx, id))!;
}

/** A claim, as far as its end is published with it. */
interface EndedClaim {
  readonly id: string;
  readonly kind: 'claim';
  readonly agentId: string;
  readonly ownerId: string;
}

/** Cancels the claims of an agent that are not in effect yet. @returns those that this cancelled */
export async function cancelClaims(tx: Queryable, agentId: string): Promise<EndedClaim[]> {
  const { rows } = await tx.query<EndedClaim>(
    `update approvals a set state = 'withdrawn', decided_at = policy.now()
     where a.agent_id = $1 and a.kind = 'claim' and ${IS_AHEAD} and (a.effective_at is null or a.effective_at > policy.now())
     returning a.id, a.kind, a.agent_id as "agentId", a.owner_id as "ownerId"`,
    [agentId],
  );
  return rows;
}
