import type { Outbox } from '@agent-wallet/events';
import { firstIdAt, notFound } from '@agent-wallet/kernel';
import type { Database, DatabaseTransaction, Queryable } from '@agent-wallet/platform';
import {
  type Approval,
  approvalClosed,
  type ApprovalKind,
  type OverruledAct,
  type Viewer,
} from '../../domain/owners/approval.js';
import { canBeSigned } from '../../domain/owners/can-be-signed.js';
import { type AskingSession, termsOf } from '../../domain/owners/document.js';
import type {
  ApprovalQuery,
  ApprovalScope,
  ApprovalStore,
  ClaimedAgent,
  KnownWhenRequested,
  OperatorNote,
  Requested,
  TrustChoice,
  VoteCommand,
} from '../../ports/approval-store.js';
import { lockPolicy } from '../policy-rows.js';
import { withStoreErrors } from '../store-error.js';
import { applyApproval, claimDelayOf, type VoteOutcome } from './apply-approval.js';
import {
  closedFact,
  endApproval,
  findApproval,
  insertApproval,
  listApprovals,
  lockApproval,
  LOGIN_PRECISION_MS,
  pendingApprovals,
  readApproval,
  requestsToday,
} from './approval-rows.js';
import { countDecided, countRequested } from './count-approvals.js';
import {
  cancelClaims,
  confirmRecovery,
  delayEffect,
  type DueApproval,
  dueApprovals,
  lockFreeze,
  takeEffect,
} from './later-effects.js';
import { ownersOf } from './owned-agents.js';
import { replaceTrust } from './replace-trust.js';
import { lockOwner, passkeysOf, useCounter } from './passkey-rows.js';

