import type { predictionV1 } from '@agent-wallet/contracts';
import type { GrpcController } from '@agent-wallet/platform';
import type { LedgerAdministration } from '../application/ledger/ledger-administration.js';
import { toReconcileResponse } from './ledger-messages.js';

/** Handles the gRPC methods of the ledger, for the people who run the service. */
export function ledgerService(ledger: LedgerAdministration): GrpcController<predictionV1.LedgerServiceService> {
  return {
    reconcile: async () => toReconcileResponse(await ledger.reconcile()),
    attributeFunds: async ({ location, amountUsdMicros, operator, reason }) => ({
      amountUsdMicros: await ledger.attributeFunds(location, amountUsdMicros, { operator, reason }),
    }),
    resumeOrders: async ({ operator, reason }) => ({ changed: await ledger.resumeOrders({ operator, reason }) }),
    abandonOrder: async ({ operationId, operator, reason }) => ({
      changed: await ledger.abandonOrder(operationId, { operator, reason }),
    }),
  };
}
