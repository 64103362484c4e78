import { OperatorService, OperationsController } from '@agent-wallet/operations';
import { isAddress } from '@agent-wallet/solana';
import type { DynamicModule } from '@nestjs/common';
import { ListPositions } from './application/liquidity/list-positions.js';
import { ProvideLiquidity } from './application/liquidity/provide-liquidity.js';
import { ReadPools } from './application/liquidity/read-pools.js';
import { DryRunTrade, Trade } from './application/trade.js';
import type { SwapDependencies } from './dependencies.js';
import { type AddRequest, checkAddition, checkRemoval, type RemoveRequest } from './domain/liquidity/liquidity.js';
import { ADD_LIQUIDITY, REMOVE_LIQUIDITY, SwapController } from './grpc/swap.controller.js';

/** Binds the use cases to their gRPC surface. */
export class SwapModule {
  static with({
    trades,
    dryTrades,
    additions,
    removals,
    pools,
    positions,
    engine,
    policy,
    operators,
  }: SwapDependencies): DynamicModule {
    const add = {
      handler: additions,
      check: (request: AddRequest) => checkAddition(request, isAddress),
      direction: 1n,
    } as const;
    const remove = {
      handler: removals,
      check: (request: RemoveRequest) => checkRemoval(request, isAddress),
      direction: -1n,
    } as const;
    return {
      module: SwapModule,
      controllers: [SwapController, OperationsController],
      providers: [
        { provide: Trade, useValue: new Trade(trades, engine) },
        { provide: DryRunTrade, useValue: new DryRunTrade(dryTrades, policy) },
        { provide: ADD_LIQUIDITY, useValue: new ProvideLiquidity(add, engine, policy) },
        { provide: REMOVE_LIQUIDITY, useValue: new ProvideLiquidity(remove, engine, policy) },
        { provide: ReadPools, useValue: pools },
        { provide: ListPositions, useValue: positions },
        { provide: OperatorService, useValue: operators },
      ],
    };
  }
}