const BATCH = 100;
/** For how long an approval without effect stays here. The audit log has it for ever. */
const DAYS_KEPT = 90;

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
    approval: { id, kind, agentId, ownerId: askedBy, documentHash: signedHash },
    ownerId,
    assertion,
  }: VoteCommand): Promise<Approval> {
    const voted = await this.#transaction(async (tx) => {
      if (kind === 'passkey' || kind === 'recovery') await lockOwner(tx, askedBy);
      if (kind === 'unfreeze') await lockFreeze(tx, agentId);
      const locked = agentId === undefined ? undefined : await lockPolicy(tx, agentId);
      const approval = await lockSignable(tx, id, ownerId);
      // The owner has chosen another trust meanwhile: what was signed is not what is pending.
      if (!approval.documentHash.equals(signedHash)) throw approvalClosed('superseded');
      await useCounter(tx, ownerId, assertion);
      const { credentialId, clientData, authenticatorData, signature } = assertion;
      await tx.query(
        `insert into votes (approval_id, owner_id, credential_id, client_data, authenticator_data, signature, at)
         values ($1, $2, $3, $4, $5, $6, policy.now())`,
        [id, ownerId, credentialId, clientData, authenticatorData, signature],
      );
      const outcome = await applyApproval({ tx, outbox: this.outbox, approval, locked }, ownerId);
      const effectiveAtMs = await end(tx, approval, outcome);
      const evidence = { ownerId, credentialId, clientDataJson: clientData, authenticatorData, signature };
      await this.outbox.write(tx, agentId ?? askedBy, {
        $case: 'approvalDecided',
        value: { approvalId: id, documentHash: approval.documentHash, outcome, effectiveAtMs, ...evidence },
      });
      // Not as its signer sees it: an owner who has left sees it no more.
      return (await readApproval(tx, id))!;
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

  chooseTrust({ approvalId, ownerId, trust }: TrustChoice): Promise<Approval> {
    return this.#transaction(async (tx) => {
      const approval = await lockSignable(tx, approvalId, ownerId);
      return replaceTrust(tx, this.outbox, { approval, trust });
    });
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

  async applyDue(): Promise<void> {
    const failures: unknown[] = [];
    let due: readonly DueApproval[] = [];
    do {
      const after = due.at(-1);
      due = await withStoreErrors(() => dueApprovals(this.database.pool, { after, limit: BATCH }));
      for (const approval of due) {
        try {
          const state = await this.#transaction((tx) => takeEffect(tx, this.outbox, approval));
          if (state) countDecided(approval.kind, state);
        } catch (error) {
          // It must not hold back those that are due after it.
          failures.push(error);
        }
      }
    } while (due.length === BATCH);
    if (failures.length > 0) throw failures[0];
  }

  confirmRecovery(id: string, note: OperatorNote): Promise<Approval> {
    return this.#transaction((tx) => confirmRecovery(tx, this.outbox, { id, ...note }));
  }

  async withdrawAct(agentId: string, act: OverruledAct, note: OperatorNote): Promise<Approval | undefined> {
    const withdrawn = await this.#transaction(async (tx) => {
      await lockPolicy(tx, agentId);
      const pending = await pendingApprovals(tx, { kind: 'objection', agentId, ownerId: undefined });
      const asked = pending.find(({ document }) => termsOf('objection', document).act === act);
      if (!asked || (await lockApproval(tx, asked.id)) !== 'pending') return undefined;
      await endApproval(tx, asked.id, 'withdrawn');
      const value = { ...note, action: `withdraw_${act}`, operationId: '', approvalId: asked.id };
      await this.outbox.writeAll(tx, [
        closedFact({ ...asked, state: 'withdrawn' }),
        { agentId, fact: { $case: 'operatorActed', value } },
      ]);
      return readApproval(tx, asked.id);
    });
    if (withdrawn) countDecided('objection', 'withdrawn');
    return withdrawn;
  }

  async expire(): Promise<boolean> {
    const expired = await this.#transaction(async (tx) => {
      const { rows } = await tx.query<ExpiredRow>(
        `update approvals set state = 'expired', decided_at = policy.now(), open_until = null where id in (
           select id from approvals
           where (state = 'pending' and kind <> 'objection' and expires_at <= (select policy.now())) or open_until <= (select policy.now())
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

  async forgetWithoutEffect(): Promise<boolean> {
    const { rowCount } = await withStoreErrors(() =>
      this.database.pool.query({
        name: 'policy-forget-approvals',
        text: `with old as materialized (
                 select id from approvals
                 where state in ('rejected', 'withdrawn', 'expired', 'void', 'superseded')
                   and decided_at <= (select policy.now()) - interval '${DAYS_KEPT} days'
                 order by decided_at limit $1 for update skip locked),
               signatures as (delete from votes where approval_id in (select id from old))
               delete from approvals where id in (select id from old)`,
        values: [BATCH],
      }),
    );
    return rowCount === BATCH;
  }

  #transaction<T>(work: (tx: DatabaseTransaction) => Promise<T>): Promise<T> {
    return withStoreErrors(() => this.database.transaction(work));
  }
}

/** Ends an approval with the result of its vote. @returns when its claim takes effect; undefined where that is at once */
async function end(tx: Queryable, approval: Approval, outcome: VoteOutcome): Promise<bigint | undefined> {
  if (approval.kind === 'claim' && outcome === 'approved') {
    return BigInt(await delayEffect(tx, approval.id, claimDelayOf(approval)));
  }
  await endApproval(tx, approval.id, outcome);
  return undefined;
}

/** Takes the lock of a request, and reads what decides about it. */
async function known(tx: Queryable, scope: ApprovalScope): Promise<KnownWhenRequested> {
  if (scope.agentId === undefined) await lockOwner(tx, scope.ownerId);
  const locked = scope.agentId === undefined ? undefined : await lockPolicy(tx, scope.agentId);
  const time = await tx.query<{ now: Date }>('select policy.now() as now');
  const subject = scope.passkeysOf ?? scope.ownerId;
  return {
    nowMs: time.rows[0]!.now.getTime(),
    policy: locked,
    owners: await ownersOf(tx, scope.agentId),
    passkeys: subject === undefined ? [] : await passkeysOf(tx, subject),
    pending: await pendingApprovals(tx, scope),
    claimed: scope.kind === 'claim' ? await claimedAgent(tx, scope.agentId) : undefined,
    frozenSinceMs:
      scope.kind === 'unfreeze' || scope.kind === 'objection' ? await frozenByOwnerSince(tx, scope.agentId) : undefined,
    isEvicted: await isEvicted(tx, scope),
    requestsToday: await requestsToday(tx, { ...scope, tokenId: sessionIn(scope)?.tokenId }),
  };
}

function sessionIn(scope: ApprovalScope): AskingSession | undefined {
  return 'session' in scope ? scope.session : undefined;
}

/** Returns whether all sessions have ended since the one that asks was opened. Its request was under way meanwhile. */
async function isEvicted(tx: Queryable, scope: ApprovalScope): Promise<boolean> {
  const loggedInAtMs = sessionIn(scope)?.loggedInAtMs;
  if (loggedInAtMs === undefined) return false;
  const { rowCount } = await tx.query('select from evictions where agent_id = $1 and operations_before > $2', [
    scope.agentId,
    firstIdAt(loggedInAtMs + LOGIN_PRECISION_MS),
  ]);
  return rowCount !== 0;
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

/** Locks an approval that the owner may sign. @throws AppError NOT_FOUND, APPROVAL_CLOSED */
async function lockSignable(tx: Queryable, id: string, ownerId: string): Promise<Approval> {
  const approval = await lockOpen(tx, id, { ownerId });
  if (!canBeSigned(approval, ownerId)) throw approvalClosed(approval.state);
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
