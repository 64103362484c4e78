import type { StoredEvent } from '@agent-wallet/contracts/audit';

/** Most by which the clocks of two replicas, which date events, may differ. */
const CLOCKS_MS = 60_000;
/** Time for which owners can object to an operator, or reject a recovery that an operator has confirmed. */
const DELAY_HOURS = 72;
const HOUR_MS = 3_600_000;

/** A passkey that replaced those that its owner had lost. */
export interface ReplacedPasskeys {
  /** Event with which it took effect. */
  readonly event: StoredEvent;
  readonly ownerId: string;
  /** Base64url. */
  readonly credentialId: string;
  readonly coseKey: string;
  /** Event with which an operator confirmed it; undefined where another owner signed it. */
  readonly confirmed: StoredEvent | undefined;
}

/** Returns whether a delay lies between two events of one chain, by the service's own clock: that of an operator when omitted. */
export function isDelayed(from: StoredEvent | undefined, to: StoredEvent, hours = DELAY_HOURS): boolean {
  if (from?.agentId !== to.agentId || from.sequence >= to.sequence) return false;
  if (hours === 0) return true;
  return (
    from.occurredAtMs !== undefined &&
    to.occurredAtMs !== undefined &&
    to.occurredAtMs - from.occurredAtMs >= hours * HOUR_MS - CLOCKS_MS
  );
}

/** Time during which an owner had an agent, by places of the log. */
interface Span {
  readonly agentId: string;
  readonly ownerId: string;
  readonly from: number;
  to: number;
}

/** Owners of agents over time. */
export class CoOwners {
  readonly #spans: Span[] = [];

  /** Notes that an owner joined an agent. */
  add(agentId: string, ownerId: string, at: number | undefined): void {
    this.#spans.push({ agentId, ownerId, from: at ?? 0, to: Infinity });
  }

  /** Notes that an owner left an agent; every owner when omitted. */
  end(agentId: string, at: number | undefined, ownerId?: string): void {
    for (const span of this.#spans) {
      if (span.agentId !== agentId || span.to !== Infinity) continue;
      if (ownerId === undefined || span.ownerId === ownerId) span.to = at ?? Infinity;
    }
  }

  /** Returns whether one had every agent of another at a place of the log: only such an owner may sign the other's recovery. */
  hasAllOf(one: string, other: string, at: number | undefined): boolean {
    const agentsOf = (ownerId: string) =>
      this.#spans
        .filter((span) => span.ownerId === ownerId && span.from <= (at ?? Infinity) && (at ?? 0) <= span.to)
        .map(({ agentId }) => agentId);
    const [mine, theirs] = [new Set(agentsOf(one)), agentsOf(other)];
    return theirs.length > 0 && theirs.every((agentId) => mine.has(agentId));
  }
}
