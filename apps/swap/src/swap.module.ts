import { OperatorService, OperationsController } from '@agent-wallet/operations';
import type { DynamicModule } from '@nestjs/common';
import { DryRunTrade, Trade } from './application/trade.js';
import type { SwapDependencies } from './dependencies.js';
import { SwapController } from './grpc/swap.controller.js';

/** Binds the use cases to their gRPC surface. */
export class SwapModule {
  static with({ trades, engine, policy, operators }: SwapDependencies): DynamicModule {
    return {
      module: SwapModule,
      controllers: [SwapController, OperationsController],
      providers: [
        { provide: Trade, useValue: new Trade(trades, engine) },
        { provide: DryRunTrade, useValue: new DryRunTrade(trades, policy) },
        { provide: OperatorService, useValue: operators },
      ],
    };
  }
}
