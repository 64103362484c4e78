import { type Clock, RecentlyUsed } from '@agent-wallet/kernel';
import type { Logger } from '@agent-wallet/platform';
import { type AddressSignature, isUnreadable } from '@agent-wallet/solana';
import { type DepositTiming, retryPauseMs } from '../../domain/deposits/timing.js';
import type { DepositChain } from '../../ports/deposit-chain.js';
import type { UnreadableStore } from '../../ports/unreadable-store.js';
import type { ReadProgress, UnreadAccount, WatchedAccountStore } from '../../ports/watched-account-store.js';
import { listUnread, type UnreadEntries } from './list-unread.js';
import { recordCredits, type RecordOptions } from './record-credits.js';

const ACCOUNTS_AT_ONCE = 8;
const TRANSACTIONS_AT_ONCE = 100;
/** Then others have their turn. */
const TRANSACTIONS_A_TURN = 500;
/** A node that fails so often in a turn is not called again before the account's next turn. */
const FAILURES_A_TURN = 100;
const QUIET_FAILURES = 3;
const MAX_REMEMBERED = 50_000;
/** Entries beyond the cursor that replicas tell one another of. */
const MAX_SHARED = 100;

/** Dependencies of the reader. */
interface ReadOptions extends RecordOptions {
  readonly chain: Pick<DepositChain, 'signaturesForAddress'>;
  readonly watched: Pick<WatchedAccountStore, 'claimReads' | 'noteAccounts' | 'noteRead'>;
  readonly unreadable: Pick<UnreadableStore, 'note'>;
  /** Transactions that are known to be no deposit for a wallet: they are not read for it. */
  readonly landings: { has(signature: string, wallet: string): boolean };
  readonly logger: Logger;
  readonly timing: Pick<DepositTiming, 'retryMs' | 'maxRetryMs'>;
  readonly clock: Clock;
}

/** The result of a reading. */
interface Reading {
  readonly progress: ReadProgress;
  readonly isUnfinished: boolean;
  /** Reason that an entry waits to be read again; undefined when none does. */
  readonly failure: unknown;
}

/** An entry that could not be read for a reason that may pass. */
interface LateEntry {
  readonly failures: number;
  readonly dueAtMs: number;
  readonly reason: unknown;
}

/**
 * Reads accounts' transactions from their cursors on, and keeps what agents got by them. Anyone can send an account
 * transactions that cannot be read: they must not delay those behind them.
 */
export class AccountReader {
  /** Entries beyond the cursors that were read here, also those that are too many to be shared. */
  readonly #read = new RecentlyUsed<true>(MAX_REMEMBERED);
  readonly #late = new RecentlyUsed<LateEntry>(MAX_REMEMBERED);
  #isStopping = false;

  constructor(private readonly options: ReadOptions) {}

