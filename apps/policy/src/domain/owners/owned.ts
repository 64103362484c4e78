/** An agent, and the owner who claims to own it. */
export interface Owned {
  readonly agentId: string;
  readonly ownerId: string;
}
