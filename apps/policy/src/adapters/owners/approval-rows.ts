import type { AgentFact, Outbox } from '@agent-wallet/events';
import type { Queryable } from '@agent-wallet/platform';
import type { Approval, ApprovalKind, ApprovalState, TakenPlaces, Viewer } from '../../domain/owners/approval.js';
import { approvalDocument, type ApprovalRequest, challengeOf } from '../../domain/owners/document.js';
import type { ApprovalQuery, NewApproval } from '../../ports/approval-store.js';
import type { Registration } from '../../ports/passkey-verifier.js';

/** Rows of approvals. */

interface ApprovalRow {
  readonly id: string;
  readonly kind: ApprovalKind;
  readonly agent_id: string | null;
  readonly owner_id: string;
  readonly token_id: string | null;
  readonly document: Buffer;
  readonly document_hash: Buffer;
  readonly threshold: number;
  readonly votes: string;
  readonly state: ApprovalState;
  readonly asked_at: Date;
  readonly expires_at: Date;
  readonly decided_at: Date | null;
  readonly effective_at: Date | null;
}

/** A registration in JSON, its bytes in base64url. */
interface StoredRegistration {
  readonly credentialId: string;
  readonly coseKey: string;
  readonly signCount: number;
  readonly attestation: string;
  readonly clientData: string;
}

/** State as a reader sees it: an approval that is to take effect later does not expire. */
const STATE = `case when a.state in ('pending', 'approved') and a.expires_at <= policy.now() and a.effective_at is null
  then 'expired' else a.state end`;
const COLUMNS = `a.id, a.kind, a.agent_id, a.owner_id, a.token_id, a.document, a.document_hash, a.threshold, ${STATE} as state,
  a.asked_at, a.expires_at, a.decided_at, a.effective_at, (select count(*) from votes v where v.approval_id = a.id) as votes`;
/** Kinds that every owner of the agent decides on, not only the one in the row. */
const OF_ALL_OWNERS = `('policy', 'operation', 'objection', 'member', 'token')`;
/** Kinds that an agent sees of its own. */
const OF_AGENTS = `('policy', 'operation', 'unfreeze')`;
const ARE_OWNERS = `m.role = 'owner' and m.removed_at is null`;
/**
 * Reports that one who recovers passkeys has let this owner join, by a signature, every agent that is that person's or is
 * about to be, at least one. Only such an owner can sign the recovery: it gives away no agent that this owner has not. What
 * others made the person an owner of says nothing of whom the person trusts.
 */
const wasLetJoinAllOf = (owner: string, other: string) => `(${owner} <> ${other}
  and exists (select from agent_owners m where m.owner_id = ${other} and ${ARE_OWNERS})
  and not exists (select from approvals c where c.owner_id = ${other} and c.kind = 'claim' and c.state = 'approved')
  and not exists (select from agent_owners m where m.owner_id = ${other} and ${ARE_OWNERS} and not exists (
    select from agent_owners o
      join approvals j on j.agent_id = o.agent_id and j.joiner_id = o.owner_id and j.state = 'applied'
      join votes v on v.approval_id = j.id and v.owner_id = ${other}
    where o.agent_id = m.agent_id and o.owner_id = ${owner} and o.role = 'owner' and o.removed_at is null)))`;
/** Reports that an owner has signed that this one may join, who signs next. */
const isAskedToJoin = (approval: string, owner: string) =>
  `(${approval}.joiner_id = ${owner} and exists (select from votes v where v.approval_id = ${approval}.id))`;
/** agent, owner: one of them null. What concerns a policy or an operation is for every owner of the agent to decide. */
const IS_VISIBLE = `((a.agent_id = $1::uuid and a.kind in ${OF_AGENTS})
  or (a.kind not in ${OF_ALL_OWNERS} and a.owner_id = $2::uuid)
  or (a.kind in ${OF_ALL_OWNERS} and exists (select from agent_owners m
        where m.agent_id = a.agent_id and m.owner_id = $2::uuid and ${ARE_OWNERS}))
  or ${isAskedToJoin('a', '$2::uuid')}
  or (a.kind = 'recovery' and ${wasLetJoinAllOf('$2::uuid', 'a.owner_id')}))`;

const STORED = `p.id, p.kind, p.agent_id, p.owner_id, p.token_id, p.document, p.document_hash, p.threshold, p.state, p.asked_at,
  p.expires_at, p.decided_at, p.effective_at`;
