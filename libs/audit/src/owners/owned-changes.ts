import type * as auditV1 from '../generated/agentwallet/audit/v1/event.js';
import type { StoredEvent } from '../log/records.js';
import { AgentReplay, type ReplayedFact } from './agent-replay.js';
import type { GoodVote, OwnerVerdict } from './owner-finding.js';
import type { Recoveries } from './recoveries.js';

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
  add(event: StoredEvent, fact: auditV1.AuditEvent['fact']): void {
    if (fact?.$case === 'policyChanged' || fact?.$case === 'memberChanged') this.#keep(event, fact);
    if (fact?.$case === 'operatorActed' && fact.value.operator.startsWith('owner ')) {
      this.#keep(event, fact);
      if (fact.value.action === 'freeze') this.#frozen.add(event.agentId);
    } else if (fact?.$case === 'operatorActed' && fact.value.approvalId) this.#keep(event, fact);
    // One is enough, and a log may have millions.
    if (fact?.$case === 'reservationCreated' && this.#frozen.delete(event.agentId)) this.#keep(event, fact);
  }

  /** Takes a vote without a problem. */
  allow(vote: GoodVote): void {
    const { agentId } = vote.event;
    const votes = this.#votes.get(agentId);
    if (votes) votes.push(vote);
    else this.#votes.set(agentId, [vote]);
  }

  /** Lists changes that no owner has signed. */
  finish(): OwnerVerdict {
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

  #keep(event: StoredEvent, fact: ReplayedFact['fact']): void {
    const facts = this.#facts.get(event.agentId);
    if (facts) facts.push({ event, fact });
    else this.#facts.set(event.agentId, [{ event, fact }]);
  }
}
