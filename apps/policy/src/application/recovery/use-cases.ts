import type { GetRecovery, ListRecovered, ReleaseTreasury, ReportWallets, StartRecovery } from './manage-recovery.js';

/** What policy does about recoveries for its callers, by the names of its methods. */
export interface RecoveryUseCases {
  readonly getRecovery: GetRecovery;
  readonly reportWallets: ReportWallets;
  readonly startRecovery: StartRecovery;
  readonly listRecovered: ListRecovered;
  readonly releaseTreasury: ReleaseTreasury;
}

/** Under which RecoveryUseCases are injected. */
export const RECOVERY_USE_CASES = Symbol('RecoveryUseCases');
