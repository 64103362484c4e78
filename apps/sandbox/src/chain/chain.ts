import { ByteReader, ByteWriter } from '../encoding/bytes.js';
import { type Key, keyAt, keyBytes, keyText } from '../encoding/keys.js';
import { type Journal, type JournalRecord } from '../journal/journal.js';
import { RecordType } from '../journal/record-types.js';
import type { Account, AccountChange } from './account.js';
import { AccountStore } from './account-store.js';
import { Blockhashes } from './blockhashes.js';
import { ChainClock, type Position } from './chain-clock.js';
import { feeOf } from './fees.js';
import type { Genesis } from './genesis.js';
import { type LandedRecord, partsOf, readLanded, writeLanded } from './landed-record.js';
import { type Landed, Ledger } from './ledger.js';
import { readTransaction, type WireTransaction } from './message.js';
import { type ResolvedAccounts, resolveAccounts } from './named-accounts.js';
import { LOOKUP_TABLE_PROGRAM } from './programs.js';
import { type Execution, type Simulation, Svm } from './svm.js';
import type { TransactionError } from './svm-errors.js';
import { tokenOwners, writeMeta } from './transaction-meta.js';

/** How far back readers may look: a node may lag that much. */
export const MAX_LAG_MS = 60_000;

const SLOT_HASHES = 512;

/** How the chain is to run. */
export interface ChainOptions {
  /** Milliseconds a slot; 0: each landing has its own slot and is final at once. */
  readonly slotMs: number;
  /** Slots until a slot is final. */
  readonly finalizeSlots: number;
  readonly nowMs: () => number;
}

export type Commitment = 'processed' | 'confirmed' | 'finalized';

/** The slots a node shows: its head and what is confirmed and final from there. */
export interface View extends Readonly<Record<Commitment, number>> {
  readonly timeMs: number;
}

/** Told about each landing. */
export type LandingListener = (landed: Landed, record: LandedRecord, logs: readonly string[]) => void;

/**
 * The chain: takes transactions on, lands them in slots, and knows every state that may still be asked for. What
 * landed, was accepted or must never land is in the journal before anybody can see it; callers that answer the
 * outside wait for `journal.synced()` besides.
 */
