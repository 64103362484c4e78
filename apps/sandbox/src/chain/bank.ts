import { createHash } from 'node:crypto';
import { type Key, keyAt, keyText } from '../encoding/keys.js';
import type { Journal } from '../journal/journal.js';
import { RecordType } from '../journal/record-types.js';
import type { Account, AccountChange } from './account.js';
import { AccountStore } from './account-store.js';
import { Blockhashes } from './blockhashes.js';
import { BLOCKHASH_LIFE, type ChainClock, type Position } from './chain-clock.js';
import { feeOf } from './fees.js';
import type { Program } from './genesis.js';
import { type LandedRecord, partsOf, readLanded, writeLanded } from './landed-record.js';
import { type Landed, Ledger } from './ledger.js';
import { readTransaction } from './message.js';
import type { Message, WireTransaction } from './wire-transaction.js';
import { type ResolvedAccounts, resolveAccounts } from './named-accounts.js';
import { LOOKUP_TABLE_PROGRAM } from './programs.js';
import { type Execution, notRun, type Simulation, Svm } from './svm.js';
import type { TransactionError } from './svm-errors.js';
import { tokenOwners, writeMeta } from './transaction-meta.js';
import { isSigned, isV1 } from './v1-transaction.js';

/** How far back readers may look: a node may lag that much. */
export const MAX_LAG_MS = 60_000;

const SLOT_HASHES = 512;

/** Called for each landing. */
export type LandingListener = (landed: Landed, record: LandedRecord, logs: readonly string[]) => void;

/** What a bank works with. */
interface BankContext {
  readonly seed: Buffer;
  readonly accounts: readonly AccountChange[];
  readonly programs: readonly Program[];
  readonly clock: ChainClock;
  readonly journal: Journal;
  /** Slots until a slot is final: so long, older states are kept. */
  readonly finalizeSlots: number;
}

/** The state of the chain and the one place that changes it: a transaction lands here or nowhere. */
export class Bank {
  readonly accounts = new AccountStore();
  readonly ledger: Ledger;
  readonly blockhashes: Blockhashes;
  readonly svm: Svm;
  private readonly programs = new Map<Key, Account>();
  private readonly recentMessages = new Map<Key, number>();
  private readonly listeners = new Set<LandingListener>();
  private readonly clock: ChainClock;

  constructor(private readonly context: BankContext) {
    this.clock = context.clock;
    this.blockhashes = new Blockhashes(context.seed);
    this.ledger = new Ledger(context.journal);
    for (const change of context.accounts) this.accounts.seed(change);
    this.svm = new Svm(this.accounts);
    for (const { id, elf } of context.programs) this.svm.addProgram(id, elf);
  }

  /** An account at the end of a slot; programs and sysvars too. */
  account(key: Key, slot?: number): Account | undefined {
    return this.accounts.get(key, slot) ?? this.runtime(key);
  }

