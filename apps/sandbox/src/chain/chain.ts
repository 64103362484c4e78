import { ByteReader, ByteWriter } from '../encoding/bytes.js';
import type { Key } from '../encoding/keys.js';
import type { Journal, JournalRecord } from '../journal/journal.js';
import { RecordType } from '../journal/record-types.js';
import { type Account, type AccountChange, readChanges, writeChanges } from './account.js';
import type { AccountStore } from './account-store.js';
import { Bank, type LandingListener } from './bank.js';
import type { Blockhashes } from './blockhashes.js';
import { ChainClock, type Position } from './chain-clock.js';
import { CLOCK_SYSVAR, clockSysvar } from './clock-sysvar.js';
import { FeeMarket, type FeeMarketPeriod, type FeeMarketSettings } from './fee-market.js';
import type { Genesis } from './genesis.js';
import type { Ledger } from './ledger.js';
import { Mempool, type Terms } from './mempool.js';
import type { WireTransaction } from './wire-transaction.js';
import type { Simulation, Svm } from './svm.js';
import type { TransactionError } from './svm-errors.js';

/** Far enough that no bound a client may keep on its blockhash, with its margin, is still open. */
const EXPIRING_BLOCKS = 256;

/** How the chain is to run. */
interface ChainOptions {
  /** Milliseconds a slot; 0: each landing has its own slot and is final at once. */
  readonly slotMs: number;
  /** Slots until a slot is final. */
  readonly finalizeSlots: number;
  readonly nowMs: () => number;
}

/** An account as it is at a slot; undefined when the address is none of these. */
export type DerivedAccounts = (key: Key, slot: number) => Account | undefined;

export type Commitment = 'processed' | 'confirmed' | 'finalized';

/** The slots a node shows: its head and what is confirmed and final from there. */
export interface View extends Readonly<Record<Commitment, number>> {
  readonly timeMs: number;
}

/**
 * The chain as its node and the admin see it. Every state it shows follows from two things: the clock (slots, heights,
 * block times and blockhashes are functions of time and of the world's seed) and the journal, which holds what time
 * alone does not contain — landings with every account they changed, transactions taken on or dropped, and each bend of
 * the clock. Reading both back gives the same chain; no transaction runs twice.
 */
export class Chain {
  readonly clock: ChainClock;
  readonly accounts: AccountStore;
  readonly ledger: Ledger;
  readonly blockhashes: Blockhashes;
  readonly svm: Svm;
  readonly feeMarket: FeeMarket;
  private readonly bank: Bank;
  private derived: DerivedAccounts | undefined;
  private readonly mempool: Mempool;

  constructor(
    readonly genesis: Genesis,
    private readonly options: ChainOptions,
    private readonly journal: Journal,
  ) {
    const { seed, accounts, programs } = genesis;
    this.clock = new ChainClock(genesis.origin, genesis.slotMs, options.nowMs);
    this.bank = new Bank({
      seed,
      accounts,
      programs,
      clock: this.clock,
      journal,
      finalizeSlots: options.finalizeSlots,
    });
    this.feeMarket = new FeeMarket(journal);
    this.mempool = new Mempool(this.bank, this.clock, journal, this.feeMarket);
    ({ accounts: this.accounts, ledger: this.ledger, blockhashes: this.blockhashes, svm: this.svm } = this.bank);
  }

  /** Takes back one record of the journal. */
  replay({ type, payload, offset }: JournalRecord): void {
    if (type === RecordType.landed) this.mempool.replayLanded(this.bank.replay(payload, offset));
    else if (type === RecordType.accepted) this.mempool.replayAccepted(payload, false);
    else if (type === RecordType.acceptedAtPrice) this.mempool.replayAccepted(payload, true);
    else if (type === RecordType.dropped) this.mempool.replayDropped(payload);
    else if (type === RecordType.rolledBack) this.bank.rewind(new ByteReader(payload).f64());
    else if (type === RecordType.seeded) this.bank.seed(readChanges(payload));
    else if (type === RecordType.feeMarket) this.feeMarket.replay(payload);
    else if (type === RecordType.clock) this.bendClock(JSON.parse(payload.toString()) as ClockBend);
  }

  /** Begins to run: from here on what was taken on lands. */
  start(): void {
    const { slotMs } = this.options;
    if (this.clock.currentSlotMs !== slotMs) this.bend({ kind: 'slotTime', timeMs: this.clock.nowMs(), by: slotMs });
    this.mempool.tick();
  }

  stop(): void {
    this.mempool.stop();
  }

  /** What a node shows that is `lagMs` behind. */
  view(lagMs = 0): View {
    const timeMs = this.clock.nowMs() - lagMs;
    const slot = this.clock.slotAt(timeMs);
    if (this.clock.isInstant) return { timeMs, processed: slot, confirmed: slot, finalized: slot };
    const { finalizeSlots } = this.options;
    return { timeMs, processed: slot, confirmed: slot - Math.min(1, finalizeSlots), finalized: slot - finalizeSlots };
  }