export class Chain {
  readonly accounts = new AccountStore();
  readonly ledger: Ledger;
  readonly clock: ChainClock;
  readonly blockhashes: Blockhashes;
  readonly svm: Svm;
  private readonly pending = new Map<Key, { tx: WireTransaction; notBeforeMs: number }>();
  private readonly dropped = new Set<Key>();
  private readonly builtins = new Map<Key, Account | undefined>();
  private readonly listeners = new Set<LandingListener>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    readonly genesis: Genesis,
    private readonly options: ChainOptions,
    private readonly journal: Journal,
  ) {
    this.clock = new ChainClock(genesis.origin, genesis.slotMs, options.nowMs);
    this.blockhashes = new Blockhashes(genesis.seed);
    this.ledger = new Ledger(journal);
    for (const change of genesis.accounts) this.accounts.seed(change);
    this.svm = new Svm(this.accounts);
  }

  /** Takes back one record of the journal. */
  replay({ type, payload, offset }: JournalRecord): void {
    if (type === RecordType.landed) this.replayLanded(payload, offset);
    else if (type === RecordType.accepted) this.replayAccepted(payload);
    else if (type === RecordType.dropped) this.dropped.add(keyAt(payload, 0, 64));
    else if (type === RecordType.clock) this.bendClock(JSON.parse(payload.toString()) as ClockBend);
  }

  /** Begins to run: from here on time passes and what was taken on lands. */
  start(): void {
    if (this.clock.pace !== this.options.slotMs)
      this.bend({ kind: 'pace', timeMs: this.clock.nowMs(), by: this.options.slotMs });
    this.tick();
  }

  stop(): void {
    clearTimeout(this.timer);
  }

  /** What a node shows that is `lagMs` behind. */
  view(lagMs = 0): View {
    const timeMs = this.clock.nowMs() - lagMs;
    const { slot } = this.clock.position(timeMs);
    if (this.clock.isInstant) return { timeMs, processed: slot, confirmed: slot, finalized: slot };
    const { finalizeSlots } = this.options;
    return { timeMs, processed: slot, confirmed: slot - Math.min(1, finalizeSlots), finalized: slot - finalizeSlots };
  }

  /** An account at the end of a slot; programs and sysvars too. */
  account(key: Key, slot?: number): Account | undefined {
    return this.accounts.get(key, slot) ?? this.builtin(key);
  }

  /** Calls back after every landing, until the returned function is called. */
  onLanding(listener: LandingListener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Why a transaction would not be let into a block now; null when only running it can tell. */
  refusal(tx: WireTransaction): TransactionError | null {
    if (this.ledger.get(tx.signatures[0]!)) return 'AlreadyProcessed';
    const { height } = this.clock.position();
    return this.blockhashes.isValid(tx.message.blockhash, height) ? null : 'BlockhashNotFound';
  }

  /** Runs a transaction on paper against the head. */
  simulate(tx: WireTransaction, verify: boolean): Simulation {
    const named = resolveAccounts(tx.message, this.accounts);
    const at = this.nextPosition();
    this.offerSlotHashes(tx, at);
    return this.svm.simulate(tx, named, at, verify);
  }

  /**
   * Takes a transaction on. It lands at the next chance, not before `delayMs` have passed, or never: if its blockhash
   * dies, or if it cannot pay. The same signature is taken on once.
   */
  accept(tx: WireTransaction, delayMs = 0): void {
    const signature = tx.signatures[0]!;
    if (this.ledger.get(signature) || this.pending.has(signature) || this.dropped.has(signature)) return;
    if (this.clock.isInstant && delayMs === 0) {
      this.land(tx);
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
    if (this.ledger.get(signature) || this.dropped.has(signature)) return;
    this.journal.append(RecordType.dropped, keyBytes(signature));
    this.dropped.add(signature);
    this.pending.delete(signature);
  }

  /** Moves the chain's clock on, with the blocks of that time. */
  advanceClock(byMs: number): Position {
    this.bend({ kind: 'advance', timeMs: this.clock.nowMs(), by: byMs });
    this.tick();
    return this.clock.position();
  }

  /** Makes every blockhash of before too old, at every commitment. */
  expireBlockhashes(): void {
    const blocks = 256 + this.options.finalizeSlots;
    this.bend({ kind: 'skip', timeMs: this.clock.nowMs(), by: blocks });
  }

  private builtin(key: Key): Account | undefined {
    if (!this.builtins.has(key)) {
      const account = this.svm.builtin(key);
      // Sysvars move; programs do not.
      if (!account?.executable) return account;
      this.builtins.set(key, account);
    }
    return this.builtins.get(key);
  }

  /** Where a transaction that runs now would land. */
  private nextPosition(): Position {
    const timeMs = this.clock.nowMs();
    const here = this.clock.position(timeMs);
    return this.clock.isInstant ? { slot: here.slot + 1, height: here.height, timeMs } : here;
  }

  private land(tx: WireTransaction): void {
    if (this.refusal(tx) !== null) return;
    const at = this.nextPosition();
    const named = resolveAccounts(tx.message, this.accounts);
    this.offerSlotHashes(tx, at);
    const run = this.svm.execute(tx, named, at);
    // Whoever has paid has landed; a failure that charged nobody never entered a block.
    if (run.error !== null && run.changes.length === 0) return;
    if (this.clock.isInstant) this.clock.addSlot(at.timeMs);
    this.record(tx, named, run, at);
  }

  private record(
    tx: WireTransaction,
    named: ResolvedAccounts,
    run: Execution & { changes: AccountChange[] },
    at: Position,
  ): void {
    const changed = new Map(run.changes.map((c) => [c.key, c.after]));
    const before = (key: Key): Account | undefined => this.accounts.get(key) ?? this.builtins.get(key);
    const after = (key: Key): Account | undefined => (changed.has(key) ? changed.get(key) : before(key));
    const record: LandedRecord = {
      ...at,
      error: run.error === null ? null : JSON.stringify(run.error),
      wire: tx.wire,
      meta: writeMeta(run, feeOf(tx.message), named, { before, after }),
      loaded: [...named.loadedWritable, ...named.loadedReadonly],
      tokenOwners: [...tokenOwners(named, { before, after })],
      changes: run.changes,
    };
    const offset = this.journal.append(RecordType.landed, writeLanded(record));
    const landed = this.take(record, { offset, parts: partsOf(record) }, tx);
    for (const listener of this.listeners) listener(landed, record, run.logs);
  }

  private take(record: Omit<LandedRecord, 'meta'>, place: Parameters<Ledger['add']>[1], tx: WireTransaction): Landed {
    this.accounts.apply(record.slot, record.timeMs, record.changes);
    const kept = this.clock.isInstant ? record.slot : record.slot - this.options.finalizeSlots;
    this.accounts.forget(kept, record.timeMs - MAX_LAG_MS);
    const accounts = [...tx.message.keys, ...record.loaded];
    return this.ledger.add(record, place, { signature: tx.signatures[0]!, accounts });
  }

  private offerSlotHashes(tx: WireTransaction, at: Position): void {
    if (!tx.message.keys.includes(LOOKUP_TABLE_PROGRAM)) return;
    const hashes = Array.from({ length: SLOT_HASHES }, (_, i) => {
      const slot = at.slot - 1 - i;
      return { slot, hash: keyText(this.blockhashes.at(slot)) };
    });
    this.svm.setSlotHashes(hashes);
  }

  private tick(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const now = this.clock.nowMs();
    for (const [signature, { tx, notBeforeMs }] of this.pending) {
      if (notBeforeMs > now) continue;
      this.pending.delete(signature);
      this.land(tx);
    }
    this.schedule();
  }

  /** With a pace of its own the chain looks at every block; else when the first delayed transaction is due. */
  private schedule(): void {
    if (this.pending.size === 0 || (this.timer && !this.clock.isInstant)) return;
    clearTimeout(this.timer);
    const dueMs = this.clock.isInstant
      ? Math.min(...[...this.pending.values()].map((p) => p.notBeforeMs))
      : this.clock.nextBlockMs();
    this.timer = setTimeout(() => this.tick(), Math.max(1, dueMs - this.clock.nowMs()));
  }

  private bend(bend: ClockBend): void {
    this.journal.append(RecordType.clock, Buffer.from(JSON.stringify(bend)));
    this.bendClock(bend);
  }

  private bendClock({ kind, timeMs, by }: ClockBend): void {
    if (kind === 'pace') this.clock.setPace(timeMs, by);
    else if (kind === 'advance') this.clock.advance(timeMs, by);
    else this.clock.skipBlocks(timeMs, by);
  }

  private replayLanded(payload: Buffer, offset: number): void {
    const record = readLanded(payload);
    if (this.clock.isInstant) this.clock.addSlot(record.timeMs);
    const tx = readTransaction(Buffer.from(record.wire));
    this.pending.delete(tx.signatures[0]!);
    this.take(record, { offset, parts: record.parts }, tx);
  }

  private replayAccepted(payload: Buffer): void {
    const notBeforeMs = new ByteReader(payload).f64();
    const tx = readTransaction(Buffer.from(payload.subarray(8)));
    this.pending.set(tx.signatures[0]!, { tx, notBeforeMs });
  }
}

/** A recorded change of the clock: milliseconds for pace and advance, blocks for skip. */
interface ClockBend {
  readonly kind: 'pace' | 'advance' | 'skip';
  readonly timeMs: number;
  readonly by: number;
}
