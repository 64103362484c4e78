import {
  DOLLAR_USD_MICROS,
  type PriceLevel,
  roundingAllowanceUsdMicros,
  worstTakerFeeUsdMicros,
} from '@agent-wallet/kalshi';
import { AppError, formatAmount } from '@agent-wallet/kernel';
import { costUp } from '../../domain/ledger/amounts.js';
import { COUNT_DECIMALS } from '../../domain/orders/filled-amounts.js';
import { assertOnTick, sellLimit } from '../../domain/orders/limit-price.js';
import type { PlannedOrder } from '../../domain/orders/order-plan.js';
import type { SellRequest } from '../../domain/orders/order-request.js';
import { levelsFor, fetchMarket, type MarketSnapshot, unavailable } from '../orders/market-snapshot.js';
import type { OperatorsMoney } from '../orders/operators-money.js';
import type { SaleTerms } from '../access/policy-stops.js';
import type { OperationDependencies } from '../operations/dependencies.js';

/** A sale as it would be done now. */
interface PlannedSale {
  readonly order: PlannedOrder;
  /** Whether a bid is within the agent's limit. */
  readonly isMet: boolean;
  readonly look: MarketSnapshot;
  /** Bids in the market, the best price first. */
  readonly levels: readonly PriceLevel[];
}

/** Works out what a sale means now. Only reads. */
export class PlanSell {
  constructor(
    private readonly dependencies: OperationDependencies,
    private readonly money: OperatorsMoney,
  ) {}

  /** Returns INSUFFICIENT_POSITION, or undefined when the agent holds enough free contracts. */
  async shortfall(
    agentId: string,
    { ticker, side, count }: Pick<SellRequest, 'ticker' | 'side' | 'count'>,
  ): Promise<AppError | undefined> {
    const free = await this.dependencies.ledger.freeContractsOf(agentId, ticker, side);
    if (free >= count) return undefined;
    const [requestedCount, availableCount] = [contractsOf(count), contractsOf(free)];
    return new AppError('INSUFFICIENT_POSITION', {
      message: `Insufficient position: ${requestedCount} requested, ${availableCount} available. Sell less.`,
      data: { ticker, side, requestedCount, availableCount },
    });
  }

  /**
   * @throws AppError VALIDATION_ERROR, NOT_FOUND, INSUFFICIENT_POSITION, MARKET_CLOSED, MARKET_PAUSED, NO_LIQUIDITY, SERVICE_UNAVAILABLE, or
   *   what those throw who are asked
   */
  async execute(agentId: string, request: SellRequest, terms: SaleTerms): Promise<PlannedSale> {
    const [planned, shortfall] = await Promise.all([this.quote(request, terms), this.shortfall(agentId, request)]);
    if (shortfall) throw shortfall;
    const { order, isMet, look, levels } = planned;
    if (!isMet) return planned;
    await Promise.all([
      this.money.assertTreasuryCovers(costUp(levels[0]!.priceUsdMicros, order.count)),
      this.#assertCollateral(order, look),
    ]);
    return planned;
  }

  /**
   * Plans a sale by the market alone. It does not check what the agent holds.
   * @throws AppError VALIDATION_ERROR, NOT_FOUND, MARKET_CLOSED, MARKET_PAUSED, NO_LIQUIDITY, SERVICE_UNAVAILABLE
   */
  async quote({ ticker, side, count, minPriceUsdMicros }: SellRequest, terms: SaleTerms): Promise<PlannedSale> {
    const { dependencies } = this;
    const look = await fetchMarket(dependencies, { ticker, side });
    const { market, book } = look;
    const { eventTicker, exchangeIndex, priceRanges } = market;
    assertOnTick('minPriceDollars', minPriceUsdMicros, { side, priceRanges });
    const action = 'sell' as const;
    const levels = levelsFor(book, { action, side });
    const { toleranceUsdMicros } = dependencies;
    const { limitUsdMicros, isMet } = sellLimit({
      ticker: market.ticker,
      side,
      levels,
      count,
      wantedUsdMicros: minPriceUsdMicros,
      asks: levelsFor(book, { action: 'buy', side }),
      maxLossBps: terms.maxTradeLossBps,
      toleranceUsdMicros,
      priceRanges,
    });
    const order: PlannedOrder = {
      ticker: market.ticker,
      eventTicker,
      exchangeIndex,
      action,
      side,
      count,
      limitUsdMicros,
      askedAtMs: dependencies.clock.nowMs(),
    };
    return { order, isMet, look, levels };
  }

  /**
   * Rejects a sale without collateral. To the exchange a sale is a purchase of the other side. Our one account's
   * holdings of this side pay for it; where agents' positions have netted each other away, cash has to.
   */
  async #assertCollateral(order: PlannedOrder, { fees }: MarketSnapshot): Promise<void> {
    const { count, limitUsdMicros: limit } = order;
    const fee =
      worstTakerFeeUsdMicros(fees, count, { fromUsdMicros: limit, toUsdMicros: DOLLAR_USD_MICROS }) +
      roundingAllowanceUsdMicros(count);
    const collateral = (opened: bigint) => costUp(DOLLAR_USD_MICROS - limit, opened);
    if (await this.money.hasCash(collateral(count) + fee)) return;
    const net = (await this.dependencies.exchange.positions()).get(order.ticker) ?? 0n;
    const held = order.side === 'yes' ? net : -net;
    const opened = held >= count ? 0n : held > 0n ? count - held : count;
    // What closes a position brings more than its fee.
    if (opened > 0n && !(await this.money.hasCash(collateral(opened) + fee))) {
      throw unavailable('The operator has too little money at the exchange.');
    }
  }
}

function contractsOf(hundredths: bigint): number {
  return Number(formatAmount(hundredths, COUNT_DECIMALS));
}
