import type { TokenAccount } from '../domain/deposits/deposit.js';

/** An account whose balance is polled. */
export interface PolledAccount {
  readonly address: string;
  readonly wallet: string;
  /** As it was last seen; null before it was read once. */
  readonly balance: bigint | null;
  readonly balanceSlot: number;
}

/** A balance that is another than before. */
export interface BalanceChange {
  readonly address: string;
  readonly balance: bigint;
  readonly slot: number;
}

/** An account whose signatures have to be read. */
export interface UnreadAccount {
  readonly address: string;
  /** The wallet that it belongs to. */
  readonly wallet: string;
  /** Slot in which the last change of its balance was seen: a node behind it cannot explain the change. */
  readonly balanceSlot: number;
  /** The balance of before was seen here; 0 when no change waits for its explanation. */
  readonly previousSlot: number;
  readonly cursorSignature: string | null;
  readonly cursorSlot: number;
  readonly failures: number;
  /** Entries beyond the cursor that some replica has read, as `slot signature`. */
  readonly readBeyond: readonly string[];
}

/** A wallet that is swept. */
export interface SweptWallet {
  readonly agentId: string;
  readonly wallet: string;
  /** Whether its token accounts are listed, too. */
  readonly isFull: boolean;
}

/** Last entry of a reading, for good. */
interface ReadCursor {
  readonly signature: string;
  readonly slot: number;
}

/** The progress of a reading. */
export interface ReadProgress {
  /** Undefined when it has passed no entry. */
  readonly cursor: ReadCursor | undefined;
  /** Entries beyond it that need no other reading, as `slot signature`. */
  readonly readBeyond: readonly string[];
}

/**
 * The accounts in which deposits may arrive. A claim is a lease: what its holder does not finish is due again for any
 * replica. Nothing written here is wrong when two do the same: balances go by the node's slot, cursors only forward.
 */
export interface WatchedAccountStore {
  /** Takes batches whose balances are due, by number. */
  claimBatches(limit: number): Promise<Map<string, PolledAccount[]>>;
  /** Keeps balances that changed, and has their accounts read. */
  noteChanges(changes: readonly BalanceChange[]): Promise<void>;
  /** Makes a batch due again after so long. */
  releaseBatch(number: string, afterMs: number): Promise<void>;
  /** Takes wallets whose sweep is due, the longest unswept first, and has them read. */
  claimSweeps(): Promise<SweptWallet[]>;
  /** Keeps a wallet's token accounts, and has all its accounts read. */
  noteFullSweep(wallet: SweptWallet, tokenAccounts: readonly string[]): Promise<void>;
  /** Watches accounts and has them read, unless they were known before. */
  noteAccounts(accounts: readonly TokenAccount[]): Promise<void>;
  /** Takes accounts whose signatures are to be read. */
  claimReads(limit: number): Promise<UnreadAccount[]>;
  /**
   * Ends a reading. The cursor only goes forward; what changed meanwhile is read at once.
   * @param next `more` when there is more to read, `retry` when something could not be: later with every failure
   */
  noteRead(account: UnreadAccount, progress: ReadProgress, next: 'done' | 'more' | 'retry'): Promise<void>;
}