  /** An account at the end of a slot (the head without one); programs and sysvars too. */
  account(key: Key, slot?: number): Account | undefined {
    // The machine's own clock only moves when it runs something.
    if (key === CLOCK_SYSVAR) return clockSysvar(this.clock, slot ?? this.clock.position().slot);
    return this.bank.account(key, slot) ?? this.derived?.(key, slot ?? this.clock.position().slot);
  }

  /** Shows accounts that follow from something else than transactions. Reads find them; programs do not. */
  derive(derived: DerivedAccounts): void {
    this.derived = derived;
  }

  /** Calls back after every landing, until the returned function is called. */
  onLanding(listener: LandingListener): () => void {
    return this.bank.onLanding(listener);
  }

  /** Why nothing that is due lands; undefined when it does. */
  get trouble(): string | undefined {
    return this.mempool.trouble;
  }

  /** Why a transaction would not be let into a block now; null when only running it shows that. */
  refusal(tx: WireTransaction): TransactionError | null {
    return this.bank.refusal(tx);
  }

  /** Whether a transaction's blockhash is still good. */
  isFresh(tx: WireTransaction): boolean {
    return this.bank.isFresh(tx);
  }

  /** Runs a transaction on paper against the head. */
  simulate(tx: WireTransaction, verify: boolean): Simulation {
    return this.bank.simulate(tx, verify);
  }

  /**
   * Takes a transaction on. It lands at the next chance that its terms permit, or never: if its blockhash dies, or if it
   * cannot pay. In the journal when this returns; `journal.synced()` says when the disk has it.
   * @throws JournalNotWritten: it was not taken on
   */
  accept(tx: WireTransaction, terms: Terms = {}): void {
    this.mempool.accept(tx, terms);
  }

  /** Sets the price of block space from the next slot on. @throws JournalNotWritten: nothing was changed */
  setFeeMarket(settings: FeeMarketSettings): FeeMarketPeriod {
    const period = { ...settings, fromSlot: this.clock.position().slot + 1 };
    this.feeMarket.set(period);
    // There the next slot has no time of its own.
    if (this.clock.isInstant) this.mempool.tick();
    return period;
  }

  /** Ends every delay and lands what the fee market lets land. @returns how many transactions wait no more */
  landWaiting(): number {
    return this.mempool.landWaiting();
  }

  /** Makes sure that a transaction never lands, however often it is sent. */
  drop(tx: WireTransaction): void {
    this.mempool.drop(tx);
  }

  /**
   * Puts accounts in place by no transaction, as if they had always been so: older slots show them too.
   * @throws JournalNotWritten: nothing was changed
   */
  seed(changes: readonly AccountChange[]): void {
    this.journal.append(RecordType.seeded, writeChanges(changes));
    this.bank.seed(changes);
  }

  /**
   * Undoes the block in which a transaction landed and all later ones, unless it is final. The transaction is lost with
   * its fork; what else was in those blocks lands again.
   */
  rollBack(signature: Key): void {
    const landed = this.ledger.get(signature);
    if (!landed || landed.slot <= this.view().finalized) return;
    this.journal.append(RecordType.rolledBack, new ByteWriter().f64(landed.slot).done());
    const undone = this.bank.rewind(landed.slot);
    const isLost = (tx: WireTransaction) => tx.signatures[0] === signature;
    undone.filter(isLost).forEach((tx) => this.mempool.drop(tx));
    undone.filter((tx) => !isLost(tx)).forEach((tx) => this.mempool.accept(tx));
  }

  /** Moves the chain's clock on, with the blocks of that time, and answers where the chain then stands. */
  advanceClock(byMs: number): Position {
    this.bend({ kind: 'advance', timeMs: this.clock.nowMs(), by: byMs });
    this.mempool.tick();
    return this.clock.position();
  }

  /** Makes every blockhash of before too old, at every commitment. */
  expireBlockhashes(): void {
    const blocks = EXPIRING_BLOCKS + this.options.finalizeSlots;
    this.bend({ kind: 'skip', timeMs: this.clock.nowMs(), by: blocks });
  }

  private bend(bend: ClockBend): void {
    this.journal.append(RecordType.clock, Buffer.from(JSON.stringify(bend)));
    this.bendClock(bend);
  }

  private bendClock({ kind, timeMs, by }: ClockBend): void {
    if (kind === 'slotTime') this.clock.setSlotMs(timeMs, by);
    else if (kind === 'advance') this.clock.advance(timeMs, by);
    else this.clock.skipBlocks(timeMs, by);
  }
}

/** A recorded change of the clock: milliseconds for slot time and advance, blocks for skip. */
interface ClockBend {
  readonly kind: 'slotTime' | 'advance' | 'skip';
  readonly timeMs: number;
  readonly by: number;
}
