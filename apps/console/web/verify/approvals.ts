import {
  type ApprovalDecided,
  isSignedAssertion,
  type Json,
  problemOfAssertion,
  readDocument,
  type SignedDocument,
} from '@agent-wallet/audit';
import { Effects } from './effects.js';
import { type CarriedOut, type End, OperatorActs } from './operator-acts.js';
import { Passkeys, type Recovery, signedChange } from './passkeys.js';
import type { Finding, NotChecked, Place, TakenEvent, VoteProblem } from './report.js';

/** Result of the check of what owners have signed. */
export interface ApprovalsVerdict {
  /** Votes that were verified whole. */
  readonly verified: number;
  readonly findings: readonly Finding[];
  readonly notChecked: readonly NotChecked[];
}

/** Result of one vote: its document when nothing is wrong, and why its signature could not be verified. */
type VoteResult = VoteProblem | { readonly document: SignedDocument; readonly unverified?: NotChecked | undefined };

interface Requested extends Place {
  readonly document: Uint8Array;
}

interface Vote extends Place {
  readonly vote: ApprovalDecided;
}

const APPLIED = 'applied';

/** Kinds that any owner of the agent may sign, and no other. */
const OF_AGENT: ReadonlySet<string> = new Set(['policy', 'operation', 'unfreeze', 'member', 'objection', 'token']);

/** Approvals, votes and passkeys of an agent and its owners. */
export class Approvals {
  /** Documents of each approval: one of a payment has another one for each trust that its owner has chosen. */
  readonly #documents = new Map<string, Requested[]>();
  /** Event that closed each approval first. */
  readonly #closed = new Map<string, End>();
  /** Votes and ends, in the order of its chain; the agent's chain comes first. */
  readonly #decisions: (Vote | End)[] = [];
  /** Signed claims that are not in effect yet. */
  readonly #delayed = new Map<string, { readonly vote: ApprovalDecided; readonly document: SignedDocument }>();
  readonly #passkeys = new Passkeys();
  readonly #acts: OperatorActs;
  readonly #effects = new Effects();
  readonly #owners = new Set<string>();
  /** Approvals that a vote has decided. */
  readonly #decided = new Set<string>();
  /** The owners of each agent, so far as votes made and removed them. */
  readonly #ownersOf = new Map<string, Set<string>>();
  /** Owners who have signed that a person may join, by the approval. That person signs next. */
  readonly #invitedBy = new Map<string, string>();
  /** Owners who had an agent at some time. */
  readonly #coOwners = new Set<string>();
  /** Changes of passkeys that were signed. */
  readonly #changes = new Set<string>();
  readonly #recoveries: Recovery[] = [];

  /** @param origin of the console, which every document must name */
  constructor(private readonly origin: string) {
    this.#acts = new OperatorActs(origin);
  }

  /** Owners that the events name. */
  get owners(): ReadonlySet<string> {
    return this.#owners;
  }

  /** Takes an event, in the order of its chain. The chain of the agent comes before those of owners. */
  add(taken: TakenEvent): void {
    const { subject, eventId, sequence, event } = taken;
    const place = { subject, eventId, sequence };
    const { fact } = event;
    const atMs = Number(event.occurredAtMs);
    this.#effects.add(taken);
    this.#acts.add(taken);
    switch (fact?.$case) {
      case 'approvalRequested':
        this.#request(fact.value.approvalId, { ...place, document: fact.value.document });
        break;
      case 'approvalClosed':
        this.#close({ ...place, atMs, ...fact.value });
        break;
      case 'approvalDecided':
        this.#owners.add(fact.value.ownerId);
        this.#decisions.push({ ...place, vote: fact.value });
        break;
      case 'memberChanged':
        this.#owners.add(fact.value.ownerId);
        break;
      case 'passkeyChanged':
        this.#passkeys.add({ ...place, atMs, key: fact.value });
        break;
      default:
    }
  }

