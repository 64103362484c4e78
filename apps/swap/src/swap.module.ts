import { type OperationEngine, OperationsController, OperatorDesk } from '@agent-wallet/operations';
import type { DynamicModule } from '@nestjs/common';
import { PreviewTrade } from './application/preview-trade.js';
import type { TradeKind } from './application/trade-kind.js';
import { Trade } from './application/trade.js';
import { SWAP_USE_CASES, type SwapUseCases } from './application/use-cases.js';
import { SwapController } from './grpc/swap.controller.js';
import type { PolicyCheck } from './ports/policy-check.js';

/** What the use cases work with, opened by the start. */
export interface SwapModuleParts {
  readonly trades: TradeKind;
  readonly engine: OperationEngine;
  readonly policy: PolicyCheck;
  readonly desk: OperatorDesk;
}

/** Binds the use cases to their gRPC surface. */
export class SwapModule {
  static with({ trades, engine, policy, desk }: SwapModuleParts): DynamicModule {
    const useCases: SwapUseCases = {
      trade: new Trade(trades, engine),
      previewTrade: new PreviewTrade(trades, policy),
    };
    return {
      module: SwapModule,
      controllers: [SwapController, OperationsController],
      providers: [
        { provide: SWAP_USE_CASES, useValue: useCases },
        { provide: OperatorDesk, useValue: desk },
      ],
    };
  }
}
