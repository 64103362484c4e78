import { Controller, Inject } from '@nestjs/common';
import { Buy } from '../../application/actions/buy.js';
import { Sell } from '../../application/actions/sell.js';
import { Withdraw } from '../../application/actions/withdraw.js';
import { RunOperation } from '../../application/operations/run-operation.js';
import type { ApiResponse } from '../../ports/idempotency-store.js';
import { buyRoute, sellRoute, withdrawRoute } from '../contract/prediction-routes.js';
import { Command, type CommandOf, Serves } from '../serves.js';

/** An agent's orders, and withdrawals of its prediction money. */
@Controller()
export class PredictionActionsController {
  constructor(
    @Inject(RunOperation) private readonly operations: RunOperation,
    @Inject(Buy) private readonly buying: Buy,
    @Inject(Sell) private readonly selling: Sell,
    @Inject(Withdraw) private readonly withdrawing: Withdraw,
  ) {}

  @Serves(buyRoute)
  buy(@Command() command: CommandOf<typeof buyRoute>): Promise<ApiResponse> {
    return this.operations.runOrDryRun(this.buying, command);
  }

  @Serves(sellRoute)
  sell(@Command() command: CommandOf<typeof sellRoute>): Promise<ApiResponse> {
    return this.operations.runOrDryRun(this.selling, command);
  }

  @Serves(withdrawRoute)
  withdraw(@Command() command: CommandOf<typeof withdrawRoute>): Promise<ApiResponse> {
    return this.operations.run(this.withdrawing, command);
  }
}
