import type * as auditV1 from '../generated/agentwallet/audit/v1/event.js';
import type { StoredEvent } from '../log/records.js';
import { isSignedAssertion, problemOfAssertion } from './assertion.js';
import { readEvent } from '../read-event.js';
import { CoOwners, isDelayed, type ReplacedPasskeys } from './operator-acts.js';
import { OwnedChanges } from './owned-changes.js';
import { findingAt, type OwnerFinding, type OwnerVerdict, type Unverified } from './owner-finding.js';
import { changeOfPasskey, OwnerPasskeys } from './owner-passkeys.js';
import type { EffectProblem, VoteProblem } from './cause.js';
import { Recoveries } from './recoveries.js';
import { RequestedDocuments } from './requested-documents.js';
import { parseDocument, readDocument, type SignedDocument } from './document.js';

/**
 * Checks what owners have signed, from the log alone: a second implementation, which shares no code with the service that verified the signatures first.
 */

interface Decided {
  readonly event: StoredEvent;
  readonly vote: auditV1.ApprovalDecided;
}

interface Act {
  readonly event: StoredEvent;
  readonly acted: auditV1.OperatorActed;
}

/** The effect of a claim or a recovery some time after it was decided, or of an operator's act without an objection. */
interface Effect {
  readonly event: StoredEvent;
  readonly approvalId: string;
  readonly kind: string;
}

/**
 * Collects approvals, votes and passkeys of a whole log, and checks each vote and each key against them. An event that
 * cannot be read becomes a finding and never an error: anything can be in the log.
 */
export class OwnerSignatures {
  readonly #requests = new RequestedDocuments();
  /** Event that closed each approval, in the chain of its agent. */
  readonly #closed = new Map<string, StoredEvent>();
  readonly #passkeys = new OwnerPasskeys();
  readonly #owners = new Set<string>();
  readonly #votes: Decided[] = [];
  readonly #effects: Effect[] = [];
  /** Events by which operators confirmed recoveries. */
  readonly #confirmed = new Map<string, StoredEvent>();
  /** Latest act of an operator by its approval. */
  readonly #acts = new Map<string, Act>();
  readonly #recoveries = new Recoveries();
  readonly #changes = new OwnedChanges(this.#recoveries);

  /** @param origin of the console; every document must name it. Any origin when omitted. */
  constructor(private readonly origin?: string) {}

  /** Takes an event, in any order. One that cannot be read is reported by the check of the chains. */
  add(event: StoredEvent): void {
    const { askedBy, fact } = readOrNone(event);
    this.#changes.add({ event, askedBy, fact });
    if (fact?.$case === 'operatorActed') this.#addAct(event, fact.value);
    if (fact?.$case === 'approvalRequested') this.#requests.add(event, fact.value);
    if (fact?.$case === 'approvalClosed') this.#addClosed(event, fact.value);
    if (fact?.$case === 'approvalDecided') this.#votes.push({ event, vote: fact.value });
    if (fact?.$case === 'approvalDecided' || fact?.$case === 'memberChanged') this.#owners.add(fact.value.ownerId);
    if (fact?.$case === 'passkeyChanged') this.#passkeys.add(event, fact.value);
  }

  /** Owners whom the events name. */
  get owners(): ReadonlySet<string> {
    return this.#owners;
  }