  /** Reads the accounts that are due. @returns whether more may be due */
  async round(): Promise<boolean> {
    if (this.#isStopping) return false;
    const accounts = await this.options.watched.claimReads(ACCOUNTS_AT_ONCE);
    await Promise.all(accounts.map((account) => this.#readOne(account)));
    // What changed while it was read is due again.
    return accounts.length > 0;
  }

  /** Ends readings under way as soon as what they have fetched is kept. */
  stop(): void {
    this.#isStopping = true;
  }

  async #readOne(account: UnreadAccount): Promise<void> {
    const { chain, watched, logger, checkpoint } = this.options;
    const { readBeyond } = account;
    const retry = async (err: unknown, progress: ReadProgress = { cursor: undefined, readBeyond }): Promise<void> => {
      const fields = { account: account.address, err };
      // A node that lags a little is nothing to warn of.
      if (account.failures < QUIET_FAILURES)
        logger.debug({ event: 'deposit.account_read_delayed', ...fields }, 'Account not readable yet; retrying');
      else logger.warn({ event: 'deposit.account_read_failed', ...fields }, 'Account could not be read; retrying');
      await watched.noteRead(account, progress, 'retry');
    };
    let unread: UnreadEntries;
    try {
      unread = await listUnread(chain, account);
      await checkpoint('after-listing');
    } catch (err) {
      return retry(err);
    }
    const { progress, isUnfinished, failure } = await this.#readEntries(account, unread);
    if (failure !== undefined && !isUnfinished) return retry(failure, progress);
    await watched.noteRead(account, progress, isUnfinished ? 'more' : 'done');
    await checkpoint('after-moving-the-cursor');
  }

  /**
   * Reads entries that were not read before, at most a turn's worth, and moves the cursor over those that are finalized
   * and read.
   */
  async #readEntries(
    { address, wallet, readBeyond }: UnreadAccount,
    { entries, newest }: UnreadEntries,
  ): Promise<Reading> {
    const { landings, clock } = this.options;
    const keyOf = ({ signature, slot }: AddressSignature) => `${address} ${signature} ${slot}`;
    const shared = new Set(readBeyond);
    const isOpen = (entry: AddressSignature) =>
      entry.error === null &&
      !landings.has(entry.signature, wallet) &&
      !shared.has(sharedKeyOf(entry)) &&
      this.#read.use(keyOf(entry)) === undefined;
    const startMs = clock.nowMs();
    const queue = inOrder([...entries, ...newest].filter(isOpen), (entry) => this.#late.use(keyOf(entry)), startMs);
    let failures = 0;
    let from = 0;
    while (from < queue.length && from < TRANSACTIONS_A_TURN && failures < FAILURES_A_TURN && !this.#isStopping) {
      const chunk = queue.slice(from, (from += TRANSACTIONS_AT_ONCE));
      const failed = await this.#readChunk(chunk);
      failures += failed.size;
      for (const entry of chunk) {
        if (failed.has(entry.signature)) this.#postpone(keyOf(entry), failed.get(entry.signature));
        else this.#read.keep(keyOf(entry), true);
      }
    }
    const end = entries.findIndex((entry) => entry.commitment !== 'finalized' || isOpen(entry));
    const lateEntry = entries.map((entry) => isOpen(entry) && this.#late.use(keyOf(entry))).find((late) => late);
    const beyond = [...(end === -1 ? [] : entries.slice(end)), ...newest];
    const read = beyond.filter((entry) => entry.error === null && !isOpen(entry));
    return {
      progress: {
        cursor: end === -1 ? entries.at(-1) : entries[end - 1],
        readBeyond: read.slice(-MAX_SHARED).map(sharedKeyOf),
      },
      isUnfinished: from < queue.length && failures < FAILURES_A_TURN,
      failure: lateEntry ? lateEntry.reason : undefined,
    };
  }

  /** Reads entries, and notes those that are unreadable for good. @returns reasons of those that are to be read again */
  async #readChunk(chunk: readonly AddressSignature[]): Promise<Map<string, unknown>> {
    const { unreadable, logger } = this.options;
    const failures = await recordCredits(this.options, chunk);
    const refused = chunk.filter(({ signature }) => isUnreadable(failures.get(signature)));
    const noted = await unreadable.note(refused);
    for (const signature of noted) {
      const fields = { signature, err: failures.get(signature) };
      logger.warn({ event: 'deposit.transaction_skipped', ...fields }, 'Transaction not readable; skipped');
    }
    for (const { signature } of refused) failures.delete(signature);
    return failures;
  }

  #postpone(key: string, reason: unknown): void {
    const failures = this.#late.use(key)?.failures ?? 0;
    const dueAtMs = this.options.clock.nowMs() + retryPauseMs(this.options.timing, failures);
    this.#late.keep(key, { failures: failures + 1, dueAtMs, reason });
  }
}

const sharedKeyOf = ({ signature, slot }: AddressSignature) => `${slot} ${signature}`;

/**
 * Returns the newest entries first, so that a long backlog does not delay them, then the others from the oldest on, and
 * at last those that could not be read before and are due again.
 */
function inOrder(
  open: readonly AddressSignature[],
  lateOf: (entry: AddressSignature) => LateEntry | undefined,
  nowMs: number,
): AddressSignature[] {
  const fresh = open.filter((entry) => !lateOf(entry));
  const due = open.filter((entry) => (lateOf(entry)?.dueAtMs ?? Infinity) <= nowMs);
  return [...fresh.slice(-TRANSACTIONS_AT_ONCE), ...fresh.slice(0, -TRANSACTIONS_AT_ONCE), ...due];
}
