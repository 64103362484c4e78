import type { Logger } from '@agent-wallet/platform';
import type { EachBatchPayload, KafkaMessage } from 'kafkajs';
import type { EventRecord } from '../ports.js';
import type { DeadLetters } from './dead-letters.js';
import { fromMessage } from './message.js';
import { PartitionBatch } from './partition-batch.js';

/** As many events as a consumer of Postgres hands on at once. */
const BATCH_COUNT = 500;
const HEARTBEAT_MS = 1_000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;

/** Handlers of the messages. */
interface MergerOptions {
  readonly handle: (events: readonly EventRecord[]) => Promise<void>;
  readonly deadLetters: DeadLetters;
  readonly logger: Logger;
}

/** A part of what is handled at once. */
interface Share {
  readonly from: PartitionBatch;
  readonly messages: readonly KafkaMessage[];
}

/**
 * Merges what was fetched of several partitions into batches for one handler, one at a time: handled, then committed.
 * While a handler fails, the same batch is tried again and heartbeats keep this member in the group. Every problem with
 * the brokers fails all batches: the library fetches them again, here or at another member.
 */
export class BatchMerger {
  private readonly waiting: PartitionBatch[] = [];
  private working: Promise<void> | undefined;
  private ended = false;
  private wakeUp: () => void = () => undefined;

  constructor(private readonly options: MergerOptions) {}

  /** Resolves when the messages are handled and committed, or the merger was ended meanwhile. */
  async take(payload: EachBatchPayload): Promise<void> {
    if (this.ended) throw new Error('the session has ended');
    const batch = new PartitionBatch(payload);
    this.waiting.push(batch);
    this.working ??= this.work().finally(() => (this.working = undefined));
    await batch.settled;
  }

  /** Lets the batch under way finish; what was fetched and not handled stays uncommitted. */
  async end(): Promise<void> {
    this.ended = true;
    this.wakeUp();
    await this.working;
  }

  /** Handles the waiting batches. Never rejects: each batch gets its own result. */
  private async work(): Promise<void> {
    // The library hands over all partitions of a fetch one after the other.
    await Promise.resolve();
    try {
      while (this.waiting.length > 0 && !this.ended) await this.handleNext();
      this.waiting.splice(0).forEach((batch) => batch.settle());
    } catch (error) {
      this.waiting.splice(0).forEach((batch) => batch.fail(error));
    }
  }

  private async handleNext(): Promise<void> {
    const shares = this.nextShares();
    const member = shares[0]!.from.payload;
    const heart = startHeart(member);
    try {
      const isHandled = await this.untilHandled(shares, heart);
      if (!isHandled) return;
      await this.commit(member, shares);
    } finally {
      heart.stop();
    }
    await member.heartbeat();
    for (const { from } of shares) {
      if (!from.isDone) continue;
      this.waiting.splice(this.waiting.indexOf(from), 1);
      from.settle();
    }
  }

  private nextShares(): Share[] {
    const shares: Share[] = [];
    let room = BATCH_COUNT;
    for (const from of this.waiting) {
      const messages = from.peek(room);
      shares.push({ from, messages });
      room -= messages.length;
      if (room === 0) break;
    }
    return shares;
  }

  /** Retries until the messages are handled. Resolves to false when it was ended before. @throws what the heart says */
  private async untilHandled(shares: readonly Share[], heart: Heart): Promise<boolean> {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      try {
        await this.handle(shares);
        return true;
      } catch (err) {
        this.options.logger.warn({ event: 'event_batch.handling_failed', err }, 'Event batch not handled; retrying');
      }
      const timer = new Promise<void>((resolve) => {
        const timeout = setTimeout(resolve, pauseMs);
        this.wakeUp = () => {
          clearTimeout(timeout);
          resolve();
        };
      });
      if (!this.ended) await Promise.race([timer, heart.stopped]);
      this.wakeUp();
      if (this.ended) return false;
    }
  }

  private async handle(shares: readonly Share[]): Promise<void> {
    const events: EventRecord[] = [];
    const dead = [];
    for (const { from, messages } of shares) {
      for (const message of messages) {
        const event = fromMessage(message);
        if ('problem' in event) dead.push({ message, reason: event.problem, partition: from.payload.batch.partition });
        else events.push(event);
      }
    }
    if (events.length > 0) await this.options.handle(events);
    // Last, for what is handled twice is deduplicated, and what is set aside twice is not.
    if (dead.length > 0) await this.options.deadLetters.put(dead);
  }

  /** Commits through the batch, because a consumer that is being stopped commits nothing itself. */
  private async commit(member: EachBatchPayload, shares: readonly Share[]): Promise<void> {
    const done = shares.map(({ from, messages }) => ({ from, ...from.advance(messages.length) }));
    const partitions = done.map(({ partition, offset }) => ({ partition, offset }));
    await member.commitOffsetsIfNecessary({ topics: [{ topic: member.batch.topic, partitions }] });
    for (const { from, offset } of done) from.payload.resolveOffset((BigInt(offset) - 1n).toString());
  }
}

interface Heart {
  /** Rejects when the group does not count on this member any more. */
  readonly stopped: Promise<never>;
  stop(): void;
}

/** Keeps this member in the group by heartbeats, while it is busy. */
function startHeart(member: EachBatchPayload): Heart {
  let fail: (error: unknown) => void;
  const stopped = new Promise<never>((_, reject) => (fail = reject));
  stopped.catch(() => undefined);
  const timer = setInterval(() => void member.heartbeat().catch((error: unknown) => fail(error)), HEARTBEAT_MS);
  return { stopped, stop: () => clearInterval(timer) };
}
