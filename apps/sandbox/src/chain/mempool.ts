import { ByteReader, ByteWriter } from '../encoding/bytes.js';
import { type Key, keyAt, keyBytes } from '../encoding/keys.js';
import type { Journal } from '../journal/journal.js';
import { JournalNotWritten } from '../journal/journal-not-written.js';
import { RecordType } from '../journal/record-types.js';
import type { Bank } from './bank.js';
import type { ChainClock } from './chain-clock.js';
import type { FeeMarket } from './fee-market.js';
import { unitPriceOf } from './fees.js';
import { readTransaction } from './message.js';
import type { WireTransaction } from './wire-transaction.js';

/** How long what could not be recorded waits for its next try. */
const RETRY_MS = 500;

/** The conditions on which a transaction is taken on. */
export interface Terms {
  /** Milliseconds before which it does not land. */
  readonly delayMs?: number | undefined;
  /** Whether it lands only in a slot whose price it pays; the sandbox's own transactions land at any price. */
  readonly atMarketPrice?: boolean;
}

interface Pending {
  readonly tx: WireTransaction;
  readonly notBeforeMs: number;
  readonly atMarketPrice: boolean;
}

/** Transactions that were taken on and wait for their block, and those that must never land. Both outlive a kill. */
export class Mempool {
  private readonly pending = new Map<Key, Pending>();
  private readonly dropped = new Set<Key>();
  private timer: NodeJS.Timeout | undefined;
  private stuckOn: JournalNotWritten | undefined;
  private isStopped = false;

  constructor(
    private readonly bank: Bank,
    private readonly clock: ChainClock,
    private readonly journal: Journal,
    private readonly market: FeeMarket,
  ) {}

  /**
   * Takes a transaction on, once. It lands at the next chance that its terms permit.
   * @throws JournalNotWritten when it cannot be recorded, or others wait for that
   */
  accept(tx: WireTransaction, { delayMs = 0, atMarketPrice = false }: Terms = {}): void {
    const signature = tx.signatures[0]!;
    if (this.bank.ledger.get(signature) || this.pending.has(signature) || this.dropped.has(signature)) return;
    if (this.stuckOn) throw this.stuckOn;
    const notBeforeMs = this.clock.nowMs() + delayMs;
    const entry = { tx, notBeforeMs, atMarketPrice };
    if (this.clock.isInstant && delayMs === 0 && !this.isPricedOut(entry)) {
      this.bank.land(tx);
      // The next slot may be cheap enough for others.
      if (this.pending.size > 0) this.tick();
      return;
    }
    const type = atMarketPrice ? RecordType.acceptedAtPrice : RecordType.accepted;
    this.journal.append(type, new ByteWriter().f64(notBeforeMs).push(tx.wire).done());
    this.pending.set(signature, entry);
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

  /** Ends every delay and lands what the fee market lets land. @returns how many transactions wait no more */
  landWaiting(): number {
    const { size } = this.pending;
    for (const [signature, entry] of this.pending) this.pending.set(signature, { ...entry, notBeforeMs: 0 });
    this.tick();
    return size - this.pending.size;
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
  replayAccepted(payload: Buffer, atMarketPrice: boolean): void {
    const notBeforeMs = new ByteReader(payload).f64();
    const tx = readTransaction(Buffer.from(payload.subarray(8)));
    this.pending.set(tx.signatures[0]!, { tx, notBeforeMs, atMarketPrice });
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
    for (const [signature, entry] of this.pending) {
      if (entry.notBeforeMs > now || this.isPricedOut(entry)) continue;
      this.bank.land(entry.tx);
      this.pending.delete(signature);
    }
  }

  /** Reports whether a transaction waits for a cheaper slot. With its blockhash the wait ends too. */
  private isPricedOut({ tx, atMarketPrice }: Pending): boolean {
    if (!atMarketPrice || !this.bank.isFresh(tx)) return false;
    return unitPriceOf(tx.message) < this.market.priceAt(this.bank.nextPosition().slot);
  }

  /** With a slot time of its own the chain looks at every block; else when a delay ends, or a block may be cheaper. */
  private schedule(): void {
    if (this.pending.size === 0 || (this.timer && !this.clock.isInstant)) return;
    clearTimeout(this.timer);
    const now = this.clock.nowMs();
    const blockMs = this.clock.nextBlockMs();
    const delays = [...this.pending.values()].map((p) => (p.notBeforeMs > now ? p.notBeforeMs : blockMs));
    const dueMs = this.clock.isInstant ? Math.min(...delays) : blockMs;
    this.tickIn(Math.max(1, dueMs - now));
  }

  private tickIn(ms: number): void {
    if (!this.isStopped) this.timer = setTimeout(() => this.tick(), ms);
  }
}