  #addAct(event: StoredEvent, acted: auditV1.OperatorActed): void {
    const { action, approvalId = '' } = acted;
    if (action === 'start_recovery') this.#recoveries.add(event.position);
    if (action === 'confirm_recovery') this.#confirmed.set(approvalId, event);
    else if (approvalId) this.#acts.set(approvalId, { event, acted });
  }

  #addClosed(event: StoredEvent, { approvalId, state, kind }: auditV1.ApprovalClosed): void {
    // The first end of an approval counts: a later one hides nothing, and puts nothing into effect.
    const earlier = this.#closed.get(approvalId);
    if (earlier?.agentId !== event.agentId || event.sequence < earlier.sequence) this.#closed.set(approvalId, event);
    if (state === (kind === 'objection' ? 'expired' : 'applied')) this.#effects.push({ event, approvalId, kind });
  }

  /**
   * Lists the problems of votes and keys, and what was changed without a vote.
   * @param read owners whose chains were read; all when omitted. Signatures of the others are not verified.
   */
  async finish(read?: ReadonlySet<string>): Promise<OwnerVerdict> {
    const state: Decisions = {
      ...{ read, verified: 0, unverified: new Set() },
      ...{ decided: new Set(), delayed: new Map(), claims: new Map(), passkeys: new Set() },
      ...{ coOwners: new CoOwners(), replaced: [], rescues: [], invitedBy: new Map() },
    };
    const votes: Array<OwnerFinding | undefined> = [];
    for (const each of [...this.#votes, ...this.#effects].sort((a, b) => a.event.sequence - b.event.sequence)) {
      const check = () => ('vote' in each ? this.#problemOfVote(each, state) : this.#problemOfEffect(each, state));
      votes.push(findingOf(each.event, await orProblem(check)));
    }
    const { coOwners, verified, unverified } = state;
    const strangers = state.rescues
      .filter(({ event, ownerId, by }) => !coOwners.wasLetJoinAllOf(by, ownerId, event.position))
      .map(({ event }) => event);
    const rescues = strangers.map((event) => findingOf(event, 'signer_not_owner'));
    const replaced = state.replaced.filter(({ event }) => !strangers.includes(event));
    const keys = this.#passkeys.findings(state.passkeys, replaced);
    const { findings, explained } = this.#changes.finish();
    const all = [...votes, ...rescues, ...keys, ...findings].filter((finding) => finding !== undefined);
    return { findings: all, explained, verified, unverified: [...unverified] };
  }

  /** Notes what a vote without a problem has decided. */
  async #problemOfVote({ event, vote }: Decided, state: Decisions): Promise<VoteProblem | undefined> {
    const document = readDocument(this.#requests.before(event, vote.approvalId)?.document, vote.documentHash);
    if (typeof document === 'string') return document;
    const problem =
      this.#problemOfDecision({ event, vote }, document, state) ?? (await this.#problemOfSigner(vote, document, state));
    if (problem) return problem;
    if (isJoining(document) && vote.outcome === 'approved') {
      state.invitedBy.set(vote.approvalId, vote.ownerId);
      return undefined;
    }
    state.decided.add(vote.approvalId);
    if (document.kind === 'claim' && vote.outcome === 'approved') {
      state.delayed.set(vote.approvalId, { event, ownerId: vote.ownerId, document });
      return undefined;
    }
    // An objection allows nothing: it keeps what is.
    if (document.kind !== 'objection') this.#allow(event, document, vote);
    if (vote.outcome === 'applied') this.#apply(event, document, { ownerId: vote.ownerId, state });
    return undefined;
  }

  /** Notes a change of owners or passkeys that a vote without a problem has put into effect. */
  #apply(
    event: StoredEvent,
    document: SignedDocument,
    { ownerId, state }: { readonly ownerId: string; readonly state: Decisions },
  ): void {
    const { claims, coOwners, passkeys, invitedBy } = state;
    if (document.kind === 'claim') {
      claims.set(event.agentId, { event, owners: new Set([ownerId]) });
      coOwners.add(event.agentId, ownerId, { at: event.position });
    }
    if (document.kind === 'member') {
      const { action, member } = document.terms;
      const owners = claims.get(event.agentId)?.owners;
      if (action === 'remove') {
        owners?.delete(String(member));
        coOwners.end(event.agentId, event.position, String(member));
      } else {
        owners?.add(String(member));
        coOwners.add(event.agentId, String(member), { at: event.position, letInBy: invitedBy.get(document.id) });
      }
    }
    if (document.kind === 'passkey') passkeys.add(changeOfPasskey(document));
    if (document.kind === 'recovery') {
      replace({ event, confirmed: undefined }, document, state);
      if (ownerId !== document.owner) state.rescues.push({ event, ownerId: document.owner, by: ownerId });
    }
  }

  /** Notes what took effect some time after it was decided. @returns why it may not */
  #problemOfEffect(effect: Effect, state: Decisions): EffectProblem | undefined {
    if (this.#closed.get(effect.approvalId) !== effect.event) return 'closed_before';
    if (effect.kind === 'recovery' || effect.kind === 'objection') return this.#problemOfAct(effect, state);
    const { event, approvalId } = effect;
    const { delayed, claims } = state;
    const claim = delayed.get(approvalId);
    if (claim?.event.agentId !== event.agentId) return 'claim_not_signed';
    if (!isDelayed(claim.event, event, delayOf(claim.document))) return 'claim_too_early';
    if (this.#isClaimed(event, claims)) return 'claimed_before';
    claims.set(event.agentId, { event, owners: new Set([claim.ownerId]) });
    state.coOwners.add(event.agentId, claim.ownerId, { at: event.position });
    this.#allow(event, claim.document, { approvalId, ownerId: claim.ownerId, outcome: 'applied' });
    return undefined;
  }

  /** Notes what an operator has brought about. @returns why it may not be in effect */
  #problemOfAct({ event, approvalId, kind }: Effect, state: Decisions): EffectProblem | undefined {
    const request = this.#requests.before(event, approvalId);
    const document = request && parseDocument(request.document);
    if (!request || typeof document !== 'object' || document.id !== approvalId || document.kind !== kind) {
      return 'request_missing';
    }
    if ((document.agent ?? document.owner) !== event.agentId) return 'document_of_other_agent';
    if (state.decided.has(approvalId)) return 'decided_by_owner';
    if (this.origin !== undefined && document.origin !== this.origin) return 'document_of_other_console';
    if (kind === 'recovery') {
      const confirmed = this.#confirmed.get(approvalId);
      const isAfter = confirmed !== undefined && isDelayed(request.event, confirmed, 0);
      if (!isAfter || !isDelayed(confirmed, event)) return 'recovery_not_confirmed';
      replace({ event, confirmed }, document, state);
      return undefined;
    }
    const act = this.#acts.get(approvalId);
    if (!act || !isDelayed(act.event, event, 0)) return 'act_missing';
    const { act: action, operator } = document.terms;
    if (action !== act.acted.action || operator !== act.acted.operator) return 'act_differs';
    if (!isDelayed(request.event, act.event) || !isDelayed(request.event, event)) return 'act_too_early';
    if (document.terms.act === 'release') {
      state.claims.delete(event.agentId);
      state.coOwners.end(event.agentId, event.position);
    }
    this.#allow(event, document, { approvalId, ownerId: document.owner, outcome: 'applied' });
    return undefined;
  }

  #allow(
    event: StoredEvent,
    { kind, terms }: SignedDocument,
    { approvalId, ownerId, outcome }: Pick<auditV1.ApprovalDecided, 'approvalId' | 'ownerId' | 'outcome'>,
  ): void {
    const request = this.#requests.before(event, approvalId)?.event;
    const at = { event, request, requestedAt: request?.sequence ?? 0 };
    this.#changes.allow({ ...at, approvalId, ownerId, kind, terms, isApplied: outcome === 'applied' });
  }

  /** Returns whether an agent has an owner whom no recovery may have forgotten. */
  #isClaimed(event: StoredEvent, claims: Decisions['claims']): boolean {
    const claim = claims.get(event.agentId);
    return claim !== undefined && !this.#recoveries.isBetween(claim.event.position, event.position);
  }

  /** Returns why the state before a vote does not allow it. */
  #problemOfDecision({ event, vote }: Decided, document: SignedDocument, state: Decisions): VoteProblem | undefined {
    const { decided, claims } = state;
    const closed = this.#closed.get(vote.approvalId);
    if (document.id !== vote.approvalId) return 'document_of_other_approval';
    if ((document.agent ?? document.owner) !== event.agentId) return 'document_of_other_agent';
    if (this.origin !== undefined && document.origin !== this.origin) return 'document_of_other_console';
    if (decided.has(vote.approvalId)) return 'decided_before';
    if (closed?.agentId === event.agentId && closed.sequence < event.sequence) return 'closed_before';
    const isClaim = document.kind === 'claim' && vote.outcome !== 'superseded';
    if (isClaim && vote.outcome === 'applied' && delayOf(document) > 0) return 'claim_without_delay';
    return isClaim && this.#isClaimed(event, claims) ? 'claimed_before' : this.#problemOfOwner(document, vote, state);
  }

  #problemOfOwner(
    document: SignedDocument,
    { approvalId, ownerId, outcome }: auditV1.ApprovalDecided,
    { claims, invitedBy }: Decisions,
  ): VoteProblem | undefined {
    const { kind, owner, agent } = document;
    // Whose agents the owner of a recovery shares is known at the end.
    if (kind === 'recovery') return owner === ownerId ? 'signer_not_owner' : undefined;
    const isOwner = (id: string | undefined) =>
      agent !== undefined && id !== undefined && claims.get(agent)?.owners.has(id) === true;
    if (isJoining(document) && outcome === 'applied') {
      // The person who joins signs after one who is still an owner.
      return document.terms.member === ownerId && isOwner(invitedBy.get(approvalId)) ? undefined : 'signer_not_owner';
    }
    const mayDecide = OF_AGENT.has(kind) ? isOwner(ownerId) : owner === ownerId;
    return mayDecide ? undefined : 'signer_not_owner';
  }

  async #problemOfSigner(
    vote: auditV1.ApprovalDecided,
    { origin }: SignedDocument,
    state: Decisions,
  ): Promise<VoteProblem | undefined> {
    const problem = problemOfAssertion(vote, origin);
    if (problem) return problem;
    const passkey = this.#passkeys.find(vote.credentialId);
    if (!passkey && state.read?.has(vote.ownerId) === false) {
      state.unverified.add('owner_chains');
      return undefined;
    }
    if (passkey?.ownerId !== vote.ownerId) return 'passkey_unknown';
    const isSigned = await isSignedAssertion(vote, passkey.coseKey);
    if (isSigned === false) return 'signature_invalid';
    if (isSigned) state.verified += 1;
    else state.unverified.add('algorithm_unsupported');
    return undefined;
  }
}

