import { ByteReader, ByteWriter } from '../encoding/bytes.js';
import { type Key, keyAt, keyBytes } from '../encoding/keys.js';
import type { Journal } from '../journal/journal.js';
import { JournalNotWritten } from '../journal/journal-not-written.js';
import { RecordType } from '../journal/record-types.js';
import type { Bank } from './bank.js';
import type { ChainClock } from './chain-clock.js';
import { readTransaction } from './message.js';
import type { WireTransaction } from './wire-transaction.js';

/** How long what could not be recorded waits for its next try. */
const RETRY_MS = 500;

/** Transactions that were taken on and wait for their block, and those that must never land. Both outlive a kill. */
export class Mempool {
  private readonly pending = new Map<Key, { tx: WireTransaction; notBeforeMs: number }>();
  private readonly dropped = new Set<Key>();
  private timer: NodeJS.Timeout | undefined;
  private stuckOn: JournalNotWritten | undefined;
  private isStopped = false;

  constructor(
    private readonly bank: Bank,
    private readonly clock: ChainClock,
    private readonly journal: Journal,
  ) {}

  /**
   * Takes a transaction on, once. It lands at the next chance, but not before `delayMs` have passed.
   * @throws JournalNotWritten when it cannot be recorded, or others wait for that
   */
  accept(tx: WireTransaction, delayMs: number): void {
    const signature = tx.signatures[0]!;
    if (this.bank.ledger.get(signature) || this.pending.has(signature) || this.dropped.has(signature)) return;
    if (this.stuckOn) throw this.stuckOn;
    if (this.clock.isInstant && delayMs === 0) {
      this.bank.land(tx);
      return;
    }
    const notBeforeMs = this.clock.nowMs() + delayMs;
    this.journal.append(RecordType.accepted, new ByteWriter().f64(notBeforeMs).push(tx.wire).done());
    this.pending.set(signature, { tx, notBeforeMs });
    this.schedule();
  }

  /** Makes sure that a transaction never lands, however often it is sent. */
  drop(tx: WireTransaction): void {
    const signature = tx.signatures[0]!;
    if (this.bank.ledger.get(signature) || this.dropped.has(signature)) return;
    this.journal.append(RecordType.dropped, keyBytes(signature));
    this.dropped.add(signature);
    this.pending.delete(signature);
  }

  /** Lands what is due, and looks again when the next may be. What cannot be recorded waits, and all behind it. */
  tick(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    try {
      this.landDue();
      this.stuckOn = undefined;
      this.schedule();
    } catch (error) {
      if (!(error instanceof JournalNotWritten)) throw error;
      if (!this.stuckOn) process.emitWarning(`transactions wait to land: ${error.message}`);
      this.stuckOn = error;
      this.tickIn(RETRY_MS);
    }
  }

  /** Lands everything that waits now, however long it was to be delayed. @returns how many waited */
  landWaiting(): number {
    const { size } = this.pending;
    for (const [signature, { tx }] of this.pending) this.pending.set(signature, { tx, notBeforeMs: 0 });
    this.tick();
    return size;
  }

  /** Why due transactions wait; undefined when they do not. */
  get trouble(): string | undefined {
    return this.stuckOn?.message;
  }

  /** Lands nothing any more: what waits is in the journal. */
  stop(): void {
    this.isStopped = true;
    clearTimeout(this.timer);
  }

  /** Takes back a transaction that was taken on before. */
  replayAccepted(payload: Buffer): void {
    const notBeforeMs = new ByteReader(payload).f64();
    const tx = readTransaction(Buffer.from(payload.subarray(8)));
    this.pending.set(tx.signatures[0]!, { tx, notBeforeMs });
  }

  replayDropped(payload: Buffer): void {
    const signature = keyAt(payload, 0, 64);
    this.dropped.add(signature);
    this.pending.delete(signature);
  }

  /** It landed before the restart. */
  replayLanded(signature: Key): void {
    this.pending.delete(signature);
  }

  private landDue(): void {
    const now = this.clock.nowMs();
    for (const [signature, { tx, notBeforeMs }] of this.pending) {
      if (notBeforeMs > now) continue;
      this.bank.land(tx);
      this.pending.delete(signature);
    }
  }

  /** With a slot time of its own the chain looks at every block; else when the first delayed transaction is due. */
  private schedule(): void {
    if (this.pending.size === 0 || (this.timer && !this.clock.isInstant)) return;
    clearTimeout(this.timer);
    const dueMs = this.clock.isInstant
      ? Math.min(...[...this.pending.values()].map((p) => p.notBeforeMs))
      : this.clock.nextBlockMs();
    this.tickIn(Math.max(1, dueMs - this.clock.nowMs()));
  }

  private tickIn(ms: number): void {
    if (!this.isStopped) this.timer = setTimeout(() => this.tick(), ms);
  }
}
