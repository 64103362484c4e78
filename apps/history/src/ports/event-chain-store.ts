import type { ChainedEvent, Checkpoint } from '@agent-wallet/contracts/audit';

/** The events of an agent to show. */
export interface ChainQuery {
  readonly agentId: string;
  /** After which event; undefined for the first. */
  readonly afterEventId: string | undefined;
  readonly limit: number;
}

/** An event with its hash. */
export type LinkedEvent = ChainedEvent & { readonly hash: Uint8Array };

/** The chain of one agent, read. @throws AppError SERVICE_UNAVAILABLE */
export interface EventChainStore {
  /** Returns a page of events, the oldest first; undefined when the agent has no event to begin after. */
  page(query: ChainQuery): Promise<readonly LinkedEvent[] | undefined>;
  /** Returns the events whose number is after this one, the oldest first. */
  after(agentId: string, sequence: number, limit: number): Promise<readonly LinkedEvent[]>;
  /** Returns the latest checkpoint of the agent's chain; undefined before the first. */
  latestCheckpoint(agentId: string): Promise<Checkpoint | undefined>;
}
