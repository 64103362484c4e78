import { type PriceLevel, roundingAllowanceUsdMicros, worstTakerFeeUsdMicros } from '@agent-wallet/kalshi';
import { costUp } from '../../domain/ledger/amounts.js';
import { assertOnTick, buyLimit } from '../../domain/orders/limit-price.js';
import type { ApprovedBuy, BuyPlan, In } from '../../domain/orders/order-plan.js';
import type { BuyRequest } from '../../domain/orders/order-request.js';
import { levelsFor, fetchMarket, type MarketSnapshot, unavailable } from '../orders/market-snapshot.js';
import type { OperatorsMoney } from '../orders/operators-money.js';
import type { OperationDependencies } from '../operations/dependencies.js';
import { assertUsdcIsADollar } from '../orders/usdc-price.js';

/** A buy as it would be done now. */
interface PlannedBuy {
  readonly plan: In<BuyPlan, 'escrowing' | 'beyond_limit'>;
  readonly look: MarketSnapshot;
  /** Offers in the market, the best price first. */
  readonly levels: readonly PriceLevel[];
}

/** Works out what a buy means now. Only reads. */
export class PlanBuy {
  constructor(
    private readonly dependencies: OperationDependencies,
    private readonly money: OperatorsMoney,
  ) {}

  /**
   * @param approved the terms that an owner has approved: the buy costs at most that, or is beyond its limit
   * @throws AppError VALIDATION_ERROR, NOT_FOUND, MARKET_CLOSED, MARKET_PAUSED, NO_LIQUIDITY, SERVICE_UNAVAILABLE, or what those throw who
   *   are asked
   */
  async execute({ ticker, side, count, maxPriceUsdMicros }: BuyRequest, approved?: ApprovedBuy): Promise<PlannedBuy> {
    const { dependencies } = this;
    const [look] = await Promise.all([
      fetchMarket(dependencies, { ticker, side }),
      assertUsdcIsADollar(dependencies.prices),
    ]);
    const { market, book, fees } = look;
    const { eventTicker, exchangeIndex, priceRanges } = market;
    assertOnTick('maxPriceDollars', maxPriceUsdMicros, { side, priceRanges });
    const action = 'buy' as const;
    const levels = levelsFor(book, { action, side });
    const { toleranceUsdMicros } = dependencies;
    const { limitUsdMicros, isMet } = buyLimit({
      ticker: market.ticker,
      side,
      levels,
      count,
      wantedUsdMicros: approved?.order.limitUsdMicros ?? maxPriceUsdMicros,
      toleranceUsdMicros,
      priceRanges,
    });
    const order = {
      ticker: market.ticker,
      eventTicker,
      exchangeIndex,
      action,
      side,
      count,
      limitUsdMicros,
      askedAtMs: dependencies.clock.nowMs(),
    };
    if (!isMet) return { plan: { state: 'beyond_limit', order }, look, levels };
    const escrow =
      costUp(limitUsdMicros, count) +
      worstTakerFeeUsdMicros(fees, count, { fromUsdMicros: 0n, toUsdMicros: limitUsdMicros }) +
      roundingAllowanceUsdMicros(count);
    // The exchange's fee has risen since.
    if (approved && escrow > approved.escrowUsdMicros) return { plan: { state: 'beyond_limit', order }, look, levels };
    if (!(await this.money.hasCash(escrow))) throw unavailable('The operator has too little money at the exchange.');
    const attempt = (approved?.attempt ?? 0) + 1;
    return { plan: { state: 'escrowing', order, escrowUsdMicros: escrow, attempt }, look, levels };
  }
}