  /** Calls back after every landing, until the returned function is called. */
  onLanding(listener: LandingListener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Why a transaction would not be let into a block now; null when only running it shows that. */
  refusal(tx: WireTransaction): TransactionError | null {
    if (!this.isFresh(tx)) return 'BlockhashNotFound';
    const isKnown = this.ledger.get(tx.signatures[0]!) !== undefined || this.recentMessages.has(hashOf(tx.message));
    return isKnown ? 'AlreadyProcessed' : null;
  }

  /** Whether a transaction's blockhash is still good. */
  isFresh(tx: WireTransaction): boolean {
    return this.blockhashes.isValid(tx.message.blockhash, this.clock.position().height);
  }

  /** Runs a transaction on paper against the head. */
  simulate(tx: WireTransaction, verify: boolean): Simulation {
    if (verify && isV1(tx.wire) && !isSigned(tx)) return notRun('SignatureFailure');
    const named = resolveAccounts(tx.message, this.accounts);
    const at = this.nextPosition();
    this.offerSlotHashes(tx, at);
    return this.svm.simulate(tx, named, at, verify);
  }

  /** Returns the position at which a transaction that runs now would land. */
  nextPosition(): Position {
    const timeMs = this.clock.nowMs();
    const here = this.clock.position(timeMs);
    return this.clock.isInstant ? { slot: here.slot + 1, height: here.height, timeMs } : here;
  }

  /** Lands a transaction if it may land: recorded before it is visible. @throws JournalNotWritten: it did not land */
  land(tx: WireTransaction): void {
    if (this.refusal(tx) !== null) return;
    if (isV1(tx.wire) && !isSigned(tx)) return;
    const at = this.nextPosition();
    const named = resolveAccounts(tx.message, this.accounts);
    this.offerSlotHashes(tx, at);
    const run = this.svm.execute(tx, named, at);
    // A transaction whose payer was charged has landed; a failure without a charge never entered a block.
    if (run.error !== null && run.changes.length === 0) return;
    const record = this.toRecord(tx, named, run, at);
    const offset = this.append(record, run.undo);
    const landed = this.take(record, { offset, parts: partsOf(record) }, tx);
    for (const listener of this.listeners) listener(landed, record, run.logs);
  }

  /** Takes back a landing from the journal and answers its signature. */
  replay(payload: Buffer, offset: number): Key {
    const record = readLanded(payload);
    const tx = readTransaction(Buffer.from(record.wire));
    return this.take(record, { offset, parts: record.parts }, tx).signature;
  }

  /** Puts accounts in place by no transaction. */
  seed(changes: readonly AccountChange[]): void {
    for (const change of changes) {
      this.accounts.seed(change);
      this.svm.renew(change);
    }
  }

  /** Undoes the blocks from a slot on, as when the cluster takes another fork, and answers what had landed in them. */
  rewind(slot: number): WireTransaction[] {
    const undone = this.ledger.rewind(slot).map((landed) => readTransaction(this.ledger.read(landed).wire));
    for (const key of this.accounts.rewind(slot)) this.svm.renew({ key, after: this.accounts.get(key) });
    for (const { message } of undone) this.recentMessages.delete(hashOf(message));
    return undone;
  }

  /** Programs and sysvars; they were never changed by a transaction. */
  private runtime(key: Key): Account | undefined {
    const known = this.programs.get(key);
    if (known) return known;
    const account = this.svm.builtin(key);
    // Programs stay as they are; sysvars move.
    if (account?.executable) this.programs.set(key, account);
    return account;
  }

  private toRecord(
    tx: WireTransaction,
    named: ResolvedAccounts,
    run: Execution & { changes: AccountChange[] },
    at: Position,
  ): LandedRecord {
    const changed = new Map(run.changes.map((change) => [change.key, change.after]));
    const before = (key: Key): Account | undefined => this.account(key);
    const after = (key: Key): Account | undefined => (changed.has(key) ? changed.get(key) : this.account(key));
    return {
      ...at,
      error: run.error === null ? null : JSON.stringify(run.error),
      wire: tx.wire,
      meta: writeMeta(run, feeOf(tx.message), named, { before, after }),
      loaded: [...named.loadedWritable, ...named.loadedReadonly],
      tokenOwners: [...tokenOwners(named, { before, after })],
      changes: run.changes,
    };
  }

  /** The virtual machine has run it already: what cannot be recorded must not have happened there either. */
  private append(record: LandedRecord, undo: () => void): number {
    try {
      return this.context.journal.append(RecordType.landed, writeLanded(record));
    } catch (error) {
      undo();
      throw error;
    }
  }

  private take(record: Omit<LandedRecord, 'meta'>, place: Parameters<Ledger['add']>[1], tx: WireTransaction): Landed {
    const { slot, height, timeMs } = record;
    if (this.clock.isInstant) this.clock.addSlot(timeMs);
    else this.clock.witness(timeMs);
    this.accounts.apply(slot, timeMs, record.changes);
    const kept = this.clock.isInstant ? slot : slot - this.context.finalizeSlots;
    this.accounts.forget(kept, timeMs - MAX_LAG_MS);
    this.remember(tx.message, height);
    const accounts = [...tx.message.keys, ...record.loaded];
    return this.ledger.add(record, place, { signature: tx.signatures[0]!, accounts });
  }

  /** The same message lands once, even with other signatures, for as long as its blockhash lives. */
  private remember(message: Message, height: number): void {
    this.recentMessages.set(hashOf(message), height);
    for (const [hash, landedAt] of this.recentMessages) {
      if (landedAt + BLOCKHASH_LIFE >= height) break;
      this.recentMessages.delete(hash);
    }
  }

  /** Making a lookup table takes a recent slot and checks it against the hashes of slots. */
  private offerSlotHashes(tx: WireTransaction, at: Position): void {
    if (!tx.message.keys.includes(LOOKUP_TABLE_PROGRAM)) return;
    const hashes = Array.from({ length: SLOT_HASHES }, (_, i) => {
      const slot = at.slot - 1 - i;
      return { slot, hash: keyText(this.blockhashes.at(slot)) };
    });
    this.svm.setSlotHashes(hashes);
  }
}

function hashOf(message: Message): Key {
  return keyAt(createHash('sha256').update(message.bytes).digest());
}