/**
 * Approvals that IS_VISIBLE lets through, read by an index for each kind of viewer. An owner sees its own, and its
 * agents'.
 */
const OF_AGENT = `select ${STORED} from approvals p where p.agent_id = $1::uuid and p.kind in ${OF_AGENTS}`;
const OF_OWNER = `select ${STORED} from approvals p where p.owner_id = $1::uuid and p.kind not in ${OF_ALL_OWNERS}
  union all select ${STORED} from agent_owners m join approvals p on p.agent_id = m.agent_id
    where m.owner_id = $1::uuid and ${ARE_OWNERS} and p.kind in ${OF_ALL_OWNERS}
  union all select ${STORED} from approvals p where ${isAskedToJoin('p', '$1::uuid')} and not exists (
      select from agent_owners m where m.agent_id = p.agent_id and m.owner_id = $1::uuid and ${ARE_OWNERS})
  union all select ${STORED} from approvals p where p.kind = 'recovery' and p.owner_id in (
      select s.owner_id from agent_owners s join agent_owners m on m.agent_id = s.agent_id
      where m.owner_id = $1::uuid and ${ARE_OWNERS})
    and ${wasLetJoinAllOf('$1::uuid', 'p.owner_id')}`;

/** Returns an approval; undefined also when it is not the viewer's. */
export async function findApproval(on: Queryable, id: string, viewer: Viewer): Promise<Approval | undefined> {
  const { rows } = await on.query<ApprovalRow>(`select ${COLUMNS} from approvals a where ${IS_VISIBLE} and a.id = $3`, [
    viewer.agentId,
    viewer.ownerId,
    id,
  ]);
  return rows[0] && approvalOf(rows[0]);
}

/** Returns a page of the viewer's approvals, the latest first. */
export async function listApprovals(
  on: Queryable,
  viewer: Viewer,
  { state, before, limit }: ApprovalQuery,
): Promise<Approval[]> {
  const { rows } = await on.query<ApprovalRow>(
    `select ${COLUMNS} from (${viewer.agentId === undefined ? OF_OWNER : OF_AGENT}) a
     where ($2::approval_state is null or ${STATE} = $2)
       and ($3::uuid is null or (a.asked_at, a.id) < (select b.asked_at, b.id from approvals b where b.id = $3))
     order by a.asked_at desc, a.id desc limit $4`,
    [viewer.agentId ?? viewer.ownerId, state, before, limit],
  );
  return rows.map(approvalOf);
}

/** Reports that an approval is pending, or is to take effect later. */
export const IS_AHEAD = `((a.state = 'pending' and a.expires_at > policy.now()) or (a.state = 'approved' and a.effective_at is not null))`;

/** Returns the approvals of a kind that are still ahead: of an agent, or of an owner alone. */
export async function pendingApprovals(
  on: Queryable,
  { kind, agentId, ownerId }: { kind: ApprovalKind; agentId?: string | undefined; ownerId: string | undefined },
): Promise<Approval[]> {
  const { rows } = await on.query<ApprovalRow>(
    `select ${COLUMNS} from approvals a where a.kind = $1 and ${IS_AHEAD}
       and (a.agent_id = $2::uuid or ($2::uuid is null and a.owner_id = $3::uuid)) order by a.asked_at, a.id`,
    [kind, agentId, ownerId],
  );
  return rows.map(approvalOf);
}

/** Reports whether a claim of the agent waits for a signature, or for its effect. */
export async function hasPendingClaim(on: Queryable, agentId: string): Promise<boolean> {
  const { rowCount } = await on.query(
    `select from approvals a where a.agent_id = $1 and a.kind = 'claim' and ${IS_AHEAD}`,
    [agentId],
  );
  return rowCount !== 0;
}

/** Condition on the proposer of a policy change, which only the document names. */
const IS_BY_AGENT = `(kind = 'policy' and convert_from(document, 'UTF8')::jsonb #>> '{terms,proposer}' = 'agent')`;

/**
 * Counts the approvals that an agent or an owner has requested in the last 24 hours. What an owner has requested and
 * closed again counts a tenth: a session that asks and rejects must not keep the owner from acting, nor fill the log.
 * @param requester with the scoped token that asks, where one does
 */
