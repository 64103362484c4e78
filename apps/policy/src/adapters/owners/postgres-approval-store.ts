import type { Outbox } from '@agent-wallet/events';
import { notFound } from '@agent-wallet/kernel';
import type { Database, DatabaseTransaction, Queryable } from '@agent-wallet/platform';
import { type Approval, approvalClosed, type ApprovalKind, type Viewer } from '../../domain/owners/approval.js';
import type {
  ApprovalQuery,
  ApprovalScope,
  ApprovalStore,
  ClaimedAgent,
  KnownWhenRequested,
  Requested,
  VoteCommand,
} from '../../ports/approval-store.js';
import { lockPolicy } from '../policy-rows.js';
import { withStoreErrors } from '../store-error.js';
import { applyApproval, applyNow, claimDelayOf, type VoteOutcome } from './apply-approval.js';
import {
  cancelClaims,
  closedFact,
  delayClaim,
  dueClaims,
  endApproval,
  type EndedClaim,
  findApproval,
  insertApproval,
  listApprovals,
  lockApproval,
  pendingApprovals,
  requestsToday,
} from './approval-rows.js';
import { countDecided, countRequested } from './count-approvals.js';
import { lockOwner, passkeysOf, useCounter } from './passkey-rows.js';

const BATCH = 100;

interface ExpiredRow {
  readonly id: string;
  readonly kind: ApprovalKind;
  readonly agent_id: string | null;
  readonly owner_id: string;
}

/**
 * Approvals in the schema `policy`. Transactions lock in this order: the owner, the freeze, the policy, the approval, the
 * passkey. So votes, withdrawals and the sweeper decide about an approval one after the other, whichever replica they reach.
 */
export class PostgresApprovalStore implements ApprovalStore {
  constructor(
    private readonly database: Database,
    private readonly outbox: Outbox,
  ) {}

  async request(scope: ApprovalScope, decide: (known: KnownWhenRequested) => Requested): Promise<Approval> {
    const { approval, isNew } = await this.#transaction(async (tx) => {
      const requested = decide(await known(tx, scope));
      const isNew = 'request' in requested;
      return { approval: isNew ? await insertApproval(tx, this.outbox, requested) : requested, isNew };
    });
    if (isNew) countRequested(approval.kind);
    return approval;
  }

  find(id: string, viewer: Viewer): Promise<Approval | undefined> {
    return withStoreErrors(() => findApproval(this.database.pool, id, viewer));
  }

  list(viewer: Viewer, query: ApprovalQuery): Promise<Approval[]> {
    return withStoreErrors(() => listApprovals(this.database.pool, viewer, query));
  }

  async vote({
    approval: { id, kind, agentId, ownerId: askedBy },
    ownerId,
    assertion,
  }: VoteCommand): Promise<Approval> {
    const voted = await this.#transaction(async (tx) => {
      if (kind === 'passkey') await lockOwner(tx, askedBy);
      if (kind === 'unfreeze') await lockFreeze(tx, agentId);
      const locked = agentId === undefined ? undefined : await lockPolicy(tx, agentId);
      const approval = await lockPending(tx, id, { ownerId });
      await useCounter(tx, ownerId, assertion);
      const { credentialId, clientData, authenticatorData, signature } = assertion;
      await tx.query(
        `insert into votes (approval_id, owner_id, credential_id, client_data, authenticator_data, signature, at)
         values ($1, $2, $3, $4, $5, $6, policy.now())`,
        [id, ownerId, credentialId, clientData, authenticatorData, signature],
      );
      const outcome = await applyApproval({ tx, outbox: this.outbox, approval, locked });
      const effectiveAtMs = await end(tx, approval, outcome);
      const evidence = { ownerId, credentialId, clientDataJson: clientData, authenticatorData, signature };
      await this.outbox.write(tx, agentId ?? askedBy, {
        $case: 'approvalDecided',
        value: { approvalId: id, documentHash: approval.documentHash, outcome, effectiveAtMs, ...evidence },
      });
      return (await findApproval(tx, id, { ownerId }))!;
    });
    countDecided(kind, voted.state);
    return voted;
  }

  async close(id: string, viewer: Viewer): Promise<Approval> {
    const ended = await this.#transaction(async (tx) => {
      const approval = await lockOpen(tx, id, viewer);
      const state = viewer.ownerId === undefined ? 'withdrawn' : 'rejected';
      await endApproval(tx, id, state);
      await this.outbox.writeAll(tx, [closedFact({ ...approval, state })]);
      return (await findApproval(tx, id, viewer))!;
    });
    countDecided(ended.kind, ended.state);
    return ended;
  }

  async cancelClaims(agentId: string): Promise<number> {
    const cancelled = await this.#transaction(async (tx) => {
      await lockPolicy(tx, agentId);
      const claims = await cancelClaims(tx, agentId);
      await this.outbox.writeAll(
        tx,
        claims.map((claim) => closedFact({ ...claim, state: 'withdrawn' })),
      );
      return claims.length;
    });
    for (let each = 0; each < cancelled; each++) countDecided('claim', 'withdrawn');
    return cancelled;
  }

  async applyDue(): Promise<boolean> {
    const due = await withStoreErrors(() => dueClaims(this.database.pool, BATCH));
    for (const claim of due) {
      const outcome = await this.#transaction((tx) => this.#takeEffect(tx, claim));
      if (outcome) countDecided('claim', outcome);
    }
    return due.length === BATCH;
  }

  /** Has a signed claim take effect, unless it ended in the meantime. */
  async #takeEffect(tx: DatabaseTransaction, claim: EndedClaim) {
    const { id, agentId, ownerId } = claim;
    const locked = await lockPolicy(tx, agentId);
    await lockApproval(tx, id);
    const approval = await findApproval(tx, id, { ownerId });
    if (approval?.state !== 'approved') return undefined;
    const state = await applyNow({ tx, outbox: this.outbox, approval, locked }, 'claim');
    await endApproval(tx, id, state);
    await this.outbox.writeAll(tx, [closedFact({ ...claim, state })]);
    return state;
  }

  async expire(): Promise<boolean> {
    const expired = await this.#transaction(async (tx) => {
      const { rows } = await tx.query<ExpiredRow>(
        `update approvals set state = 'expired', decided_at = policy.now(), open_until = null where id in (
           select id from approvals
           where (state = 'pending' and expires_at <= policy.now()) or open_until <= policy.now()
           order by expires_at limit $1 for update skip locked)
         returning id, kind, agent_id, owner_id`,
        [BATCH],
      );
      const facts = rows.map(({ id, kind, agent_id: agentId, owner_id: ownerId }) =>
        closedFact({ id, kind, agentId: agentId ?? undefined, ownerId, state: 'expired' }),
      );
      await this.outbox.writeAll(tx, facts);
      return rows;
    });
    for (const { kind } of expired) countDecided(kind, 'expired');
    return expired.length === BATCH;
  }

  #transaction<T>(work: (tx: DatabaseTransaction) => Promise<T>): Promise<T> {
    return withStoreErrors(() => this.database.transaction(work));
  }
}

