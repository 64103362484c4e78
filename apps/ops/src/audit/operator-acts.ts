import type { StoredEvent } from '@agent-wallet/contracts/audit';

/** Most by which the clocks of two replicas, which date events, may differ. */
const CLOCKS_MS = 60_000;
/** Time for which owners can object to an operator, or reject a recovery that an operator has confirmed. */
const DELAY_MS = 72 * 3_600_000 - CLOCKS_MS;

/** A passkey that replaced those that its owner had lost. */
export interface ReplacedPasskeys {
  /** Event with which it took effect. */
  readonly event: StoredEvent;
  readonly ownerId: string;
  /** Base64url. */
  readonly credentialId: string;
  readonly coseKey: string;
}

/** Returns whether the delay of an operator's act lies between two events of one chain, by the service's own clock. */
export function isDelayed(from: StoredEvent | undefined, to: StoredEvent): boolean {
  if (from?.agentId !== to.agentId || from.sequence >= to.sequence) return false;
  return (
    from.occurredAtMs !== undefined && to.occurredAtMs !== undefined && to.occurredAtMs - from.occurredAtMs >= DELAY_MS
  );
}

/** Owners of agents, and who ever had one together: only such an owner may sign a recovery of another. */
export class CoOwners {
  readonly #ever = new Map<string, Set<string>>();

  /** Notes an owner of an agent. */
  add(agentId: string, ownerId: string): void {
    const owners = this.#ever.get(agentId) ?? new Set<string>();
    this.#ever.set(agentId, owners.add(ownerId));
  }

  /** Returns whether both have ever owned one agent. */
  areTogether(one: string, other: string): boolean {
    return [...this.#ever.values()].some((owners) => owners.has(one) && owners.has(other));
  }
}
