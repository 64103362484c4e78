import { AppError, type Scheduler, sleep } from '@agent-wallet/kernel';
import { randomInt } from 'node:crypto';
import { hasShare } from '../../domain/fair-share.js';
import type { OwnersService } from '../../ports/owners-service.js';
import type { OwnerStore } from '../../ports/owner-store.js';
import type { SessionStore } from '../../ports/session-store.js';
import type { ChangeFeed } from './change-feed.js';
import { ChangeStream, readPlace, type StreamReader } from './change-stream.js';

/** Bounds of one process. */
export interface StreamBounds {
  /** Places that client networks share. */
  readonly streams: number;
  /** Agents followed by all streams: places that owners, and agents that follow themselves, share. */
  readonly agents: number;
  /** Streams of one owner, of an agent's sessions, or of one scoped token: one more ends the oldest of these. */
  readonly ofPrincipal: number;
}

const BOUNDS: StreamBounds = { streams: 4_000, agents: 20_000, ofPrincipal: 10 };
/** Agents of one owner that a stream follows, those claimed first. */
const MAX_AGENTS_OF_OWNER = 500;
/** Time after which readers of streams that were cut at once come back: each has its own, so that they do not come together. */
const RETRY_MS = { least: 1_000, below: 6_000 };
/** Time between two steps in which a process that stops ends its streams. */
const STOP_STEP_MS = 100;
/** Rounds of `review` that may fail before streams whose sessions nothing vouches for are ended. */
const MAX_FAILED_REVIEWS = 6;
/** Rounds of `review` after which owners' agents are read again. */
const ROUNDS_OF_AGENTS = 3;
/** Owners whose agents are read at once. */
const OWNERS_AT_ONCE = 16;

/** Parts that streams are made of. */
export interface ChangeStreamsParts {
  readonly feed: ChangeFeed;
  readonly owners: Pick<OwnersService, 'agents'>;
  readonly sessions: Pick<SessionStore, 'standing'>;
  readonly ownerSessions: Pick<OwnerStore, 'standing'>;
  /** Returns a whole number of at least the first, and below the second. */
  readonly random?: (least: number, below: number) => number;
  readonly scheduler?: Scheduler;
}

/** Open streams of this process: begun, bounded, and ended with the session that they belong to. */
export class ChangeStreams {
  readonly #open = new Set<ChangeStream>();
  #failedReviews = 0;
  #reviews = 0;
  #isStopping = false;

  constructor(
    private readonly parts: ChangeStreamsParts,
    private readonly bounds = BOUNDS,
  ) {}

