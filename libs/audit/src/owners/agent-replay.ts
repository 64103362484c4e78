import type * as auditV1 from '../generated/agentwallet/audit/v1/event.js';
import type { StoredEvent } from '../log/records.js';
import type { ChangeCause } from './cause.js';
import { initialOf, isKnownField, isLoosened, jsonTextOf } from './loosening.js';
import { findingAt, type Changes, type GoodVote, type OwnerFinding } from './owner-finding.js';
import { isDelayed } from './operator-acts.js';
import type { Recoveries } from './recoveries.js';

type Fact = NonNullable<auditV1.AuditEvent['fact']>;
type Case = 'policyChanged' | 'memberChanged' | 'operatorActed' | 'reservationCreated';

/** A fact that the replay of an agent's chain needs. */
export interface ReplayedFact {
  readonly event: StoredEvent;
  /** Principal who asked for it. */
  readonly askedBy: string | undefined;
  readonly fact: Extract<Fact, { $case: Case }>;
}

/** Values of a field so far, as JSON texts, and where the last one was set. */
interface FieldHistory {
  readonly texts: string[];
  position: number | undefined;
  sequence: number;
}

/** Reason against an event. */
interface Problem {
  readonly problem: OwnerFinding['problem'];
  readonly cause: ChangeCause;
  /** Whether it is none where policy's database has forgotten what was before. */
  readonly isForgivable?: boolean;
}

const ACTORS = ['agent', 'owner', 'operator', 'claim'];
const OWNER = 'owner ';
/** Kinds with which the owners of an agent change as a whole. */
const ENDS: ReadonlySet<string> = new Set(['claim', 'objection']);

const unsigned = (cause: ChangeCause): Problem => ({ problem: 'unsigned', cause });

/**
 * The policy, the owners and the owner's freeze of one agent, derived event by event. Policy writes a change before its vote, in
 * one transaction. So each change needs a vote after it, and no vote serves two.
 */
export class AgentReplay {
  readonly #findings: OwnerFinding[] = [];
  readonly #explained: OwnerFinding[] = [];
  readonly #fields = new Map<string, FieldHistory>();
  readonly #owners = new Set<string>();
  readonly #used = new Set<GoodVote>();
  /** Event that last proved that the agent has an owner. */
  #proof: StoredEvent | undefined;
  #freeze: StoredEvent | undefined;

  /** @param votes of the agent's owners, without a problem */
  constructor(
    private readonly votes: readonly GoodVote[],
    private readonly recoveries: Recoveries,
  ) {}

  /** Replays the chain, whose facts may come in any order. */
  run(facts: readonly ReplayedFact[]): Changes {
    const items = [...facts, ...this.votes].sort((a, b) => a.event.sequence - b.event.sequence);
    for (const item of items) {
      if ('fact' in item) this.#judge(item);
      else this.#takeVote(item);
    }
    return { findings: this.#findings, explained: this.#explained };
  }

  #judge(replayed: ReplayedFact): void {
    const { event } = replayed;
    const problem = this.#problemOf(replayed);
    if (!problem) return;
    const list = problem.isForgivable ? this.#explained : this.#findings;
    list.push(findingAt(event, problem.problem, problem.cause));
  }