  /** Verifies all votes, keys and changes. @param read owners whose chains were read */
  async finish(read: ReadonlySet<string>): Promise<ApprovalsVerdict> {
    const findings: Finding[] = [];
    const notChecked = new Set<NotChecked>();
    let verified = 0;
    for (const vote of this.#decisions) {
      if (!('vote' in vote)) {
        findings.push(...this.#end(vote));
        continue;
      }
      const result = await this.#check(vote, read);
      const { subject, eventId, sequence } = vote;
      if (typeof result === 'string') {
        const { approvalId } = vote.vote;
        findings.push({ code: 'vote_invalid', subject, eventId, sequence, approvalId, what: result });
        continue;
      }
      if (result.unverified) notChecked.add(result.unverified);
      else verified += 1;
      this.#note(vote, result.document);
    }
    if ([...this.#owners].some((ownerId) => !read.has(ownerId))) notChecked.add('owner_chains');
    findings.push(...this.#acts.unended(), ...this.#passkeys.findings(this.#changes, this.#recoveries));
    return { verified, findings: [...findings, ...this.#effects.finish()], notChecked: [...notChecked] };
  }

  #request(approvalId: string, requested: Requested): void {
    const earlier = this.#documents.get(approvalId);
    if (earlier) earlier.push(requested);
    else this.#documents.set(approvalId, [requested]);
  }

  /** Returns the document that an approval had when it was voted on: the latest before in the same chain. */
  #documentAt({ subject, sequence, vote }: Vote): Uint8Array | undefined {
    const requested = this.#documents.get(vote.approvalId) ?? [];
    return requested.findLast((each) => each.subject === subject && each.sequence < sequence)?.document;
  }

  #close(end: End): void {
    const key = keyOf(end);
    if (!this.#closed.has(key)) this.#closed.set(key, end);
    this.#decisions.push(end);
  }

  async #check(vote: Vote, read: ReadonlySet<string>): Promise<VoteResult> {
    try {
      return await this.#resultOf(vote, read);
    } catch {
      return 'unreadable';
    }
  }

  async #resultOf(place: Vote, read: ReadonlySet<string>): Promise<VoteResult> {
    const { vote } = place;
    const document = readDocument(this.#documentAt(place), vote.documentHash);
    if (typeof document === 'string') return document;
    const problem = this.#problemOfDecision(place, document) ?? problemOfAssertion(vote, document.origin);
    if (problem) return problem;
    const passkey = this.#passkeys.find(vote.credentialId);
    if (!passkey && !read.has(vote.ownerId)) return { document, unverified: 'owner_chains' };
    if (passkey?.ownerId !== vote.ownerId) return 'no_passkey';
    const isSigned = await isSignedAssertion(vote, passkey.coseKey);
    if (isSigned === undefined) return { document, unverified: 'ed25519_unsupported' };
    return isSigned ? { document } : 'signature';
  }

  /** Returns why the state before a vote does not allow it. */
  #problemOfDecision({ subject, sequence, vote }: Vote, document: SignedDocument): VoteProblem | undefined {
    const { approvalId, outcome } = vote;
    const closed = this.#closed.get(keyOf({ subject, approvalId }));
    if (document.id !== approvalId) return 'other_approval';
    if ((document.agent ?? document.owner) !== subject) return 'other_agent';
    if (document.origin !== this.origin) return 'other_console';
    if (this.#decided.has(approvalId)) return 'decided_before';
    if (closed && closed.sequence < sequence) return 'closed_before';
    if (document.kind === 'claim' && outcome !== 'superseded' && this.#isOwned(subject)) return 'claimed_before';
    return this.#isOwner(document, vote) ? undefined : 'not_owner';
  }

  #isOwner(document: SignedDocument, vote: ApprovalDecided): boolean {
    const { kind, owner, agent } = document;
    const { ownerId } = vote;
    if (isJoining(document) && vote.outcome === APPLIED) return this.#isInvited(document, vote);
    // Which other agents the two own together, no chain that is read shows.
    if (kind === 'recovery') return owner !== ownerId && this.#coOwners.has(ownerId);
    if (!OF_AGENT.has(kind)) return owner === ownerId;
    return agent !== undefined && this.#ownersOf.get(agent)?.has(ownerId) === true;
  }

  /** Reports whether the person who joins has signed, after one who is still an owner. */
  #isInvited({ agent, terms }: SignedDocument, { approvalId, ownerId }: ApprovalDecided): boolean {
    const by = this.#invitedBy.get(approvalId);
    if (agent === undefined || by === undefined || terms.member !== ownerId) return false;
    return this.#ownersOf.get(agent)?.has(by) === true;
  }

  #isOwned(subject: string): boolean {
    return (this.#ownersOf.get(subject)?.size ?? 0) > 0;
  }

  #addOwner(subject: string, ownerId: string): void {
    this.#ownersOf.set(subject, (this.#ownersOf.get(subject) ?? new Set()).add(ownerId));
    this.#coOwners.add(ownerId);
  }

  /** Notes what took effect with the end of an approval. @returns the problem of an operator's act */
  #end(end: End): Finding[] {
    const isFirst = this.#closed.get(keyOf(end)) === end;
    if (isFirst && end.state === APPLIED) this.#takeEffect(end);
    const isDecided = this.#decided.has(end.approvalId);
    const found = this.#acts.end(end, isDecided ? 'decided_before' : isFirst ? undefined : 'closed_before');
    if (found && !('document' in found)) return [found];
    if (found) this.#carryOut(end, found);
    return [];
  }

