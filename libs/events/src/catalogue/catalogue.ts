import type { auditV1 } from '@agent-wallet/contracts';
import type { ServiceName } from '@agent-wallet/platform';

/**
 * Name of a fact. This file is the only list of event types, and docs/events.md is generated from it. It imports only
 * types, so that a tool can load it.
 */

type Fact = NonNullable<auditV1.AuditEvent['fact']>['$case'];

/** A fact whose type does not depend on what it says. */
export type PlainFact = Exclude<Fact, 'operationChanged'>;

/** The states that events publish, by their names. */
export type PublishedStatus = Exclude<
  keyof typeof auditV1.OperationStatus,
  'OPERATION_STATUS_UNSPECIFIED' | 'UNRECOGNIZED'
>;

/** A type of events. */
export interface EventType {
  /** CloudEvents `type`: agentwallet, what it is about, what happened, the version. */
  readonly type: string;
  /** Services that write it. */
  readonly writers: readonly ServiceName[];
  /** Condition under which it is written. */
  readonly meaning: string;
}

/** An action of operations, which the extension attribute `action` names. */
export type OperationAction = Omit<EventType, 'type'> & {
  /** Whether an owner can approve it. */
  readonly isApprovable?: true;
};

const OPERATING: readonly ServiceName[] = ['wallet', 'swap', 'prediction'];

/** The type of each fact but operations. */
export const FACT_TYPES: Readonly<Record<PlainFact, EventType>> = {
  walletCreated: {
    type: 'agentwallet.wallet.created.v1',
    writers: ['wallet'],
    meaning: 'A wallet was created for an agent, with its key and address.',
  },
  sessionStarted: {
    type: 'agentwallet.session.started.v1',
    writers: ['gateway'],
    meaning: 'A login with a login code, or a refresh, issued a token.',
  },
  sessionEnded: {
    type: 'agentwallet.session.ended.v1',
    writers: ['gateway'],
    meaning: 'A logout, a refresh, another session, a mailed code or a token that came again ended a session.',
  },
  tokenReused: {
    type: 'agentwallet.token.reused.v1',
    writers: ['gateway'],
    meaning: 'A token that a refresh had replaced came again, and the sessions of its login ended.',
  },
  tokenOpened: {
    type: 'agentwallet.token.opened.v1',
    writers: ['policy'],
    meaning: 'A scoped token was opened: its name, its scopes and when it expires.',
  },
  tokenEnded: {
    type: 'agentwallet.token.ended.v1',
    writers: ['policy'],
    meaning: 'A scoped token was ended before its time, and its waiting operations are void.',
  },
  policyChanged: {
    type: 'agentwallet.policy.changed.v1',
    writers: ['policy'],
    meaning: 'An agent or its owner changed the policy; each field before and after, who, and the applied approval.',
  },
  operatorActed: {
    type: 'agentwallet.operator.acted.v1',
    writers: ['gateway', 'wallet', 'swap', 'prediction', 'policy'],
    meaning:
      'An operator, or an owner, acted: froze, unfroze, revoked sessions, resent bytes, abandoned an order, attributed funds.',
  },
  reservationCreated: {
    type: 'agentwallet.reservation.created.v1',
    writers: ['policy'],
    meaning: 'Policy permitted an attempt and reserved its value.',
  },
  reservationSettled: {
    type: 'agentwallet.reservation.settled.v1',
    writers: ['policy'],
    meaning: 'Policy read from the chain that an attempt landed: its reservation is spent.',
  },
  reservationReleased: {
    type: 'agentwallet.reservation.released.v1',
    writers: ['policy'],
    meaning: 'Policy proved from the chain that an attempt moved nothing: its reservation is free again.',
  },
  orderFilled: {
    type: 'agentwallet.order.filled.v1',
    writers: ['prediction'],
    meaning: 'The fills of an order at the exchange were posted.',
  },
  messageSigned: {
    type: 'agentwallet.message.signed.v1',
    writers: ['wallet'],
    meaning: "A message of another service's operation was signed; names the boot of the signer.",
  },
  approvalRequested: {
    type: 'agentwallet.approval.requested.v1',
    writers: ['policy'],
    meaning: "A change that needs an owner's signature was requested; has the document to sign.",
  },
  approvalDecided: {
    type: 'agentwallet.approval.decided.v1',
    writers: ['policy'],
    meaning: 'An owner signed an approval with a passkey; it was applied, or had been superseded.',
  },
  approvalClosed: {
    type: 'agentwallet.approval.closed.v1',
    writers: ['policy'],
    meaning:
      'An approval ended without a signature, or a signed one took effect later or became void; has its last state.',
  },
  passkeyChanged: {
    type: 'agentwallet.passkey.changed.v1',
    writers: ['policy'],
    meaning: "An owner's passkey was added or removed.",
  },
  memberChanged: {
    type: 'agentwallet.member.changed.v1',
    writers: ['policy'],
    meaning: 'An owner was asked to join an agent, was added to it, or removed from it.',
  },
};

