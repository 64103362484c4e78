import type { policyV1 } from '@agent-wallet/contracts';
import type { GrpcController } from '@agent-wallet/platform';
import type { RecoveryUseCases } from '../use-cases.js';
import { readWallets, recoveredMessage, recoveryMessage } from './messages.js';

const MAX_LISTED = 1_000;

/** Handles the gRPC methods of recoveries. */
export function recoveryService(useCases: RecoveryUseCases): GrpcController<policyV1.RecoveryServiceService> {
  const { recoveries, getting, reporting, starting, releasing } = useCases;
  return {
    getRecovery: async ({ countWallets = false }) => recoveryMessage(await getting.execute(countWallets)),
    reportWallets: async ({ recoveryId, wallets, isLastPage }) => {
      await reporting.execute(recoveryId, readWallets(wallets), isLastPage);
      return {};
    },
    startRecovery: async ({ sinceMs, ...note }) => starting.execute(note, Number(sinceMs)),
    listRecovered: async () => recoveredMessage(await recoveries.counted(MAX_LISTED)),
    unfreezeTreasury: async (note) => releasing.execute(note),
  };
}
