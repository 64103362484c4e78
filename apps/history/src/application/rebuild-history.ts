import type { EventRecord } from '@agent-wallet/events';
import type { Difference, RebuildStore } from '../ports/rebuild-store.js';
import { readEvent } from './read-event.js';

/** A line of progress after so many events. */
const REPORT_EVERY = 100_000;

/** Options of a rebuild. */
interface RebuildOptions {
  /** Whether to compare only. */
  readonly isDryRun: boolean;
  /** Starts again, without what an interrupted rebuild has left. */
  readonly isFresh: boolean;
  readonly report: (line: string) => void;
}

/** Rebuilds what agents read from the log, while they read. */
export class RebuildHistory {
  constructor(private readonly rebuild: RebuildStore) {}

  /**
   * Rebuilds the tables; resumes a rebuild that was interrupted.
   * @returns where the tables that agents read differ from the log; nothing unless it is a dry run
   * @throws Error when an event of the log cannot be read, or another rebuild runs
   */
  async execute(options: RebuildOptions): Promise<readonly Difference[]> {
    try {
      await this.takeAll(options);
      if (!options.isDryRun) {
        await this.rebuild.swap(factsOf);
        return [];
      }
      const differences = await this.rebuild.compare(factsOf);
      await this.rebuild.discard();
      return differences;
    } finally {
      await this.rebuild.close();
    }
  }

  private async takeAll({ isFresh, report }: RebuildOptions): Promise<void> {
    const start = await this.rebuild.open(isFresh);
    let { taken } = start;
    report(taken === 0 ? `${start.of} events to read` : `going on after ${taken} of ${start.of} events`);
    for (let reported = taken; ;) {
      const count = await this.rebuild.take(factsOf);
      taken += count;
      if (count === 0) break;
      if (taken - reported < REPORT_EVERY) continue;
      report(`${taken} of ${Math.max(start.of, taken)} events`);
      reported = taken;
    }
    report(`${taken} events were read`);
  }
}

function factsOf(event: EventRecord) {
  try {
    return readEvent(event);
  } catch (cause) {
    throw new Error(`event ${event.eventId} of the log cannot be read`, { cause });
  }
}
