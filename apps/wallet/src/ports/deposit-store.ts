import type { Deposit, DepositChange, FoundDeposit } from '../domain/deposits/deposit.js';

/** The store of deposits: once for each signature and account, every change with its event. */
export interface DepositStore {
  /** Keeps what was not kept before, and what was dropped and has landed again. @returns how many that were */
  record(found: readonly FoundDeposit[]): Promise<number>;
  /**
   * Changes deposits from the revision that was read; those that were changed meanwhile are left alone.
   * @returns how many were changed
   */
  change(changes: ReadonlyArray<readonly [Deposit, DepositChange]>): Promise<number>;
  /** Takes pending deposits whose transactions are due to be read again. What is not finished is due again later. */
  claimPending(limit: number): Promise<Deposit[]>;
  /** Makes deposits due again after a while. */
  postpone(ids: readonly string[]): Promise<void>;
  /** Returns the agents whose wallets are among the addresses, by address. */
  agentsAmong(addresses: readonly string[]): Promise<Map<string, string>>;
}
