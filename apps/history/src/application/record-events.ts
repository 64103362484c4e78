import { type EventRecord, handleMeasured, type KeepPlace } from '@agent-wallet/events';
import { type Clock, systemClock } from '@agent-wallet/kernel';
import type { Logger } from '@agent-wallet/platform';
import { lasted, METRICS } from '@agent-wallet/telemetry';
import type { UnprocessableEvent, EventStore, ReadableEvent } from '../ports/event-store.js';
import { readEvent } from './read-event.js';
import { UnreadableEvent } from './unreadable-event.js';

/** Takes events from the stream into the audit log. */
export class RecordEvents {
  constructor(
    private readonly store: EventStore,
    private readonly logger: Logger,
    private readonly clock: Clock = systemClock,
  ) {}

  /**
   * Records a batch, all or nothing; the same batch again changes nothing. An event that cannot be read is set aside,
   * so that the others are not held up.
   */
  execute(batch: readonly EventRecord[], keepPlace?: KeepPlace): Promise<void> {
    return handleMeasured('history', batch, () => this.#record(batch, keepPlace));
  }

  async #record(batch: readonly EventRecord[], keepPlace: KeepPlace | undefined): Promise<void> {
    const events: ReadableEvent[] = [];
    const unprocessable: UnprocessableEvent[] = [];
    for (const event of batch) {
      try {
        events.push(readEvent(event));
      } catch (error) {
        if (!(error instanceof UnreadableEvent)) throw error;
        unprocessable.push({ ...event, error: error.message });
      }
    }
    await this.store.append(events, unprocessable, keepPlace);
    const nowMs = this.clock.nowMs();
    for (const { occurredAtMs } of events) lasted(METRICS.ingestDelay, { seconds: (nowMs - occurredAtMs) / 1_000 });
    for (const { eventId, agentId, error } of unprocessable) {
      const fields = { event: 'event.unprocessable_stored', eventId, agentId, reason: error } as const;
      this.logger.error(fields, 'Event could not be processed; stored as unprocessable');
    }
  }
}
