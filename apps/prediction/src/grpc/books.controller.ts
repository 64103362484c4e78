import { predictionV1 } from '@agent-wallet/contracts';
import type { GrpcController } from '@agent-wallet/platform';
import { Controller, Inject } from '@nestjs/common';
import { Bookkeeping } from '../application/ledger/bookkeeping.js';
import { toReconcileResponse } from './books-messages.js';

/** The gRPC surface of the books, for the people who run the service. */
@Controller()
export class BooksController implements GrpcController<predictionV1.BooksServiceService> {
  constructor(@Inject(Bookkeeping) private readonly bookkeeping: Bookkeeping) {}

  async reconcile(): Promise<predictionV1.ReconcileResponse> {
    return toReconcileResponse(await this.bookkeeping.reconcile());
  }

  async attributeFunds(message: predictionV1.AttributeFundsRequest): Promise<predictionV1.AttributeFundsResponse> {
    const { place, amountUsdMicros, operator, reason } = message;
    return {
      amountUsdMicros: await this.bookkeeping.attributeFunds(place, amountUsdMicros, { operator, reason }),
    };
  }

  async resumeOrders({
    operator,
    reason,
  }: predictionV1.ResumeOrdersRequest): Promise<predictionV1.ResumeOrdersResponse> {
    return { changed: await this.bookkeeping.resumeOrders({ operator, reason }) };
  }

  async giveUpOrder(message: predictionV1.GiveUpOrderRequest): Promise<predictionV1.GiveUpOrderResponse> {
    const { operationId, operator, reason } = message;
    return { changed: await this.bookkeeping.giveUpOrder(operationId, { operator, reason }) };
  }
}
