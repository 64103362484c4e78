import { ATTRIBUTES as A } from './attributes.js';
import type { Metric } from './metric.js';

/** Operators' metrics about owners: approvals, passkeys, mailed codes and evictions. Part of METRICS. */
export const OWNER_METRICS = {
  approvalsRequested: {
    name: 'agentwallet.approvals.requested',
    kind: 'counter',
    unit: '{approval}',
    help: 'Approvals that owners, or mailboxes, were asked for',
    labels: [A.approvalKind.name],
  },
  approvalsDecided: {
    name: 'agentwallet.approvals.decided',
    kind: 'counter',
    unit: '{approval}',
    help: 'Approvals that were signed, confirmed or closed; one that was approved may be closed later',
    labels: [A.approvalKind.name, A.outcome.name],
  },
  approvalsPending: {
    name: 'agentwallet.approvals.pending',
    kind: 'gauge',
    unit: '{approval}',
    help: 'Approvals that can be decided now; operations that wait for one are of the kind operation',
    labels: [A.approvalKind.name],
  },
  assertionsRejected: {
    name: 'agentwallet.assertions.rejected',
    kind: 'counter',
    unit: '{assertion}',
    help: "Passkeys' signatures and registrations that policy rejected",
    labels: [A.rejection.name],
  },
  mailsLimited: {
    name: 'agentwallet.mails.limited',
    kind: 'counter',
    unit: '{mail}',
    help: 'Mailed codes that a limit refused or delayed',
    labels: [A.mailLimit.name],
  },
  mailsQueued: {
    name: 'agentwallet.mails.queued',
    kind: 'gauge',
    unit: '{mail}',
    help: 'Mailed codes that the mail server has not accepted yet',
    labels: [],
  },
  mailsQueuedOldest: {
    name: 'agentwallet.mails.queued_oldest_age',
    kind: 'gauge',
    unit: 's',
    help: 'Age of the oldest queued mail; 0 when none waits',
    labels: [],
  },
  evictionsUnreported: {
    name: 'agentwallet.evictions.unreported',
    kind: 'gauge',
    unit: '{eviction}',
    help: 'Evictions whose waiting operations policy has not voided yet; their tokens have ended',
    labels: [],
  },
  evictionsUnreportedOldest: {
    name: 'agentwallet.evictions.unreported_oldest_age',
    kind: 'gauge',
    unit: 's',
    help: 'Age of the oldest unreported eviction; 0 when there are none',
    labels: [],
  },
} as const satisfies Record<string, Metric>;
