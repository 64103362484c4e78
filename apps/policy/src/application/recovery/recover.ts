import type { Logger } from '@agent-wallet/platform';
import { lastHeightOf } from '../../domain/attempt.js';
import type { PolicyChain } from '../../ports/chain.js';
import type { OpenRecovery, RecoveryStore, RecoveringWallet } from '../../ports/recovery-store.js';
import type { ReadWallet } from './read-wallet.js';

const WALLETS_AT_ONCE = 4;

/** Dependencies of carrying out a recovery. */
export interface RecoverDependencies {
  readonly recoveries: RecoveryStore;
  readonly chain: Pick<PolicyChain, 'head' | 'finalizedHead'>;
  readonly read: Pick<ReadWallet, 'execute'>;
  /** Blocks that a node may lag. */
  readonly marginBlocks: number;
  readonly logger: Logger;
}

/**
 * Begins a recovery where one is due, and takes it one step further: waits until nothing of before can land, then reads
 * what has landed for every wallet. Each step is kept, so that any replica goes on from there.
 */
export class Recover {
  constructor(private readonly dependencies: RecoverDependencies) {}

  /** Begins a recovery where one is due. @throws AppError of the database */
  async notice(): Promise<void> {
    const { recoveries, logger } = this.dependencies;
    if (await recoveries.detect())
      logger.warn({ event: 'recovery.started' }, 'Restore detected; permits suspended until the chain scan ends');
  }

  /** Runs one round; true when there is more to do at once. @throws AppError of the chain and the database */
  async execute(): Promise<boolean> {
    const { recoveries, logger } = this.dependencies;
    await this.notice();
    const recovery = await recoveries.open();
    if (!recovery) return false;
    if (!(await this.#canNothingLand(recovery)) || !recovery.areWalletsReported) return false;
    const wallets = await recoveries.claimWallets(WALLETS_AT_ONCE);
    if (wallets.length > 0) {
      await Promise.all(wallets.map((wallet) => this.#read(recovery, wallet)));
      return true;
    }
    if (await recoveries.end(recovery.id))
      logger.info({ event: 'recovery.completed', recoveryId: recovery.id }, 'Chain scan complete; permits resumed');
    return false;
  }

  /**
   * Returns whether everything permitted before is finalized or can never land. A message's blockhash is older than its
   * permit, and therefore older than a block that is read now.
   */
  async #canNothingLand({ id, lastHeight, readAtSlot }: OpenRecovery): Promise<boolean> {
    const { recoveries, chain, marginBlocks } = this.dependencies;
    if (readAtSlot !== undefined) return true;
    if (lastHeight === undefined) {
      const { blockHeight } = await chain.head();
      await recoveries.keepLastHeight(id, lastHeightOf(blockHeight, marginBlocks));
      return false;
    }
    const finalized = await chain.finalizedHead();
    if (finalized.blockHeight <= lastHeight) return false;
    await recoveries.keepReadSlot(id, finalized.slot);
    // The next round reads what was kept, be it another replica's.
    return false;
  }

  async #read(recovery: OpenRecovery, wallet: RecoveringWallet): Promise<void> {
    const { recoveries, read, logger } = this.dependencies;
    try {
      await read.execute(recovery, wallet);
      await recoveries.noteRead(wallet.address);
    } catch (err) {
      const fields = { event: 'recovery.wallet_scan_failed', wallet: wallet.address, err } as const;
      logger.warn(fields, 'Wallet transactions could not be read; retrying');
    }
  }
}
