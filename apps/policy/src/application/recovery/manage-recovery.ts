import { checkOperatorNote, AppError, type Clock } from '@agent-wallet/kernel';
import { isWalletAddress } from '@agent-wallet/solana';
import type { PolicyChain } from '../../ports/chain.js';
import type { RecoveryStore, RecoveringWallet, RecoveryNote, RecoveryStatus } from '../../ports/recovery-store.js';

const MAX_WALLETS = 1_000;

/** Progress of a recovery. */
export interface RecoveryProgress extends RecoveryStatus {
  /** Number of blocks that must be finalized before the chain is read; undefined when that is not known, or over. */
  readonly blocksRemaining: number | undefined;
}

/** Reports how far a recovery is. */
export class GetRecovery {
  constructor(
    private readonly recoveries: RecoveryStore,
    private readonly chain: Pick<PolicyChain, 'finalizedHead'>,
  ) {}

  async execute(countWallets: boolean): Promise<RecoveryProgress> {
    const status = await this.recoveries.status(countWallets);
    if (status.lastHeight === undefined || status.isChainRead) return { ...status, blocksRemaining: undefined };
    // Who asks wants to know how far it is, even when the node does not answer.
    const head = await this.chain.finalizedHead({ maxAgeMs: 1_000 }).catch(() => undefined);
    return { ...status, blocksRemaining: head && Math.max(status.lastHeight + 1 - head.blockHeight, 0) };
  }
}

/** Takes the wallets whose transactions are to be read from the service that keeps them. */
export class ReportWallets {
  /** @param operators addresses of the operator's wallets that sign */
  constructor(
    private readonly recoveries: RecoveryStore,
    private readonly operators: readonly string[],
  ) {}

  /** @throws AppError VALIDATION_ERROR */
  async execute(recoveryId: number, wallets: readonly RecoveringWallet[], isLast: boolean): Promise<void> {
    if (wallets.length > MAX_WALLETS) throw AppError.field('wallets', `must have at most ${MAX_WALLETS} entries`);
    for (const { address } of wallets) {
      if (!isWalletAddress(address)) throw AppError.field('wallets.address', 'must be the address of a wallet');
    }
    const own = this.operators.map((address) => ({ address, agentId: undefined }));
    await this.recoveries.addWallets(recoveryId, [...own, ...wallets], isLast);
  }
}

/** Begins a recovery by hand: of a database that was restored in a way that cannot be detected. */
export class StartRecovery {
  constructor(
    private readonly recoveries: RecoveryStore,
    private readonly clock: Clock,
  ) {}

  /** @param sinceMs Unix milliseconds; what happened before is known @throws AppError VALIDATION_ERROR */
  async execute(note: RecoveryNote, sinceMs: number): Promise<{ readonly changed: boolean }> {
    checkOperatorNote(note);
    if (sinceMs < 0 || sinceMs > this.clock.nowMs()) throw AppError.field('sinceMs', 'must be a time in the past');
    return { changed: await this.recoveries.order(note, sinceMs) };
  }
}

/** Lets money go to the treasury and come from it again, once ledger and exchange have been compared. */
export class UnfreezeTreasury {
  constructor(private readonly recoveries: RecoveryStore) {}

  /** @throws AppError VALIDATION_ERROR */
  async execute(note: RecoveryNote): Promise<{ readonly changed: boolean }> {
    checkOperatorNote(note);
    return { changed: await this.recoveries.unfreezeTreasury(note) };
  }
}
