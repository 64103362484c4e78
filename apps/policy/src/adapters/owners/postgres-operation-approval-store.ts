import type { Outbox } from '@agent-wallet/events';
import { AppError } from '@agent-wallet/kernel';
import type { Database, Queryable } from '@agent-wallet/platform';
import type { Approval, ApprovalState } from '../../domain/owners/approval.js';
import type { ApprovalRequest } from '../../domain/owners/document.js';
import type {
  AskedPayment,
  KnownOfPayment,
  OperationApproval,
  OperationApprovalStore,
} from '../../ports/operation-approval-store.js';
import { lockPolicy } from '../policy-rows.js';
import { withStoreErrors } from '../store-error.js';
import { closedFact, endApproval, findApproval, insertApproval } from './approval-rows.js';

const UNIQUE_VIOLATION = '23505';

/**
 * Approvals of operations in the schema `policy`. As with votes, the policy is locked before the approval. `reserve` uses
 * an approval in the transaction of the reservation, under the same locks.
 */
export class PostgresOperationApprovalStore implements OperationApprovalStore {
  constructor(
    private readonly database: Database,
    private readonly outbox: Outbox,
  ) {}

  find(agentId: string, operationId: string): Promise<Approval | undefined> {
    return withStoreErrors(() => approvalOfOperation(this.database.pool, agentId, operationId));
  }

  request(payment: AskedPayment, decide: (known: KnownOfPayment) => ApprovalRequest): Promise<Approval | undefined> {
    return withStoreErrors(() =>
      this.database
        .transaction(async (tx) => {
          const known = await knownOf(tx, payment);
          return known === undefined || 'id' in known
            ? known
            : insertApproval(tx, this.outbox, { request: decide(known) });
        })
        .catch((cause: unknown) => {
          if ((cause as { code?: unknown }).code !== UNIQUE_VIOLATION) throw cause;
          // Under the lock the agent's own were found.
          throw new AppError('PERMIT_CONFLICT', { data: { reason: 'other_agent' }, cause });
        }),
    );
  }

  async void(agentId: string, operationId: string): Promise<void> {
    const approval = await this.find(agentId, operationId);
    if (approval?.state !== 'pending' && approval?.state !== 'approved') return;
    await withStoreErrors(() =>
      this.database.transaction(async (tx) => {
        const { rowCount } = await tx.query(
          "select from approvals where id = $1 and state in ('pending', 'approved') for update",
          [approval.id],
        );
        if (rowCount !== 1) return;
        await endApproval(tx, approval.id, 'void');
        await this.outbox.writeAll(tx, [closedFact({ ...approval, state: 'void' })]);
      }),
    );
  }

  states(ids: readonly string[]): Promise<OperationApproval[]> {
    return withStoreErrors(async () => {
      const { rows } = await this.database.pool.query<{ id: string; state: ApprovalState; expires_at: Date }>({
        name: 'policy-approval-states',
        text: `select a.id, a.expires_at, case when a.open_until <= policy.now() then 'expired' else a.state end as state
               from approvals a where a.id = any ($1) and a.operation_id is not null`,
        values: [ids],
      });
      return rows.map(({ id, state, expires_at: expiresAt }) => ({ id, state, expiresAtMs: expiresAt.getTime() }));
    });
  }
}

async function approvalOfOperation(on: Queryable, agentId: string, operationId: string): Promise<Approval | undefined> {
  const { rows } = await on.query<{ id: string }>({
    name: 'policy-approval-of-operation',
    text: 'select id from approvals where operation_id = $1 and agent_id = $2',
    values: [operationId, agentId],
  });
  return rows[0] && findApproval(on, rows[0].id, { agentId });
}

/** Takes the lock of the agent's policy, and reads what decides; the approval that is there, if any. */
async function knownOf(
  tx: Queryable,
  { operationId, agentId, recipient, valueUsdMicros }: AskedPayment,
): Promise<KnownOfPayment | Approval | undefined> {
  const policy = await lockPolicy(tx, agentId);
  const approval = await approvalOfOperation(tx, agentId, operationId);
  if (approval) return approval;
  const { rows } = await tx.query<GroundsRow>(
    `select policy.now() as now, g.reasons, g.looks_like,
       (select owner_id from agent_owners where agent_id = $1 and role = 'owner' and removed_at is null
        order by since, owner_id limit 1) as owner_id,
       (select count(*)::int from approvals where agent_id = $1 and kind = 'operation' and state = 'pending'
          and expires_at > policy.now()) as pending
     from approval_grounds($1, $2, $3) as g`,
    [agentId, recipient, valueUsdMicros],
  );
  const [row] = rows;
  if (!policy || !row || row.reasons.length === 0) return undefined;
  if (row.owner_id === null) throw new Error('a policy that asks for approvals is of an agent without an owner');
  return {
    nowMs: row.now.getTime(),
    policy,
    ownerId: row.owner_id,
    pendingCount: row.pending,
    reasons: row.reasons,
    lookalikeOf: row.looks_like ?? undefined,
  };
}

interface GroundsRow {
  readonly now: Date;
  readonly reasons: string[];
  readonly looks_like: string | null;
  readonly owner_id: string | null;
  readonly pending: number;
}
