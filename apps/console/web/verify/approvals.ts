import { isSignedAssertion, problemOfAssertion } from './assertion.js';
import type { Bytes } from './bytes.js';
import type { TakenEvent } from './chain.js';
import { readDocument, type SignedDocument } from './document.js';
import { Effects } from './effects.js';
import { Passkeys, signedChange } from './passkeys.js';
import type { ApprovalDecided } from './read-event.js';
import type { Finding, NotChecked, Place, VoteProblem } from './report.js';

/** Result of the check of what owners have signed. */
export interface ApprovalsVerdict {
  /** Votes that were verified whole. */
  readonly verified: number;
  readonly findings: readonly Finding[];
  readonly notChecked: readonly NotChecked[];
}

/** Result of one vote: its document when nothing is wrong, and why its signature could not be verified. */
type VoteResult = VoteProblem | { readonly document: SignedDocument; readonly unverified?: NotChecked | undefined };

interface Vote extends Place {
  readonly vote: ApprovalDecided;
}

/** The effect of a claim that was signed some time before. */
interface Effect extends Place {
  readonly approvalId: string;
}

const APPLIED = 'applied';

/** Kinds that only the owner of the agent may sign. */
const OF_AGENT: ReadonlySet<string> = new Set(['policy', 'operation', 'unfreeze']);

/** Approvals, votes and passkeys of an agent and its owners. */
export class Approvals {
  readonly #documents = new Map<string, Bytes>();
  /** Event that closed each approval. */
  readonly #closed = new Map<string, Place>();
  readonly #votes: Vote[] = [];
  readonly #laterEffects: Effect[] = [];
  /** Signed claims that are not in effect yet. */
  readonly #delayed = new Map<string, { readonly vote: ApprovalDecided; readonly document: SignedDocument }>();
  readonly #passkeys = new Passkeys();
  readonly #effects = new Effects();
  readonly #owners = new Set<string>();
  /** Approvals that a vote has decided. */
  readonly #decided = new Set<string>();
  /** The owner of each claimed agent. */
  readonly #claims = new Map<string, string>();
  /** Changes of passkeys that were signed. */
  readonly #changes = new Set<string>();

  /** @param origin of the console, which every document must name */
  constructor(private readonly origin: string) {}

  /** Owners that the events name. */
  get owners(): ReadonlySet<string> {
    return this.#owners;
  }

  /** Takes an event, in the order of its chain. */
  add(taken: TakenEvent): void {
    const { subject, eventId, sequence, event } = taken;
    const place = { subject, eventId, sequence };
    const { fact } = event;
    this.#effects.add(taken);
    switch (fact?.name) {
      case 'approvalRequested':
        this.#documents.set(fact.value.approvalId, fact.value.document);
        break;
      case 'approvalClosed':
        this.#closed.set(fact.value.approvalId, place);
        if (fact.value.state === APPLIED) this.#laterEffects.push({ ...place, approvalId: fact.value.approvalId });
        break;
      case 'approvalDecided':
        this.#owners.add(fact.value.ownerId);
        this.#votes.push({ ...place, vote: fact.value });
        break;
      case 'memberChanged':
        this.#owners.add(fact.value.ownerId);
        break;
      case 'passkeyChanged':
        this.#passkeys.add({ ...place, key: fact.value });
        break;
      default:
    }
  }

  /** Verifies all votes, keys and changes. @param withOwners whether the owners' chains were read */
  async finish(withOwners: boolean): Promise<ApprovalsVerdict> {
    const findings: Finding[] = [];
    const notChecked = new Set<NotChecked>();
    let verified = 0;
    const decisions = [...this.#votes, ...this.#laterEffects].sort((a, b) => a.sequence - b.sequence);
    for (const vote of decisions) {
      if (!('vote' in vote)) {
        this.#takeEffect(vote);
        continue;
      }
      const result = await this.#check(vote, withOwners);
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
    if (!withOwners && this.#owners.size > 0) notChecked.add('owner_chains');
    const effects = this.#effects.finish();
    effects.notChecked.forEach((code) => notChecked.add(code));
    const keys = this.#passkeys.findings(this.#changes);
    return { verified, findings: [...findings, ...keys, ...effects.findings], notChecked: [...notChecked] };
  }

  async #check(vote: Vote, withOwners: boolean): Promise<VoteResult> {
    try {
      return await this.#resultOf(vote, withOwners);
    } catch {
      return 'unreadable';
    }
  }

  async #resultOf(place: Vote, withOwners: boolean): Promise<VoteResult> {
    const { vote } = place;
    const document = await readDocument(this.#documents.get(vote.approvalId), vote.documentHash);
    if (typeof document === 'string') return document;
    const problem = this.#problemOfDecision(place, document) ?? (await problemOfAssertion(vote, document.origin));
    if (problem) return problem;
    const passkey = this.#passkeys.find(vote.credentialId);
    if (!passkey && !withOwners) return { document, unverified: 'owner_chains' };
    if (passkey?.ownerId !== vote.ownerId) return 'no_passkey';
    const isSigned = await isSignedAssertion(vote, passkey.coseKey);
    if (isSigned === undefined) return { document, unverified: 'ed25519_unsupported' };
    return isSigned ? { document } : 'signature';
  }

  /** Returns why the state before a vote does not allow it. */
  #problemOfDecision({ subject, sequence, vote }: Vote, document: SignedDocument): VoteProblem | undefined {
    const { approvalId, outcome } = vote;
    const closed = this.#closed.get(approvalId);
    if (document.id !== approvalId) return 'other_approval';
    if ((document.agent ?? document.owner) !== subject) return 'other_agent';
    if (document.origin !== this.origin) return 'other_console';
    if (this.#decided.has(approvalId)) return 'decided_before';
    if (closed?.subject === subject && closed.sequence < sequence) return 'closed_before';
    if (document.kind === 'claim' && outcome !== 'superseded' && this.#claims.has(subject)) return 'claimed_before';
    return this.#isOwner(document, vote) ? undefined : 'not_owner';
  }

  #isOwner({ kind, owner, agent }: SignedDocument, { ownerId }: ApprovalDecided): boolean {
    if (!OF_AGENT.has(kind)) return owner === ownerId;
    return agent !== undefined && this.#claims.get(agent) === ownerId;
  }

  /** Notes that a claim without a problem took effect; without a signature it allows nothing. */
  #takeEffect({ subject, sequence, approvalId }: Effect): void {
    const claim = this.#delayed.get(approvalId);
    if (!claim || claim.document.agent !== subject || this.#claims.has(subject)) return;
    const { ownerId } = claim.vote;
    this.#claims.set(subject, ownerId);
    this.#effects.allow({ subject, sequence, ownerId, document: claim.document });
  }

  /** Notes what a vote without a problem has decided. */
  #note({ subject, sequence, vote }: Vote, document: SignedDocument): void {
    this.#decided.add(vote.approvalId);
    if (document.kind === 'claim' && vote.outcome === 'approved')
      this.#delayed.set(vote.approvalId, { vote, document });
    if (vote.outcome !== APPLIED) return;
    if (document.kind === 'claim') this.#claims.set(subject, vote.ownerId);
    if (document.kind === 'passkey') this.#changes.add(signedChange(document));
    this.#effects.allow({ subject, sequence, ownerId: vote.ownerId, document });
  }
}