export async function requestsToday(on: Queryable, { agentId, ownerId, tokenId }: Requester): Promise<TakenPlaces> {
  const asked = ownerId === undefined ? `agent_id = $1 and ${IS_BY_AGENT}` : `owner_id = $1 and not ${IS_BY_AGENT}`;
  const counted =
    ownerId === undefined
      ? 'count(*)'
      : `count(*) filter (where state <> 'rejected') + count(*) filter (where state = 'rejected') / 10`;
  const { rows } = await on.query<{ count: string; by_token: string }>(
    `select ${counted} as count, count(*) filter (where token_id = $2) as by_token
     from approvals where ${asked} and kind not in ('operation', 'objection') and asked_at > policy.window_start(policy.now())`,
    [ownerId ?? agentId, tokenId],
  );
  const { count, by_token: byToken } = rows[0]!;
  return { all: Number(count), byToken: tokenId === undefined ? undefined : Number(byToken) };
}

interface Requester {
  readonly agentId?: string | undefined;
  readonly ownerId: string | undefined;
  readonly tokenId: string | undefined;
}

/** Stores an approval and publishes it. */
export async function insertApproval(
  tx: Queryable,
  outbox: Outbox,
  { request, registration }: NewApproval,
): Promise<Approval> {
  const { id, kind, agentId, ownerId, threshold, askedAtMs, expiresAtMs, operation } = request;
  const document = approvalDocument(request);
  const documentHash = challengeOf(document);
  await tx.query(
    `insert into approvals (id, kind, agent_id, owner_id, document, document_hash, threshold, asked_at, expires_at,
       registration, operation_id, open_until, token_id, joiner_id)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11,
       case when $11::uuid is not null or $13::uuid is not null then $9::timestamptz end,
       coalesce((select o.token_id from token_operations o where o.operation_id = $11), $12), $13)`,
    [
      id,
      kind,
      agentId,
      ownerId,
      document,
      documentHash,
      threshold,
      new Date(askedAtMs),
      new Date(expiresAtMs),
      registration && storedRegistration(registration),
      operation?.operationId,
      request.session?.tokenId,
      joinerOf(request),
    ],
  );
  await outbox.write(tx, agentId ?? ownerId, {
    $case: 'approvalRequested',
    value: { approvalId: id, kind, document },
  });
  const tokenId = request.session?.tokenId;
  const open = { tokenId, votes: 0, state: 'pending', decidedAtMs: undefined, effectiveAtMs: undefined } as const;
  return { id, kind, agentId, ownerId, document, documentHash, threshold, askedAtMs, expiresAtMs, ...open };
}

/** Returns the owner who joins by an approval, and signs after an owner of the agent. */
function joinerOf({ kind, terms }: ApprovalRequest): string | undefined {
  return kind === 'member' && terms.action === 'add' ? terms.member : undefined;
}

/** Returns an approval, also one that no viewer may see. */
export async function readApproval(on: Queryable, id: string): Promise<Approval | undefined> {
  const { rows } = await on.query<ApprovalRow>(`select ${COLUMNS} from approvals a where a.id = $1`, [id]);
  return rows[0] && approvalOf(rows[0]);
}

/**
 * Holds back every other decision about an approval until the transaction ends.
 * @returns its state as it is stored: what has expired may still be pending
 */
export async function lockApproval(tx: Queryable, id: string): Promise<ApprovalState | undefined> {
  const { rows } = await tx.query<{ state: ApprovalState }>('select state from approvals where id = $1 for update', [
    id,
  ]);
  return rows[0]?.state;
}

/** Sets the state that an approval ends with, or `approved`, after which it may be used until it expires. */
export async function endApproval(tx: Queryable, id: string, state: ApprovalState): Promise<void> {
  await tx.query(
    `update approvals set state = $2, decided_at = policy.now(),
       open_until = case when $2 = 'approved'::approval_state then open_until end
     where id = $1`,
    [id, state],
  );
}

/** A proposal of an agent, as far as its end is published with it. */
export interface EndedProposal {
  readonly id: string;
  readonly kind: 'policy';
  readonly agentId: string;
  readonly ownerId: string;
}

/**
 * Milliseconds between a login and an end of all sessions that may be in the wrong order: a login is known to the second, and
 * clocks of replicas differ.
 */
export const LOGIN_PRECISION_MS = 2_000;

/** Login of the session that asked, which only the document names; null where it names none. */
const LOGGED_IN_AT = `(convert_from(document, 'UTF8')::jsonb #>> '{session,loggedInAt}')::timestamptz`;