/** The type of an operation's change, by the state that it has from there on. */
export const OPERATION_TYPES: Readonly<Record<PublishedStatus, EventType>> = {
  OPERATION_STATUS_PENDING: {
    type: 'agentwallet.operation.pending.v1',
    writers: OPERATING,
    meaning: 'It was accepted, or a deposit is not finalized yet, or its plan changed.',
  },
  OPERATION_STATUS_SUBMITTED: {
    type: 'agentwallet.operation.submitted.v1',
    writers: OPERATING,
    meaning: 'Its signed bytes are stored; sending begins.',
  },
  OPERATION_STATUS_CONFIRMED: {
    type: 'agentwallet.operation.confirmed.v1',
    writers: OPERATING,
    meaning: 'It landed without error, or is paid.',
  },
  OPERATION_STATUS_FAILED: {
    type: 'agentwallet.operation.failed.v1',
    writers: OPERATING,
    meaning: 'It was not possible, or it landed with an error.',
  },
  OPERATION_STATUS_EXPIRED: {
    type: 'agentwallet.operation.expired.v1',
    writers: OPERATING,
    meaning: 'It was proven never to land, or was cancelled before it started.',
  },
  OPERATION_STATUS_REJECTED_BY_POLICY: {
    type: 'agentwallet.operation.rejected.v1',
    writers: OPERATING,
    meaning: 'Policy denied it; the reasons are in its metadata.',
  },
  OPERATION_STATUS_DROPPED: {
    type: 'agentwallet.operation.dropped.v1',
    writers: ['wallet'],
    meaning: 'The chain undid a deposit before it was final.',
  },
  OPERATION_STATUS_AWAITING_APPROVAL: {
    type: 'agentwallet.operation.awaiting.v1',
    writers: OPERATING,
    meaning: 'An owner was asked; nothing is signed or reserved until the owner approves.',
  },
  OPERATION_STATUS_REJECTED_BY_OWNER: {
    type: 'agentwallet.operation.refused.v1',
    writers: OPERATING,
    meaning: 'An owner rejected it.',
  },
  OPERATION_STATUS_CANCELLED: {
    type: 'agentwallet.operation.cancelled.v1',
    writers: OPERATING,
    meaning: 'The agent withdrew it while an owner was asked.',
  },
};

/**
 * The actions of operations, by their names in events, in history, in SQL and in the public API: the one list of them.
 * Readers ignore an action that is not listed.
 */
export const OPERATION_ACTIONS = {
  transfer: { writers: ['wallet'], isApprovable: true, meaning: 'Money to a recipient.' },
  trade: { writers: ['swap'], isApprovable: true, meaning: 'One token for another.' },
  deposit: { writers: ['wallet'], meaning: 'Money that another wallet sent.' },
  unwrap_sol: { writers: ['wallet'], meaning: 'Wrapped SOL turned into SOL.' },
  liquidity_add: { writers: ['swap'], isApprovable: true, meaning: 'Two tokens put into a pool.' },
  liquidity_remove: { writers: ['swap'], meaning: 'Two tokens taken out of a pool.' },
  prediction_buy: {
    writers: ['prediction'],
    isApprovable: true,
    meaning: 'Contracts bought: escrow, order, refund of the rest.',
  },
  prediction_sell: { writers: ['prediction'], meaning: 'Contracts sold.' },
  prediction_settlement: { writers: ['prediction'], meaning: 'A market that settled.' },
  prediction_withdrawal: { writers: ['prediction'], meaning: 'Prediction balance paid out to the wallet.' },
} as const satisfies Readonly<Record<string, OperationAction>>;

/** The name of an action. */
export type OperationActionName = keyof typeof OPERATION_ACTIONS;

/** The name of an action that an owner can approve. */
export type ApprovableActionName = {
  [Name in OperationActionName]: (typeof OPERATION_ACTIONS)[Name] extends { readonly isApprovable: true }
    ? Name
    : never;
}[OperationActionName];

/** Every action that an owner can approve. */
export const APPROVABLE_ACTIONS = (Object.keys(OPERATION_ACTIONS) as OperationActionName[]).filter(
  (name): name is ApprovableActionName => 'isApprovable' in OPERATION_ACTIONS[name],
);

/** Subject of a history record: an operation, or a change of the policy. */
export type HistoryActionName = OperationActionName | typeof POLICY_UPDATE;

/** Name of a policy change in history. */
export const POLICY_UPDATE = 'policy_update';

/** Every name that a record of history can have. */
export const HISTORY_ACTIONS = [...Object.keys(OPERATION_ACTIONS), POLICY_UPDATE] as HistoryActionName[];

/** The type of an event that this build does not know, written by a younger one. */
export const UNKNOWN_TYPE = 'agentwallet.unknown.v1';
