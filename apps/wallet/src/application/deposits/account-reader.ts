import { RecentlyUsed } from '@agent-wallet/kernel';
import type { Logger } from '@agent-wallet/platform';
import type { AddressSignature } from '@agent-wallet/solana';
import type { FoundDeposit } from '../../domain/deposits/deposit.js';
import type { DepositChain } from '../../ports/deposit-chain.js';
import type { DepositStore } from '../../ports/deposit-store.js';
import type { UnreadAccount, WatchedAccountStore } from '../../ports/watched-account-store.js';
import type { DepositCheckpoint } from './checkpoint.js';
import type { CreditReader, LandedCredits } from './credit-reader.js';
import { listUnread } from './list-unread.js';

const ACCOUNTS_AT_ONCE = 8;
const TRANSACTIONS_AT_ONCE = 100;
/** Then others have their turn. */
const TRANSACTIONS_A_TURN = 500;
const QUIET_FAILURES = 3;
const MAX_REMEMBERED = 50_000;

/** Dependencies of the reader. */
export interface ReadOptions {
  readonly chain: Pick<DepositChain, 'signaturesForAddress'>;
  readonly credits: CreditReader;
  readonly watched: WatchedAccountStore;
  readonly deposits: DepositStore;
  /** Transactions that are known to be no deposit for a wallet: they are not read for it. */
  readonly landings: { has(signature: string, wallet: string): boolean };
  readonly logger: Logger;
  readonly checkpoint: DepositCheckpoint;
}

/** The result of a reading. */
interface Reading {
  readonly cursor: AddressSignature | undefined;
  readonly isUnfinished: boolean;
  /** Reason that an entry could not be read; undefined when all were read. */
  readonly failure: unknown;
}

/** Reads accounts' transactions from their cursors on, the oldest first, and keeps what agents got by them. */
export class AccountReader {
  /** Entries beyond the cursors that were read already, so that none is read again until it is finalized. */
  readonly #read = new RecentlyUsed<true>(MAX_REMEMBERED);
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
    const retry = async (err: unknown, cursor?: AddressSignature): Promise<void> => {
      const fields = { account: account.address, err };
      // A node that lags a little is nothing to warn of.
      if (account.failures < QUIET_FAILURES)
        logger.debug({ event: 'deposit.account_read_delayed', ...fields }, 'Account not readable yet; retrying');
      else logger.warn({ event: 'deposit.account_read_failed', ...fields }, 'Account could not be read; retrying');
      await watched.noteRead(account, cursor, 'retry');
    };
    let entries: AddressSignature[];
    try {
      entries = await listUnread(chain, account);
      await checkpoint('after-listing');
    } catch (err) {
      return retry(err);
    }
    const { cursor, isUnfinished, failure } = await this.#readEntries(account, entries);
    if (failure !== undefined) return retry(failure, cursor);
    await watched.noteRead(account, cursor, isUnfinished ? 'more' : 'done');
    await checkpoint('after-moving-the-cursor');
  }

  /**
   * Reads entries and moves the cursor over those that are finalized and read. An unreadable entry does not hold up the
   * others.
   */
  async #readEntries({ address, wallet }: UnreadAccount, entries: readonly AddressSignature[]): Promise<Reading> {
    const { landings } = this.options;
    const failed = new Map<string, unknown>();
    const keyOf = ({ signature, slot }: AddressSignature) => `${address} ${signature} ${slot}`;
    let cursor: AddressSignature | undefined;
    let canMove = true;
    let fetched = 0;
    let from = 0;
    while (from < entries.length && fetched < TRANSACTIONS_A_TURN && !this.#isStopping) {
      const chunk = entries.slice(from, (from += TRANSACTIONS_AT_ONCE));
      const unread = chunk.filter(
        (entry) => entry.error === null && !landings.has(entry.signature, wallet) && !this.#read.use(keyOf(entry)),
      );
      fetched += unread.length;
      await this.#recordCredits(unread, failed);
      for (const entry of chunk) {
        if (!failed.has(entry.signature)) this.#read.keep(keyOf(entry), true);
        canMove &&= entry.commitment === 'finalized' && !failed.has(entry.signature);
        if (canMove) cursor = entry;
      }
    }
    return { cursor, isUnfinished: from < entries.length, failure: [...failed.values()][0] };
  }

  /**
   * Stores the credits of entries, and the accounts that agents closed, which are stored now or never. Adds unreadable
   * entries to `failed`, each with the reason.
   */
  async #recordCredits(entries: readonly AddressSignature[], failed: Map<string, unknown>): Promise<void> {
    if (entries.length === 0) return;
    const { credits, deposits, watched, checkpoint } = this.options;
    const wanted = entries.map(({ signature, commitment = 'confirmed' }) => ({ signature, commitment }));
    const read = await credits.read(wanted, (signature, reason) => failed.set(signature, reason));
    await checkpoint('after-fetching');
    await deposits.record(wanted.flatMap((entry) => foundIn(entry, read.get(entry.signature))));
    await checkpoint('after-recording');
    await watched.noteFormer(wanted.flatMap(({ signature }) => read.get(signature)?.formerAccounts ?? []));
  }
}

function foundIn(
  { signature, commitment }: { readonly signature: string; readonly commitment: string },
  landed: LandedCredits | undefined,
): FoundDeposit[] {
  if (!landed) return [];
  const { slot, blockTimeMs, credits } = landed;
  return credits.map((credit) => ({
    ...credit,
    signature,
    slot,
    blockTimeMs,
    isFinalized: commitment === 'finalized',
  }));
}
