import { AppError, isUuid } from '@agent-wallet/kernel';
import type { OperationEngine, OperationRecord } from '@agent-wallet/operations';
import { isAddress } from '@agent-wallet/solana';
import type { TradePlan } from '../domain/trade-plan.js';
import { checkTrade, type TradeRequest } from '../domain/trade-request.js';
import type { TradeKind } from './trade-kind.js';

/** What a caller asks for. */
export interface TradeCall {
  /** UUID: the operation. */
  readonly operationId: string;
  readonly agentId: string;
  readonly request: TradeRequest;
  readonly waitMs: number;
  /** Whether a trade that has not begun never may. */
  readonly onlyIfBegun?: boolean;
}

/** A trade that landed or may land. */
export interface TradeAnswer {
  readonly isConfirmed: boolean;
  /** 64 bytes; undefined while none is known. */
  readonly signature: Uint8Array | undefined;
  readonly slippageBps: number;
  /** Undefined while the tokens are not resolved. */
  readonly plan: TradePlan | undefined;
}

/** Trades. */
export class Trade {
  constructor(
    private readonly kind: TradeKind,
    private readonly engine: Pick<OperationEngine, 'run'>,
  ) {}

  /**
   * Trades once for each operation id, and answers what is known when the wait is over.
   * @throws AppError whatever its code says, nothing moved and nothing will; only TRANSACTION_FAILED and
   *   SLIPPAGE_EXCEEDED may have cost a network fee
   */
  async execute(call: TradeCall): Promise<TradeAnswer> {
    const { operationId, agentId, request, waitMs, onlyIfBegun } = call;
    if (!isUuid(operationId) || !isUuid(agentId)) throw new AppError('VALIDATION_ERROR');
    checkTrade(request, isAddress);
    return answerOf(await this.engine.run(this.kind, { id: operationId, agentId, request, waitMs, onlyIfBegun }));
  }
}

function answerOf({ error, state, attempt, plan, request }: OperationRecord<TradeRequest, TradePlan>): TradeAnswer {
  if (error) throw error;
  const isConfirmed = state === 'confirmed';
  return { isConfirmed, signature: attempt?.signature, slippageBps: request.slippageBps, plan };
}
