import type { Checkpoint } from '@agent-wallet/contracts/audit';
import { AppError, assertUuid, isUuid, notFound } from '@agent-wallet/kernel';
import type { EventChainStore, LinkedEvent } from '../ports/event-chain-store.js';

const MAX_LIMIT = 100;

/** A part of an agent's chain, and what was signed of all of it. */
interface Proof {
  readonly events: readonly LinkedEvent[];
  /** Undefined before the first. */
  readonly checkpoint: Checkpoint | undefined;
  readonly hasMore: boolean;
}

/** The proof that an agent needs to check its own history without trusting us. */
export class GetProof {
  constructor(private readonly chain: EventChainStore) {}

  /**
   * @param afterEventId empty for the first page
   * @throws AppError VALIDATION_ERROR, NOT_FOUND for an event that is not the agent's, SERVICE_UNAVAILABLE
   */
  async execute(agentId: string, afterEventId: string, limit: number): Promise<Proof> {
    assertUuid('agentId', agentId);
    if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
      throw AppError.field('limit', `must be an integer from 1 to ${MAX_LIMIT}`);
    }
    if (afterEventId && !isUuid(afterEventId)) throw unknownEvent();
    const query = { agentId, afterEventId: afterEventId || undefined, limit: limit + 1 };
    const found = await this.chain.page(query);
    if (!found) throw unknownEvent();
    const checkpoint = await this.chain.latestCheckpoint(agentId);
    return { events: found.slice(0, limit), checkpoint, hasMore: found.length > limit };
  }
}

const unknownEvent = () => notFound('event', 'Use the `lastEventId` of the previous page, or omit it.');
