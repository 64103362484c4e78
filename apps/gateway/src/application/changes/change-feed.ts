import type { historyV1 } from '@agent-wallet/contracts';
import { packIds } from '@agent-wallet/kernel';
import type { HistoryService } from '../../ports/services.js';
import { changeEvent, type ChangePlace } from './change-event.js';
import type { ChangeStream } from './change-stream.js';

/** Streams that are begun at once. */
const BEGUN_AT_ONCE = 16;
/** Agents of one request: 125 KiB, half of what history accepts. */
const AGENTS_OF_REQUEST = 8_000;

interface Newcomer {
  readonly stream: ChangeStream;
  readonly after: ChangePlace | undefined;
  readonly isLost: boolean;
  readonly begun: () => void;
  readonly failed: (error: unknown) => void;
}

/**
 * Reads the log once for all streams of this process, and gives each change to those who follow its agent.
 *
 * A stream is begun between two reads of the log: what it begins with reaches at least as far as what was read, so that
 * nothing lies between them, and what comes twice is known by its position.
 */
export class ChangeFeed {
  readonly #followers = new Map<string, Set<ChangeStream>>();
  #newcomers: Newcomer[] = [];
  #wake: () => void = () => undefined;
  /** Position of the log up to which every stream has everything; undefined while nothing is followed. */
  #position: bigint | undefined;

  constructor(private readonly history: Pick<HistoryService, 'findChanges' | 'followChanges'>) {}

  /** Has `wake` called when a stream waits to be begun. */
  onJoin(wake: () => void): void {
    this.#wake = wake;
  }

  /**
   * Begins a stream; resolves once it has its first event.
   * @param isLost whether the place that the reader came with cannot be found any more
   * @throws AppError what history answers, such as SERVICE_UNAVAILABLE
   */
  join(stream: ChangeStream, after: ChangePlace | undefined, isLost: boolean): Promise<void> {
    const joining = new Promise<void>((begun, failed) =>
      this.#newcomers.push({ stream, after, isLost, begun, failed }),
    );
    this.#wake();
    return joining;
  }

  /** Gives a stream no more changes. */
  leave(stream: ChangeStream): void {
    for (const agentId of stream.agentIds) this.#unfollow(agentId, stream);
    if (this.#followers.size === 0) this.#position = undefined;
  }

  /** Lets a stream follow other agents. What those did before is left out: the reader reads again what it shows. */
  follow(stream: ChangeStream, agentIds: readonly string[]): void {
    for (const agentId of stream.agentIds) if (!agentIds.includes(agentId)) this.#unfollow(agentId, stream);
    stream.agentIds = agentIds;
    for (const agentId of agentIds) this.#followersOf(agentId).add(stream);
  }

  /** Reads on, then begins what has come. @returns whether there is more to read now @throws AppError as history does */
  async round(): Promise<boolean> {
    const hasMore = await this.#read().catch((error: unknown) => {
      for (const { failed } of this.#newcomers.splice(0)) failed(error);
      throw error;
    });
    const newcomers = this.#newcomers.splice(0);
    while (newcomers.length > 0) await Promise.all(newcomers.splice(0, BEGUN_AT_ONCE).map((each) => this.#begin(each)));
    return hasMore || this.#newcomers.length > 0;
  }

  async #read(): Promise<boolean> {
    const from = this.#position;
    if (from === undefined) return false;
    const { position, changes, hasMore } = await this.#readPage(from);
    // A log that was restored to an earlier state: readers begin again at what it says now.
    if (position < from) {
      this.#endAll();
      return false;
    }
    // While it was read, the last reader may have left and another one come.
    if (this.#position === undefined) return false;
    this.#position = position;
    changes.forEach((change) => this.#tell(change));
    return hasMore;
  }

  /** Reads one page of the log in as many requests as the followed agents need. The first one finds the page's end. */
  async #readPage(afterPosition: bigint): Promise<historyV1.FollowChangesResponse> {
    const followed = [...this.#followers.keys()];
    const read = (from: number, untilPosition: bigint | undefined) => {
      const agentIds = packIds(followed.slice(from, from + AGENTS_OF_REQUEST));
      return this.history.followChanges({ agentIds, afterPosition, untilPosition });
    };
    const page = await read(0, undefined);
    if (page.position <= afterPosition) return page;
    const changes = [...page.changes];
    for (let from = AGENTS_OF_REQUEST; from < followed.length; from += AGENTS_OF_REQUEST) {
      changes.push(...(await read(from, page.position)).changes);
    }
    // A reader resumes after the last event it got, so events of all requests go out in the order of the log.
    return { ...page, changes: changes.sort((one, other) => Number(one.position - other.position)) };
  }

  #tell(change: historyV1.Change): void {
    const event = changeEvent(change);
    for (const stream of this.#followers.get(event.agentId) ?? []) stream.take(event);
  }

  async #begin({ stream, after, isLost, begun, failed }: Newcomer): Promise<void> {
    try {
      const { agentIds } = stream;
      const found = await this.history.findChanges({ agentIds: [...agentIds], after });
      // It may have been closed meanwhile; then nothing would take it out again.
      if (stream.hasEnded) return begun();
      const { position, latest, changes, isTooFar } = found;
      const resumed = after && !isTooFar ? after : undefined;
      stream.begin(
        isLost || isTooFar ? 'reset' : 'ready',
        resumed ?? latest ?? { agentId: agentIds[0]!, sequence: 0n },
      );
      changes.forEach((change) => stream.take(changeEvent(change)));
      // The reader has everything up to here, also where this process has read less of the log.
      stream.skipTo(position);
      if (this.#position === undefined || position < this.#position) this.#position = position;
      this.follow(stream, agentIds);
      begun();
    } catch (error) {
      failed(error);
    }
  }

  #endAll(): void {
    for (const stream of new Set([...this.#followers.values()].flatMap((streams) => [...streams]))) stream.end();
  }

  #followersOf(agentId: string): Set<ChangeStream> {
    const streams = this.#followers.get(agentId) ?? new Set();
    this.#followers.set(agentId, streams);
    return streams;
  }

  #unfollow(agentId: string, stream: ChangeStream): void {
    const streams = this.#followers.get(agentId);
    streams?.delete(stream);
    if (streams?.size === 0) this.#followers.delete(agentId);
  }
}
