import { ATTRIBUTES, count, METRICS } from '@agent-wallet/telemetry';
import { type Database, watchRows } from '@agent-wallet/platform';
import type { ApprovalKind, ApprovalState } from '../../domain/owners/approval.js';

/** Counts an approval that was requested, once that is committed. */
export function countRequested(kind: ApprovalKind): void {
  count(METRICS.approvalsRequested, { attributes: { [ATTRIBUTES.approvalKind.name]: kind } });
}

/** Counts an approval that was decided or closed, once that is committed. */
export function countDecided(kind: ApprovalKind, outcome: ApprovalState): void {
  const attributes = { [ATTRIBUTES.approvalKind.name]: kind, [ATTRIBUTES.outcome.name]: outcome };
  count(METRICS.approvalsDecided, { attributes });
}

/** Watches how many approvals can be decided, by kind. The rows are those of a partial index. */
export function watchApprovals(database: Database): { stop(): void } {
  return watchRows<{ readonly kind: string; readonly pending: string }>(database, {
    name: 'approval-gauges',
    text: `select k.kind, count(a.id) as pending from unnest(enum_range(null::approval_kind)) as k (kind)
           left join approvals a on a.kind = k.kind and a.state = 'pending' and a.expires_at > policy.now() group by k.kind`,
    read: (rows) =>
      rows.map(({ kind, pending }) => ({
        metric: METRICS.approvalsPending,
        value: Number(pending),
        attributes: { [ATTRIBUTES.approvalKind.name]: kind },
      })),
  });
}