  /** The used part of the places for streams or for followed agents, whichever is larger: 0 to 1. */
  get used(): number {
    return Math.max(this.#open.size / this.bounds.streams, followedAgents([...this.#open]) / this.bounds.agents);
  }

  /**
   * Opens a stream, and resolves once its first event is written.
   * @param lastEventId id of the last event that the reader has; undefined to begin now
   * @throws AppError VALIDATION_ERROR, SERVICE_UNAVAILABLE also when the reader has its share of what this process can serve
   */
  async open(reader: StreamReader, lastEventId: string | undefined): Promise<ChangeStream> {
    const after = lastEventId === undefined ? undefined : readPlace(reader, lastEventId);
    if (lastEventId !== undefined && !after)
      throw AppError.field('Last-Event-ID', 'must be the id of an event of this stream');
    const { random = randomInt } = this.parts;
    const stream = new ChangeStream(reader, await this.#agentsOf(reader), random(RETRY_MS.least, RETRY_MS.below));
    this.#makeRoom(stream);
    // The agent of that place may be another's by now.
    const isLost = after !== undefined && !stream.agentIds.includes(after.agentId);
    this.#open.add(stream);
    stream.body.once('close', () => {
      this.#open.delete(stream);
      this.parts.feed.leave(stream);
    });
    try {
      await this.parts.feed.join(stream, isLost ? undefined : after, isLost);
    } catch (error) {
      stream.body.destroy();
      throw error;
    }
    return stream;
  }

  /**
   * Ends the streams whose sessions have ended, shows the others that their connection lives, and learns which agents
   * owners have now. @returns that nothing is left to do at once
   */
  async review(): Promise<false> {
    for (const stream of this.#open) stream.beat();
    if (this.#open.size === 0) return false;
    try {
      await this.#endUnadmitted([...this.#open]);
      this.#reviews += 1;
      if (this.#reviews % ROUNDS_OF_AGENTS === 0) await this.#refreshAgents([...this.#open]);
      this.#failedReviews = 0;
      return false;
    } catch (error) {
      this.#failedReviews += 1;
      if (this.#failedReviews >= MAX_FAILED_REVIEWS) this.#endAll();
      throw error;
    }
  }

  /**
   * Opens no more streams, and ends the open ones in equal steps within a time, so that readers do not all reach the other
   * processes together. The last step is one before the time is over.
   */
  async stop(withinMs: number): Promise<void> {
    this.#isStopping = true;
    for (let steps = Math.max(Math.floor(withinMs / STOP_STEP_MS), 1); this.#open.size > 0; steps -= 1) {
      [...this.#open].slice(0, Math.ceil(this.#open.size / steps)).forEach((stream) => this.#end(stream));
      if (this.#open.size > 0) await sleep(STOP_STEP_MS, undefined, this.parts.scheduler);
    }
  }

  /** Ends the oldest streams of a principal that has its number. @throws AppError SERVICE_UNAVAILABLE, and ends none */
  #makeRoom(stream: ChangeStream): void {
    const { reader, agentIds } = stream;
    const own = [...this.#open].filter((each) => principalOf(each.reader) === principalOf(reader));
    const replaced = own.slice(0, Math.max(own.length - this.bounds.ofPrincipal + 1, 0));
    const others = [...this.#open].filter((each) => !replaced.includes(each));
    const ofNetwork = others.filter((each) => each.reader.client === reader.client);
    const taken = { all: others.length + 1, byHolder: ofNetwork.length + 1 };
    const hasRoom = hasShare(taken, this.bounds.streams) && this.#canFollow(reader, agentIds, others);
    if (this.#isStopping || !hasRoom) throw noRoom();
    replaced.forEach((oldest) => this.#end(oldest));
  }

  /** Returns whether a reader has a share for these agents beside other streams. */
  #canFollow(reader: StreamReader, agentIds: readonly string[], others: readonly ChangeStream[]): boolean {
    const own = others.filter((each) => nameOf(each.reader) === nameOf(reader));
    const taken = {
      all: followedAgents(others) + agentIds.length,
      byHolder: followedAgents(own) + agentIds.length,
    };
    return hasShare(taken, this.bounds.agents);
  }

  async #endUnadmitted(streams: readonly ChangeStream[]): Promise<void> {
    const readers = streams.map(({ reader }) => reader);
    const [sessions, tokens] = await Promise.all([
      this.parts.sessions.standing(readers.flatMap((each) => (each.kind === 'agent' ? [each.sessionId] : []))),
      this.parts.ownerSessions.standing(readers.flatMap((each) => (each.kind === 'owner' ? [each.tokenHash] : []))),
    ]);
    for (const stream of streams) {
      const { reader } = stream;
      const stands =
        reader.kind === 'agent' ? sessions.has(reader.sessionId) : tokens.has(reader.tokenHash.toString('hex'));
      if (!stands) this.#end(stream);
    }
  }

  async #refreshAgents(streams: readonly ChangeStream[]): Promise<void> {
    const ofOwners = streams.filter(({ reader }) => reader.kind === 'owner');
    const refresh = async (stream: ChangeStream) => {
      const agentIds = await this.#agentsOf(stream.reader);
      if (!stream.isLive || isSame(agentIds, stream.agentIds)) return;
      const others = [...this.#open].filter((each) => each !== stream);
      const isMore = agentIds.length > stream.agentIds.length;
      if (isMore && !this.#canFollow(stream.reader, agentIds, others)) return this.#end(stream);
      this.parts.feed.follow(stream, agentIds);
      // What its new agents did before is nowhere in the stream.
      stream.reset();
    };
    while (ofOwners.length > 0) await Promise.all(ofOwners.splice(0, OWNERS_AT_ONCE).map(refresh));
  }

  /** Returns the chains that a reader follows. An owner's own chain, with the events of passkeys, is the first. */
  async #agentsOf(reader: StreamReader): Promise<string[]> {
    if (reader.kind === 'agent') return [reader.agentId];
    const agents = await this.parts.owners.agents(reader.ownerId);
    return [reader.ownerId, ...agents.slice(0, MAX_AGENTS_OF_OWNER).map(({ agentId }) => agentId)];
  }

  #endAll(): void {
    for (const stream of this.#open) this.#end(stream);
  }

  /** Ends a stream: from then on it takes no room. */
  #end(stream: ChangeStream): void {
    this.#open.delete(stream);
    this.parts.feed.leave(stream);
    stream.end();
  }
}

function noRoom(): AppError {
  return new AppError('SERVICE_UNAVAILABLE', { cause: new Error('no room for another stream') });
}

function followedAgents(streams: readonly ChangeStream[]): number {
  return streams.reduce((sum, { agentIds }) => sum + agentIds.length, 0);
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((agentId) => other.includes(agentId));
}

function nameOf(reader: StreamReader): string {
  return reader.kind === 'agent' ? reader.agentId : reader.ownerId;
}

/** Returns who has a number of streams of their own: a scoped token must not end those of its agent. */
function principalOf(reader: StreamReader): string {
  return reader.kind === 'agent' && reader.tokenId !== undefined ? `token ${reader.tokenId}` : nameOf(reader);
}
