import type * as auditV1 from '../generated/agentwallet/audit/v1/event.js';
import { AgentReplay, type ReplayedFact } from './agent-replay.js';
import type { Changes, GoodVote } from './owner-finding.js';
import type { Recoveries } from './recoveries.js';

/** A fact of any kind; undefined from an event that cannot be read. */
interface ReadFact extends Omit<ReplayedFact, 'fact'> {
  readonly fact: auditV1.AuditEvent['fact'];
}

/**
 * Collects changes that need an owner's signature: of an agent's policy, of its owners, and the end of an owner's freeze. A
 * replay of each agent's chain then says which of them no owner has signed.
 */
export class OwnedChanges {
  readonly #facts = new Map<string, ReplayedFact[]>();
  readonly #votes = new Map<string, GoodVote[]>();
  /** Agents whose owner's freeze stands, as far as events came. */
  readonly #frozen = new Set<string>();

  constructor(private readonly recoveries: Recoveries) {}

  /** Takes a fact, and keeps it if the replay needs it. */
  add({ event, askedBy, fact }: ReadFact): void {
    const keep = (each: ReplayedFact['fact']) => this.#keep({ event, askedBy, fact: each });
    if (fact?.$case === 'policyChanged' || fact?.$case === 'memberChanged') keep(fact);
    if (fact?.$case === 'operatorActed' && fact.value.operator.startsWith('owner ')) {
      keep(fact);
      if (fact.value.action === 'freeze') this.#frozen.add(event.agentId);
    } else if (fact?.$case === 'operatorActed' && fact.value.approvalId) keep(fact);
    // One is enough, and a log may have millions.
    if (fact?.$case === 'reservationCreated' && this.#frozen.delete(event.agentId)) keep(fact);
  }

  /** Takes a vote without a problem. */
  allow(vote: GoodVote): void {
    const { agentId } = vote.event;
    const votes = this.#votes.get(agentId);
    if (votes) votes.push(vote);
    else this.#votes.set(agentId, [vote]);
  }

  /** Lists changes that no owner has signed. */
  finish(): Changes {
    const agents = new Set([...this.#facts.keys(), ...this.#votes.keys()]);
    const verdicts = [...agents].map((agentId) => {
      const replay = new AgentReplay(this.#votes.get(agentId) ?? [], this.recoveries);
      return replay.run(this.#facts.get(agentId) ?? []);
    });
    return {
      findings: verdicts.flatMap(({ findings }) => findings),
      explained: verdicts.flatMap(({ explained }) => explained),
    };
  }

  #keep(replayed: ReplayedFact): void {
    const { agentId } = replayed.event;
    const facts = this.#facts.get(agentId);
    if (facts) facts.push(replayed);
    else this.#facts.set(agentId, [replayed]);
  }
}