/** Kinds that any owner of the agent may sign. */
const OF_AGENT: ReadonlySet<string> = new Set(['policy', 'operation', 'unfreeze', 'member', 'objection', 'token']);

/** Reports whether a document lets a person join, which takes two signatures. */
function isJoining({ kind, terms }: SignedDocument): boolean {
  return kind === 'member' && terms.action === 'add';
}

/** Notes that a passkey replaced all others of its owner. */
function replace(
  at: Pick<ReplacedPasskeys, 'event' | 'confirmed'>,
  { owner, terms }: SignedDocument,
  state: Decisions,
): void {
  const [credentialId, coseKey] = [textOr(terms.credentialId), textOr(terms.coseKey)];
  state.replaced.push({ ...at, ownerId: owner, credentialId, coseKey });
}

/** Returns the time from the signature of a claim until it takes effect, in hours. */
function delayOf({ terms }: SignedDocument): number {
  return Number(terms.delayHours ?? 0);
}

/** Decisions of votes without a problem so far, each agent's in the order of its chain. */
interface Decisions {
  /** Owners whose chains were read; undefined for all. */
  readonly read: ReadonlySet<string> | undefined;
  verified: number;
  readonly unverified: Set<Unverified>;
  /** Approvals. */
  readonly decided: Set<string>;
  /** Claims that are signed and take effect later, by their approval. */
  readonly delayed: Map<
    string,
    { readonly event: StoredEvent; readonly ownerId: string; readonly document: SignedDocument }
  >;
  /** The owners of each claimed agent, and its latest claim. */
  readonly claims: Map<string, { readonly event: StoredEvent; readonly owners: Set<string> }>;
  readonly coOwners: CoOwners;
  /** Owners who have signed that a person may join, by the approval. */
  readonly invitedBy: Map<string, string>;
  readonly replaced: ReplacedPasskeys[];
  /** Recoveries that another owner has signed. */
  readonly rescues: Array<{ readonly event: StoredEvent; readonly ownerId: string; readonly by: string }>;
  /** Changes of passkeys, see `changeOfPasskey`. */
  readonly passkeys: Set<string>;
}

function textOr(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Returns the problem, or that the check itself failed on its input. */
async function orProblem<Problem>(
  check: () => Problem | undefined | Promise<Problem | undefined>,
): Promise<Problem | 'vote_unreadable' | undefined> {
  try {
    return await check();
  } catch {
    return 'vote_unreadable';
  }
}

function readOrNone({ payload }: StoredEvent): Partial<Pick<auditV1.AuditEvent, 'askedBy' | 'fact'>> {
  try {
    return readEvent(payload);
  } catch {
    return {};
  }
}

function findingOf(event: StoredEvent, code: VoteProblem | EffectProblem | undefined): OwnerFinding | undefined {
  return code && findingAt(event, 'forged', { code });
}