/** Ends an approval with the result of its vote. @returns when its claim takes effect; undefined where that is at once */
async function end(tx: Queryable, approval: Approval, outcome: VoteOutcome): Promise<bigint | undefined> {
  if (approval.kind === 'claim' && outcome === 'approved') {
    return BigInt(await delayClaim(tx, approval.id, claimDelayOf(approval)));
  }
  await endApproval(tx, approval.id, outcome);
  return undefined;
}

/** Takes the lock of a request, and reads what decides about it. */
async function known(tx: Queryable, scope: ApprovalScope): Promise<KnownWhenRequested> {
  if (scope.agentId === undefined) await lockOwner(tx, scope.ownerId);
  const locked = scope.agentId === undefined ? undefined : await lockPolicy(tx, scope.agentId);
  const time = await tx.query<{ now: Date }>('select policy.now() as now');
  const owners = await tx.query<{ owner_id: string }>(
    `select owner_id from agent_owners where agent_id = $1 and role = 'owner' and removed_at is null
     order by since, owner_id`,
    [scope.agentId],
  );
  return {
    nowMs: time.rows[0]!.now.getTime(),
    policy: locked,
    owners: owners.rows.map(({ owner_id: ownerId }) => ownerId),
    passkeys: scope.ownerId === undefined ? [] : await passkeysOf(tx, scope.ownerId),
    pending: await pendingApprovals(tx, scope),
    claimed: scope.kind === 'claim' ? await claimedAgent(tx, scope.agentId) : undefined,
    frozenSinceMs: scope.kind === 'unfreeze' ? await frozenByOwnerSince(tx, scope.agentId) : undefined,
    requestsToday: await requestsToday(tx, scope),
  };
}

/**
 * Locks the freeze before the policy, as authorizations do. Locks a row and not the table, so that authorizations of
 * other agents go on while the vote waits for the policy.
 */
async function lockFreeze(tx: Queryable, agentId: string | undefined): Promise<void> {
  await tx.query(`select from freezes where agent_id = $1 and source = 'owner' for update`, [agentId]);
}

async function claimedAgent(tx: Queryable, agentId: string): Promise<ClaimedAgent | undefined> {
  const { rows } = await tx.query<{ created_at: Date; named_owner_id: string | null }>(
    'select created_at, named_owner_id from policies where agent_id = $1',
    [agentId],
  );
  return rows[0] && { createdAtMs: rows[0].created_at.getTime(), namedOwnerId: rows[0].named_owner_id ?? undefined };
}

async function frozenByOwnerSince(tx: Queryable, agentId: string): Promise<number | undefined> {
  const { rows } = await tx.query<{ since: Date }>(
    `select since from freezes where agent_id = $1 and source = 'owner'`,
    [agentId],
  );
  return rows[0]?.since.getTime();
}

/** Locks an approval that the viewer may decide. @throws AppError NOT_FOUND, APPROVAL_CLOSED */
async function lockPending(tx: Queryable, id: string, viewer: Viewer): Promise<Approval> {
  const approval = await lockOpen(tx, id, viewer);
  if (approval.state !== 'pending') throw approvalClosed(approval.state);
  return approval;
}

/**
 * Locks an approval that is pending, or is approved and can be taken back as long as nothing has used it.
 * @throws AppError NOT_FOUND, APPROVAL_CLOSED
 */
async function lockOpen(tx: Queryable, id: string, viewer: Viewer): Promise<Approval> {
  await lockApproval(tx, id);
  const approval = await findApproval(tx, id, viewer);
  if (!approval) throw notFound('approval', 'Check its id.');
  if (approval.state !== 'pending' && approval.state !== 'approved') throw approvalClosed(approval.state);
  return approval;
}
