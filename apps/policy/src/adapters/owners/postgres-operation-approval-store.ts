import type { Outbox } from '@agent-wallet/events';
import { AppError, firstIdAt } from '@agent-wallet/kernel';
import type { Database, Queryable } from '@agent-wallet/platform';
import type { Approval, ApprovalState } from '../../domain/owners/approval.js';
import type { ApprovalRequest } from '../../domain/owners/document.js';
import type {
  AskedSpending,
  KnownOfSpending,
  OperationApproval,
  OperationApprovalStore,
} from '../../ports/operation-approval-store.js';
import { lockPolicy } from '../policy-rows.js';
import { endTokens } from '../token-rows.js';
import { spendingRow, writeRow } from '../reservation-rows.js';
import { withStoreErrors } from '../store-error.js';
import { countDecided, countRequested } from './count-approvals.js';
import { closedFact, endApproval, findApproval, insertApproval, withdrawProposals } from './approval-rows.js';

const UNIQUE_VIOLATION = '23505';
/**
 * Most that a caller's clock may be ahead, in milliseconds. A later time would void approvals that a new login
 * requests.
 */
const MAX_AHEAD_MS = 60_000;

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

  async request(asked: AskedSpending, decide: (known: KnownOfSpending) => ApprovalRequest) {
    const { approval, isNew } = await withStoreErrors(() =>
      this.database
        .transaction(async (tx) => {
          const known = await knownOf(tx, asked);
          if (known === undefined || 'id' in known) return { approval: known, isNew: false };
          return { approval: await insertApproval(tx, this.outbox, { request: decide(known) }), isNew: true };
        })
        .catch((cause: unknown) => {
          if ((cause as { code?: unknown }).code !== UNIQUE_VIOLATION) throw cause;
          // Under the lock the agent's own were found.
          throw new AppError('PERMIT_CONFLICT', { data: { reason: 'other_agent' }, cause });
        }),
    );
    if (isNew) countRequested('operation');
    return approval;
  }

  async void(agentId: string, operationId: string): Promise<void> {
    const approval = await this.find(agentId, operationId);
    if (approval?.state !== 'pending' && approval?.state !== 'approved') return;
    const isVoid = await withStoreErrors(() =>
      this.database.transaction(async (tx) => {
        const { rowCount } = await tx.query(
          "select from approvals where id = $1 and state in ('pending', 'approved') for update",
          [approval.id],
        );
        if (rowCount !== 1) return false;
        await endApproval(tx, approval.id, 'void');
        await this.outbox.writeAll(tx, [closedFact({ ...approval, state: 'void' })]);
        return true;
      }),
    );
    if (isVoid) countDecided('operation', 'void');
  }

  async voidAskedBefore(agentId: string, beforeMs: number, endedTokens: readonly string[]): Promise<number> {
    const { voided, withdrawn } = await withStoreErrors(() =>
      this.database.transaction(async (tx) => {
        if (!(await lockPolicy(tx, agentId))) return { voided: 0, withdrawn: 0 };
        const endedAtMs = Math.min(beforeMs, (await nowMs(tx)) + MAX_AHEAD_MS);
        const before = firstIdAt(endedAtMs);
        await tx.query(
          `insert into evictions (agent_id, operations_before) values ($1, $2) on conflict (agent_id)
           do update set operations_before = greatest(evictions.operations_before, excluded.operations_before)`,
          [agentId, before],
        );
        await endTokens(tx, this.outbox, agentId, endedTokens);
        const voided = await voidOpen(tx, agentId, before);
        const withdrawn = await withdrawProposals(tx, agentId, endedAtMs);
        await this.outbox.writeAll(tx, [
          ...voided.map(({ id, owner_id: ownerId }) =>
            closedFact({ id, kind: 'operation', agentId, ownerId, state: 'void' }),
          ),
          ...withdrawn.map((proposal) => closedFact({ ...proposal, state: 'withdrawn' })),
        ]);
        return { voided: voided.length, withdrawn: withdrawn.length };
      }),
    );
    for (let n = 0; n < voided; n += 1) countDecided('operation', 'void');
    for (let n = 0; n < withdrawn; n += 1) countDecided('policy', 'withdrawn');
    return voided + withdrawn;
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

async function nowMs(tx: Queryable): Promise<number> {
  const { rows } = await tx.query<{ now: Date }>('select policy.now() as now');
  return rows[0]!.now.getTime();
}

/** Voids what is open of operations with ids below `before`. What has expired is left to the sweeper. */
async function voidOpen(tx: Queryable, agentId: string, before: string): Promise<VoidedRow[]> {
  const { rows } = await tx.query<VoidedRow>(
    `with locked as materialized (
       select id from approvals where agent_id = $1 and operation_id < $2 and open_until > policy.now()
       order by id for update)
     update approvals a set state = 'void', decided_at = policy.now(), open_until = null from locked
     where a.id = locked.id and a.open_until is not null returning a.id, a.owner_id`,
    [agentId, before],
  );
  return rows;
}

interface VoidedRow {
  readonly id: string;
  readonly owner_id: string;
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
async function knownOf(tx: Queryable, asked: AskedSpending): Promise<KnownOfSpending | Approval | undefined> {
  const { operationId, agentId } = asked;
  const policy = await lockPolicy(tx, agentId);
  const approval = await approvalOfOperation(tx, agentId, operationId);
  if (approval) return approval;
  const { rows } = await tx.query<GroundsRow>(
    `select policy.now() as now, g.reasons, g.looks_like,
       (select owner_id from agent_owners where agent_id = $1 and role = 'owner' and removed_at is null
        order by since, owner_id limit 1) as owner_id,
       p.count as pending, case when o.token_id is not null then p.by_token end as pending_by_token,
       exists (select from evictions where agent_id = $1 and operations_before > $3)
         or exists (select from token_operations o join tokens t on t.id = o.token_id
           where o.operation_id = $3 and t.ended_at is not null) as is_evicted
     from approval_grounds($1, json_populate_record(null::reservation_request, $2)) as g
       left join token_operations o on o.operation_id = $3,
       lateral (select count(*)::int as count, count(*) filter (where token_id = o.token_id)::int as by_token
         from approvals where agent_id = $1 and kind = 'operation' and state = 'pending'
           and expires_at > policy.now()) as p`,
    [agentId, writeRow(spendingRow(asked)), operationId],
  );
  const [row] = rows;
  if (!policy || !row || row.reasons.length === 0) return undefined;
  if (row.is_evicted) throw new AppError('APPROVAL_REJECTED', { data: { reason: 'void' } });
  if (row.owner_id === null) throw new Error('a policy that asks for approvals is of an agent without an owner');
  return {
    nowMs: row.now.getTime(),
    policy,
    ownerId: row.owner_id,
    pending: { all: row.pending, byToken: row.pending_by_token ?? undefined },
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
  readonly pending_by_token: number | null;
  /** Whether the sessions of the agent, or the token of the operation, have ended since it was asked for. */
  readonly is_evicted: boolean;
}
