import { AppError } from '@agent-wallet/kernel';
import type { UnprocessableEventPage, UnprocessableEventStore } from '../ports/unprocessable-event-store.js';

const MAX_LIMIT = 100;

/** Lists the events that history could not read, for operators. */
export class ListUnprocessableEvents {
  constructor(private readonly events: UnprocessableEventStore) {}

  /** @throws AppError VALIDATION_ERROR, SERVICE_UNAVAILABLE */
  async execute(limit: number): Promise<UnprocessableEventPage> {
    if (limit < 1 || limit > MAX_LIMIT) throw AppError.field('limit', `must be 1 to ${MAX_LIMIT}`, 'out_of_range');
    return this.events.latest(limit);
  }
}
