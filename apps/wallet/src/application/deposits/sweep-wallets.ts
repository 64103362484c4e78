import type { Logger } from '@agent-wallet/platform';
import { associatedTokenAddress, TOKEN_PROGRAM } from '@agent-wallet/solana';
import type { TokenRegistry } from '../../domain/token-registry.js';
import type { DepositChain } from '../../ports/deposit-chain.js';
import type { SweptWallet, WatchedAccountStore } from '../../ports/watched-account-store.js';
import type { DepositCheckpoint } from './checkpoint.js';

/** Dependencies of a sweep. */
interface SweepOptions {
  readonly chain: Pick<DepositChain, 'walletHoldings'>;
  readonly watched: WatchedAccountStore;
  readonly registry: TokenRegistry;
  readonly logger: Logger;
  readonly checkpoint: DepositCheckpoint;
  /** Called once accounts are due to be read. */
  readonly onReadsDue: () => void;
}

/**
 * Reads the wallets that were not read for the longest time. An associated account that anyone opened for a wallet
 * names the wallet, and what came and went between two polls is in the list. Now and then all token accounts that a
 * wallet owns are listed and read as well, however they came to be.
 * @returns false: what more is due waits for the next round, which keeps the pace
 */
export async function sweepWallets({
  chain,
  watched,
  registry,
  logger,
  checkpoint,
  onReadsDue,
}: SweepOptions): Promise<boolean> {
  const wallets = await watched.claimSweeps();
  if (wallets.length > 0) onReadsDue();
  const sweep = async (swept: SweptWallet): Promise<void> => {
    const { wallet } = swept;
    try {
      const { slot, tokens } = await chain.walletHoldings(wallet);
      await checkpoint('after-finding-accounts');
      await watched.noteFullSweep(swept, [
        ...expectedAccounts(wallet, registry),
        ...tokens.map(({ account }) => account),
      ]);
      // For the accounts that are not polled.
      await watched.noteChanges(tokens.map(({ account, amount }) => ({ address: account, balance: amount, slot })));
    } catch (err) {
      logger.warn({ event: 'deposit.account_sweep_failed', wallet, err }, 'Token accounts not listed; retrying');
    }
  };
  const full = wallets.filter(({ isFull }) => isFull);
  await Promise.all(full.map(sweep));
  if (full.length > 0) onReadsDue();
  return false;
}

function expectedAccounts(owner: string, { expectedMints }: TokenRegistry): string[] {
  return expectedMints.map((mint) => associatedTokenAddress({ owner, mint, tokenProgram: TOKEN_PROGRAM }));
}
