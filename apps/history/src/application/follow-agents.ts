import { AppError, assertUuid } from '@agent-wallet/kernel';
import type { ChainPlace, ChangeStore, FollowedChanges, FoundChanges } from '../ports/change-store.js';

/** Agents of one who follows them, and of one request of a gateway: 125 KiB, half of what the server accepts. */
const MAX_FOUND_AGENTS = 1_000;
const MAX_FOLLOWED_AGENTS = 8_000;
/** Changes that are sent again: after more, readers read again what they show. */
const MAX_MISSED = 200;
/** A page of the log. With the events' other fields, it stays below the 4 MiB that a gRPC client accepts. */
const PAGE = { maxEvents: 5_000, maxBytes: 1_024 * 1_024 };

/** The log as those read it who want to learn of each change of an agent. */
export class FollowAgents {
  constructor(private readonly changes: ChangeStore) {}

  /**
   * Finds where one who follows agents begins, and what it has missed since a place in one of their chains.
   * @throws AppError VALIDATION_ERROR, SERVICE_UNAVAILABLE
   */
  async find(agentIds: readonly string[], after: ChainPlace | undefined): Promise<FoundChanges> {
    assertAgents(agentIds, MAX_FOUND_AGENTS);
    if (after && !agentIds.includes(after.agentId))
      throw AppError.field('after', 'must be a place of one of the agents');
    return this.changes.find(agentIds, after, MAX_MISSED);
  }

  /**
   * Reads the page of the log after a position.
   * @param untilPosition last position to read; undefined for the whole page
   * @throws AppError VALIDATION_ERROR, SERVICE_UNAVAILABLE
   */
  async follow(agentIds: readonly string[], afterPosition: number, untilPosition?: number): Promise<FollowedChanges> {
    assertAgents(agentIds, MAX_FOLLOWED_AGENTS);
    return this.changes.follow(agentIds, { ...PAGE, afterPosition, untilPosition });
  }
}

function assertAgents(agentIds: readonly string[], atMost: number): void {
  if (agentIds.length < 1 || agentIds.length > atMost) {
    throw AppError.field('agentIds', `must be 1 to ${atMost} agents`);
  }
  for (const agentId of agentIds) assertUuid('agentIds', agentId);
}