/**
 * Withdraws the proposals of an agent that were requested before a time, in Unix milliseconds, or later by a session of a
 * login before it. Those of its owners stay, and what has expired is left to the sweeper. @returns those that this withdrew
 */
export async function withdrawProposals(tx: Queryable, agentId: string, beforeMs: number): Promise<EndedProposal[]> {
  const { rows } = await tx.query<EndedProposal>(
    `with locked as materialized (
       select id from approvals where agent_id = $1 and state = 'pending' and expires_at > policy.now()
         and ${IS_BY_AGENT} and (asked_at < $2 or ${LOGGED_IN_AT} < $3) order by id for update)
     update approvals a set state = 'withdrawn', decided_at = policy.now() from locked
     where a.id = locked.id and a.state = 'pending'
     returning a.id, a.kind, a.agent_id as "agentId", a.owner_id as "ownerId"`,
    [agentId, new Date(beforeMs), new Date(beforeMs - LOGIN_PRECISION_MS)],
  );
  return rows;
}

/**
 * Voids the approvals that a token's operations wait for, or have not used, withdraws its proposals, and publishes it. The
 * caller holds the lock of the policy.
 * @returns what ended
 */
export async function endApprovalsOfToken(
  tx: Queryable,
  outbox: Outbox,
  { agentId, tokenId }: { readonly agentId: string; readonly tokenId: string },
): Promise<EndedOfToken[]> {
  const { rows } = await tx.query<EndedOfToken>(
    `with locked as materialized (
       select id from approvals where agent_id = $1 and token_id = $2
         and (open_until > policy.now() or (state = 'pending' and expires_at > policy.now()))
       order by id for update)
     update approvals a set decided_at = policy.now(), open_until = null,
       state = case when a.operation_id is null then 'withdrawn' else 'void' end::approval_state
     from locked where a.id = locked.id and (a.state = 'pending' or a.open_until is not null)
     returning a.id, a.kind, a.agent_id as "agentId", a.owner_id as "ownerId", a.state, a.operation_id as "operationId"`,
    [agentId, tokenId],
  );
  await outbox.writeAll(tx, rows.map(closedFact));
  return rows;
}

/** An approval that ended with its token. */
interface EndedOfToken extends EndedProposal {
  readonly state: ApprovalState;
  readonly operationId: string | null;
}

/** Returns the event of an approval that ended without a signature, or although it had one. */
export function closedFact(closed: {
  readonly id: string;
  readonly kind: ApprovalKind;
  readonly agentId: string | undefined;
  readonly ownerId: string;
  readonly state: ApprovalState;
}): AgentFact {
  const { id: approvalId, kind, agentId, ownerId, state } = closed;
  return {
    agentId: agentId ?? ownerId,
    fact: { $case: 'approvalClosed', value: { approvalId, state, kind, ownerId } },
  };
}

/** Reads the registration of a passkey that is to be added. */
export async function registrationOf(tx: Queryable, id: string): Promise<Registration> {
  const { rows } = await tx.query<{ registration: StoredRegistration }>(
    'select registration from approvals where id = $1',
    [id],
  );
  const { credentialId, coseKey, signCount, attestation, clientData } = rows[0]!.registration;
  const bytes = (text: string) => Buffer.from(text, 'base64url');
  return {
    credentialId: bytes(credentialId),
    coseKey: bytes(coseKey),
    signCount,
    attestation: bytes(attestation),
    clientData: bytes(clientData),
  };
}

function storedRegistration({ signCount, ...registration }: Registration): StoredRegistration {
  const text = (bytes: Buffer) => Buffer.from(bytes).toString('base64url');
  return {
    credentialId: text(registration.credentialId),
    coseKey: text(registration.coseKey),
    signCount,
    attestation: text(registration.attestation),
    clientData: text(registration.clientData),
  };
}

function approvalOf(row: ApprovalRow): Approval {
  return {
    id: row.id,
    kind: row.kind,
    agentId: row.agent_id ?? undefined,
    ownerId: row.owner_id,
    tokenId: row.token_id ?? undefined,
    document: row.document,
    documentHash: row.document_hash,
    threshold: row.threshold,
    votes: Number(row.votes),
    state: row.state,
    askedAtMs: row.asked_at.getTime(),
    expiresAtMs: row.expires_at.getTime(),
    decidedAtMs: row.decided_at?.getTime(),
    effectiveAtMs: row.effective_at?.getTime(),
  };
}
