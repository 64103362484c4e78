import { Controller, Inject } from '@nestjs/common';
import { Trade } from '../../application/actions/trade.js';
import { Transfer } from '../../application/actions/transfer.js';
import { Unwrap } from '../../application/actions/unwrap.js';
import { RunOperation } from '../../application/operations/run-operation.js';
import type { ApiResponse } from '../../ports/idempotency-store.js';
import { tradeRoute } from '../contract/trade-route.js';
import { transferRoute, unwrapRoute } from '../contract/wallet-routes.js';
import { Command, type CommandOf, Serves } from '../serves.js';

/** Moves of the wallet's money. */
@Controller()
export class ActionsController {
  constructor(
    @Inject(RunOperation) private readonly operations: RunOperation,
    @Inject(Transfer) private readonly transferring: Transfer,
    @Inject(Trade) private readonly trading: Trade,
    @Inject(Unwrap) private readonly unwrapping: Unwrap,
  ) {}

  @Serves(transferRoute)
  transfer(@Command() command: CommandOf<typeof transferRoute>): Promise<ApiResponse> {
    return this.operations.runOrDryRun(this.transferring, command);
  }

  @Serves(tradeRoute)
  trade(@Command() command: CommandOf<typeof tradeRoute>): Promise<ApiResponse> {
    return this.operations.runOrDryRun(this.trading, command);
  }

  @Serves(unwrapRoute)
  unwrap(@Command() command: CommandOf<typeof unwrapRoute>): Promise<ApiResponse> {
    return this.operations.runOrDryRun(this.unwrapping, command);
  }
}
