import type { EachBatchPayload, KafkaMessage } from 'kafkajs';

/** Messages of one partition that were fetched together, handed out from the first to the last. */
export class PartitionBatch {
  private next = 0;
  /** Settled when its messages are dealt with; rejected when they must be fetched again. */
  readonly settled: Promise<void>;
  settle!: () => void;
  fail!: (error: unknown) => void;

  constructor(readonly payload: EachBatchPayload) {
    this.settled = new Promise((resolve, reject) => {
      this.settle = resolve;
      this.fail = reject;
    });
  }

  get isDone(): boolean {
    return this.next === this.payload.batch.messages.length;
  }

  /** Returns the next messages, at most `count`. Returns the same ones until `advance`. */
  peek(count: number): KafkaMessage[] {
    return this.payload.batch.messages.slice(this.next, this.next + count);
  }

  /** Goes on behind messages that were handled. @returns the offset to commit */
  advance(count: number): { readonly partition: number; readonly offset: string } {
    this.next += count;
    const { batch } = this.payload;
    const last = this.isDone ? batch.lastOffset() : batch.messages[this.next - 1]!.offset;
    return { partition: batch.partition, offset: (BigInt(last) + 1n).toString() };
  }
}
