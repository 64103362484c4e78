import type { StoredEvent } from '../log/records.js';

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
  /** Owner who has signed that this one may join; undefined for a claim. */
  readonly letInBy: string | undefined;
}

/** Place of the log at which an owner joined, and the owner whose signature asked for it; undefined for a claim. */
interface JoinedBy {
  readonly at: number | undefined;
  readonly letInBy?: string | undefined;
}

/** Owners of agents over time. */
export class CoOwners {
  readonly #spans: Span[] = [];

  /** Notes that an owner joined an agent. @param joined where in the log, and by whose signature; undefined for a claim */
  add(agentId: string, ownerId: string, joined: JoinedBy): void {
    this.#spans.push({ agentId, ownerId, from: joined.at ?? 0, to: Infinity, letInBy: joined.letInBy });
  }

  /** Notes that an owner left an agent; every owner when omitted. */
  end(agentId: string, at: number | undefined, ownerId?: string): void {
    for (const span of this.#spans) {
      if (span.agentId !== agentId || span.to !== Infinity) continue;
      if (ownerId === undefined || span.ownerId === ownerId) span.to = at ?? Infinity;
    }
  }

  /**
   * Returns whether one had every agent of another at a place of the log, and had joined each by the other's signature: only
   * such an owner may sign the other's recovery.
   */
  wasLetJoinAllOf(one: string, other: string, at: number | undefined): boolean {
    const spansOf = (ownerId: string) =>
      this.#spans.filter((span) => span.ownerId === ownerId && span.from <= (at ?? Infinity) && (at ?? 0) <= span.to);
    const isLetIn = ({ agentId }: Span) =>
      this.#spans.some((span) => span.agentId === agentId && span.ownerId === one && span.letInBy === other);
    const mine = new Set(spansOf(one).map(({ agentId }) => agentId));
    const theirs = spansOf(other);
    return theirs.length > 0 && theirs.every((span) => mine.has(span.agentId) && isLetIn(span));
  }
}