  #problemOf({ event, askedBy, fact }: ReplayedFact): Problem | undefined {
    switch (fact.$case) {
      case 'policyChanged':
        return this.#problemOfChange(event, fact.value, askedBy);
      case 'memberChanged':
        return this.#problemOfMember(event, fact.value);
      case 'operatorActed':
        return this.#problemOfAct(event, fact.value);
      case 'reservationCreated':
        return this.#problemOfReservation(event);
    }
  }

  /** Notes that a vote proves an owner, and compares a claim with the policy that it found. */
  #takeVote(vote: GoodVote): void {
    if (vote.kind === 'objection' || (vote.kind === 'claim' && !vote.isApplied)) return;
    this.#proof = vote.event;
    if (vote.kind !== 'claim') return;
    this.#owners.add(vote.ownerId);
    for (const [field, value] of Object.entries(objectOf(vote.terms.policy))) {
      const [signed, known] = [jsonTextOf(value), this.#fields.get(field)];
      // What was changed since the request may be tighter than the document.
      if (known && known.sequence > vote.requestedAt) {
        const current = known.texts.at(-1)!;
        if (!isLoosened(field, signed, current)) continue;
        this.#findings.push(findingAt(vote.event, 'unsigned', { code: 'looser_than_signed', fields: [field] }));
      } else this.#set(field, signed, vote.event);
    }
  }

  #problemOfChange(event: StoredEvent, value: auditV1.PolicyChanged, askedBy = ''): Problem | undefined {
    const problem = this.#problemOfSignature(event, value, askedBy) ?? this.#problemOfBefore(event, value);
    for (const { field, after } of value.changes) this.#set(field, after, event);
    return problem;
  }

  #problemOfSignature(event: StoredEvent, value: auditV1.PolicyChanged, askedBy: string): Problem | undefined {
    const { actor = '', approvalId = '', changes } = value;
    if (approvalId) return this.#problemOfApproval(event, value, askedBy);
    if (actor && !ACTORS.includes(actor)) return { problem: 'unknown', cause: { code: 'actor_unknown', actor } };
    // An older policy wrote neither.
    if (!actor && this.#use(event, (vote) => vote.kind === 'policy' && isOf(vote, changes))) return undefined;
    if (this.#owners.size === 0) return actor === 'owner' ? unsigned({ code: 'owner_of_unowned_agent' }) : undefined;
    const isForgivable = this.#mayBeForgotten(event, this.#proof);
    const loosened = changes.filter(({ field, before, after }) => isLoosened(field, before, after));
    const unknown = loosened.filter(({ field }) => !isKnownField(field));
    if (unknown.length > 0) {
      return { problem: 'unknown', cause: { code: 'fields_unknown', fields: namesOf(unknown) }, isForgivable };
    }
    if (loosened.length === 0) return undefined;
    return { ...unsigned({ code: 'loosened_without_approval', fields: namesOf(loosened) }), isForgivable };
  }

  #problemOfApproval(
    event: StoredEvent,
    { approvalId, changes }: auditV1.PolicyChanged,
    askedBy: string,
  ): Problem | undefined {
    const vote = this.votes.find((each) => each.approvalId === approvalId);
    if (!vote) return unsigned({ code: 'approval_not_signed' });
    if (vote.kind !== 'policy') return unsigned({ code: 'approval_of_other_kind', kind: vote.kind });
    if (!vote.isApplied) return unsigned({ code: 'approval_not_applied' });
    if (this.#used.has(vote)) return unsigned({ code: 'approval_used_before' });
    if (vote.event.sequence < event.sequence) return unsigned({ code: 'approval_applied_before' });
    if (!isOf(vote, changes)) return unsigned({ code: 'approval_of_other_change' });
    if (askedBy.startsWith(OWNER) && askedBy !== OWNER + vote.ownerId)
      return unsigned({ code: 'approval_of_other_owner' });
    this.#used.add(vote);
    return undefined;
  }

  /** Compares what the change says was before with what the log says. */
  #problemOfBefore(event: StoredEvent, { changes }: auditV1.PolicyChanged): Problem | undefined {
    if (this.#owners.size === 0) return undefined;
    const wrong = changes.filter(({ field, before }) => {
      const known = this.#fields.get(field);
      const texts = known?.texts ?? [initialOf(field) ?? before];
      return this.recoveries.isBetween(known?.position, event.position)
        ? ![initialOf(field), ...texts].includes(before)
        : texts.at(-1) !== before;
    });
    if (wrong.length === 0) return undefined;
    return { problem: 'forged', cause: { code: 'values_differ', fields: namesOf(wrong) } };
  }

  #problemOfMember(event: StoredEvent, { ownerId, role, action }: auditV1.MemberChanged): Problem | undefined {
    // Its signature is a vote; what it asks for takes another one.
    if (role === 'owner' && action === 'invited') return undefined;
    if (role !== 'owner' || (action !== 'added' && action !== 'removed')) {
      return { problem: 'unknown', cause: { code: 'member_change_unknown', action, role } };
    }
    const isMember = (verb: string) => (vote: GoodVote) =>
      vote.kind === 'member' && vote.terms.action === verb && vote.terms.member === ownerId;
    if (action === 'removed') {
      const isSigned = this.#releaseAfter(event) !== undefined || this.#use(event, isMember('remove')) !== undefined;
      // An unsigned removal removes no owner: what follows needs their signature still.
      if (!isSigned) return unsigned({ code: 'owner_removed_unsigned', ownerId });
      this.#owners.delete(ownerId);
      // Of a release, which removes every owner.
      if (this.#owners.size === 0) this.#proof = undefined;
      return undefined;
    }
    this.#owners.add(ownerId);
    const isClaim = (vote: GoodVote) => vote.kind === 'claim' && vote.ownerId === ownerId;
    const vote = this.#use(event, isClaim) ?? this.#use(event, isMember('add'));
    return vote ? undefined : unsigned({ code: 'owner_added_unsigned', ownerId });
  }

  /** Returns the release of the agent to which a removal belongs: the first one after it, before another claim. */
  #releaseAfter(removal: StoredEvent): GoodVote | undefined {
    const next = this.votes
      .filter(({ kind, isApplied, event }) => isApplied && ENDS.has(kind) && event.sequence > removal.sequence)
      .sort((a, b) => a.event.sequence - b.event.sequence)[0];
    const isRelease = next?.kind === 'objection' && next.terms.act === 'release';
    return isRelease && isDelayed(next.request, removal) ? next : undefined;
  }

  #problemOfOverruled(event: StoredEvent, { action, approvalId }: auditV1.OperatorActed): Problem | undefined {
    if (action !== 'release' && action !== 'unfreeze') return undefined;
    this.#freeze = undefined;
    const act = this.#use(event, (vote) => vote.approvalId === approvalId && vote.terms.act === action);
    if (!act) return unsigned({ code: 'act_without_delay', action });
    if (action === 'release') this.#owners.clear();
    return undefined;
  }

  #problemOfAct(event: StoredEvent, act: auditV1.OperatorActed): Problem | undefined {
    const { operator, action } = act;
    if (!operator.startsWith(OWNER)) return this.#problemOfOverruled(event, act);
    if (action === 'freeze') this.#freeze = event;
    if (action !== 'unfreeze') return undefined;
    const since = this.#freeze?.sequence ?? 0;
    this.#freeze = undefined;
    const ownerId = operator.slice(OWNER.length);
    const ends = (vote: GoodVote) => vote.kind === 'unfreeze' && vote.ownerId === ownerId && vote.requestedAt > since;
    return this.#use(event, ends) ? undefined : unsigned({ code: 'unfreeze_unsigned' });
  }

  #problemOfReservation(event: StoredEvent): Problem | undefined {
    const freeze = this.#freeze;
    if (!freeze) return undefined;
    this.#freeze = undefined;
    const isForgivable = this.#mayBeForgotten(event, freeze);
    return { ...unsigned({ code: 'permitted_while_frozen' }), isForgivable };
  }

  #mayBeForgotten(event: StoredEvent, before: StoredEvent | undefined): boolean {
    return this.recoveries.isBetween(before?.position, event.position);
  }

  /** Uses up an applied vote that followed. */
  #use(event: StoredEvent, isFor: (vote: GoodVote) => boolean): GoodVote | undefined {
    const vote = this.votes.find(
      (each) => each.isApplied && each.event.sequence > event.sequence && !this.#used.has(each) && isFor(each),
    );
    if (vote) this.#used.add(vote);
    return vote;
  }

  #set(field: string, text: string, { position, sequence }: StoredEvent): void {
    const texts = this.#fields.get(field)?.texts ?? [];
    texts.push(text);
    this.#fields.set(field, { texts, position, sequence });
  }
}

/** Returns whether a change is exactly the one that was signed. */
function isOf({ terms }: GoodVote, changes: readonly auditV1.PolicyChanged_Change[]): boolean {
  const signed = objectOf(terms.changes);
  if (Object.keys(signed).length !== changes.length) return false;
  return changes.every(({ field, before, after }) => {
    const each = Object.hasOwn(signed, field) ? objectOf(signed[field]) : {};
    return jsonTextOf(each.before) === before && jsonTextOf(each.after) === after;
  });
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

function namesOf(changes: readonly auditV1.PolicyChanged_Change[]): string[] {
  return changes.map(({ field }) => field);
}
