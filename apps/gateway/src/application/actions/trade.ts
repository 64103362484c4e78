import { present, type SwapService } from '../../ports/services.js';
import {
  type Commanded,
  type DryRunAction,
  type ExplorerUrl,
  type Operation,
  type OperationCall,
  landedFields,
  operationOf,
} from '../operations/operation.js';
import { tradeFields } from '../responses/trade-response.js';

/** A trade as its route checked it, with defaults filled in. */
export type TradeInput = {
  readonly from: string;
  readonly to: string;
  readonly amount: string;
  readonly slippageBps: number;
  readonly allowRisky: boolean;
};

/** Trades of one token for another, carried out by the swap service. */
export class Trade implements DryRunAction<TradeInput> {
  readonly name = 'trade';

  constructor(
    private readonly swap: SwapService,
    private readonly explorerUrl: ExplorerUrl,
  ) {}

  reach(): Promise<void> {
    return this.swap.reach();
  }

  async perform({ agentId, input }: Commanded<TradeInput>, { deadlineMs, ...call }: OperationCall): Promise<Operation> {
    const trade = await this.swap.trade({ agentId, ...input, ...call }, deadlineMs);
    return operationOf(trade, {
      message: 'Trade confirmed.',
      data: () => ({ ...landedFields(call.operationId, trade.signature, this.explorerUrl), ...tradeFields(trade) }),
    });
  }

  async dryRun({ agentId, input }: Commanded<TradeInput>) {
    const { trade, dryRun } = await this.swap.dryRunTrade({ agentId, ...input });
    return { data: tradeFields(present(trade, 'trade')), dryRun: present(dryRun, 'dryRun') };
  }
}
