import type { predictionV1 } from '@agent-wallet/contracts';
import type { GrpcController } from '@agent-wallet/platform';
import { Controller, Inject } from '@nestjs/common';
import { LedgerAdministration } from '../application/ledger/ledger-administration.js';
import { toReconcileResponse } from './ledger-messages.js';

/** The gRPC surface of the ledger, for the people who run the service. */
@Controller()
export class LedgerController implements GrpcController<predictionV1.LedgerServiceService> {
  constructor(@Inject(LedgerAdministration) private readonly ledgerAdministration: LedgerAdministration) {}

  async reconcile(): Promise<predictionV1.ReconcileResponse> {
    return toReconcileResponse(await this.ledgerAdministration.reconcile());
  }

  async attributeFunds(message: predictionV1.AttributeFundsRequest): Promise<predictionV1.AttributeFundsResponse> {
    const { location, amountUsdMicros, operator, reason } = message;
    return {
      amountUsdMicros: await this.ledgerAdministration.attributeFunds(location, amountUsdMicros, { operator, reason }),
    };
  }

  async resumeOrders({
    operator,
    reason,
  }: predictionV1.ResumeOrdersRequest): Promise<predictionV1.ResumeOrdersResponse> {
    return { changed: await this.ledgerAdministration.resumeOrders({ operator, reason }) };
  }

  async abandonOrder(message: predictionV1.AbandonOrderRequest): Promise<predictionV1.AbandonOrderResponse> {
    const { operationId, operator, reason } = message;
    return { changed: await this.ledgerAdministration.abandonOrder(operationId, { operator, reason }) };
  }
}
