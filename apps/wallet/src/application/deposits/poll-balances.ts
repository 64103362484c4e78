import type { Logger } from '@agent-wallet/platform';
import { type ChainAccount, readTokenAccount } from '@agent-wallet/solana';
import type { DepositTiming } from '../../domain/deposits/timing.js';
import type { DepositChain } from '../../ports/deposit-chain.js';
import type { PolledAccount, WatchedAccountStore } from '../../ports/watched-account-store.js';
import type { DepositCheckpoint } from './checkpoint.js';

/** Dependencies of polling. */
export interface PollOptions {
  readonly chain: Pick<DepositChain, 'accounts'>;
  readonly watched: WatchedAccountStore;
  readonly timing: DepositTiming;
  /** Batches that are read at once. */
  readonly callsInFlight: number;
  readonly logger: Logger;
  readonly checkpoint: DepositCheckpoint;
  /** Called once accounts are due to be read. */
  readonly onReadsDue: () => void;
}

/**
 * Reads the balances that are due, a hundred in one call, and has the accounts read whose balance is another one.
 * A balance only says that something happened; what it was is read from the account's transactions.
 * @returns whether more may be due
 */
export async function pollBalances(options: PollOptions): Promise<boolean> {
  const batches = await options.watched.claimBatches(options.callsInFlight);
  await Promise.all([...batches].map(([number, batch]) => pollBatch(options, number, batch)));
  return batches.size === options.callsInFlight;
}

async function pollBatch(
  { chain, watched, timing, logger, checkpoint, onReadsDue }: PollOptions,
  number: string,
  batch: readonly PolledAccount[],
): Promise<void> {
  try {
    if (batch.length > 0) {
      const { slot, accounts } = await chain.accounts(batch.map(({ address }) => address));
      await checkpoint('after-looking');
      const seen = batch.map((account, i) => ({ ...account, now: balanceOf(account, accounts[i] ?? null) }));
      const changed = seen.filter(({ balance, balanceSlot, now }) => now !== balance && slot >= balanceSlot);
      await watched.noteChanges(changed.map(({ address, now }) => ({ address, balance: now, slot })));
      await checkpoint('after-noting-changes');
      if (changed.length > 0) onReadsDue();
    }
    await watched.releaseBatch(number, timing.pollIntervalMs);
  } catch (err) {
    logger.warn({ event: 'deposit.balance_poll_failed', batch: number, err }, 'Balances not polled; retrying');
    await watched.releaseBatch(number, timing.pollIntervalMs);
  }
}

function balanceOf({ address, wallet }: PolledAccount, account: ChainAccount | null): bigint {
  if (address === wallet) return account?.lamports ?? 0n;
  const tokens = readTokenAccount(account);
  return tokens?.owner === wallet ? tokens.amount : 0n;
}