  /** Notes that a claim without a problem took effect; without a signature it allows nothing. */
  #takeEffect({ subject, sequence, approvalId }: End): void {
    const claim = this.#delayed.get(approvalId);
    if (!claim || claim.document.agent !== subject || this.#isOwned(subject)) return;
    const { ownerId } = claim.vote;
    this.#addOwner(subject, ownerId);
    this.#effects.allow({ subject, sequence, ownerId, document: claim.document });
  }

  /** Notes an operator's act without a problem. */
  #carryOut({ subject, sequence: end }: End, { act, sequence, requested, notBeforeMs, document }: CarriedOut): void {
    if (act === 'confirm_recovery') {
      this.#recoveries.push({ ownerId: subject, sequence: end, notBeforeMs, terms: document.terms });
    }
    if (act !== 'release') return;
    this.#ownersOf.delete(subject);
    this.#effects.release({ subject, sequence, requested, notBeforeMs });
  }

  /** Notes what a vote without a problem has decided. */
  #note({ subject, sequence, vote }: Vote, document: SignedDocument): void {
    if (isJoining(document) && vote.outcome === 'approved') {
      this.#invitedBy.set(vote.approvalId, vote.ownerId);
      return;
    }
    this.#decided.add(vote.approvalId);
    if (document.kind === 'claim' && vote.outcome === 'approved')
      this.#delayed.set(vote.approvalId, { vote, document });
    if (vote.outcome !== APPLIED) return;
    const { kind, terms } = document;
    if (kind === 'claim') this.#addOwner(subject, vote.ownerId);
    if (kind === 'member') this.#changeMember(subject, terms);
    if (kind === 'passkey') this.#changes.add(signedChange(document));
    if (kind === 'recovery') this.#recoveries.push({ ownerId: subject, sequence, notBeforeMs: 0, terms });
    this.#effects.allow({ subject, sequence, ownerId: vote.ownerId, document });
  }

  #changeMember(subject: string, { action, member }: Json): void {
    if (typeof member !== 'string') return;
    if (action === 'add') this.#addOwner(subject, member);
    if (action === 'remove') this.#ownersOf.get(subject)?.delete(member);
  }
}

/** Reports whether a document lets a person join, which takes two signatures. */
function isJoining({ kind, terms }: SignedDocument): boolean {
  return kind === 'member' && terms.action === 'add';
}

function keyOf({ subject, approvalId }: { readonly subject: string; readonly approvalId: string }): string {
  return `${subject} ${approvalId}`;
}
