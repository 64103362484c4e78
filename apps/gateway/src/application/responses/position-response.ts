import { predictionV1 } from '@agent-wallet/contracts';
import { averageCents, averageDollars, centsDown, contracts, dollarsText, orNull, worthUsdMicros } from './cents.js';
import { type ExactJson, usdNumber } from './exact-json.js';
import { sideName } from './order-response.js';

const { SettlementResult } = predictionV1;

const RESULT_NAMES: Readonly<Record<number, string>> = {
  [SettlementResult.SETTLEMENT_RESULT_WON]: 'won',
  [SettlementResult.SETTLEMENT_RESULT_LOST]: 'lost',
  [SettlementResult.SETTLEMENT_RESULT_VOID]: 'void',
  [SettlementResult.SETTLEMENT_RESULT_SCALAR]: 'scalar',
};

/** Positions, and how many there are of each kind. */
export function positionsResponse(answer: predictionV1.ListPositionsResponse): ExactJson {
  const { positions, openPositions, settledPositions } = answer;
  const totalPositions = openPositions + settledPositions;
  return {
    positions: positions.map(positionResponse),
    summary: { totalPositions, openPositions, settledPositions },
  };
}

function positionResponse(position: predictionV1.Position): ExactJson {
  const { quantityHundredths, costUsdMicros, currentPriceUsdMicros: price } = position;
  const worth = price === undefined ? undefined : worthUsdMicros(quantityHundredths, price);
  return {
    ticker: position.ticker,
    eventTicker: position.eventTicker,
    side: sideName(position.side),
    quantity: contracts(quantityHundredths),
    lockedQuantity: contracts(position.lockedHundredths),
    averagePrice: averageCents(costUsdMicros, quantityHundredths),
    averagePriceDollars: averageDollars(costUsdMicros, quantityHundredths),
    totalCostDollars: usdNumber(costUsdMicros),
    currentPrice: orNull(price, centsDown),
    currentPriceDollars: orNull(price, dollarsText),
    currentValueDollars: orNull(worth, usdNumber),
    unrealizedPnlDollars: orNull(worth, (micros) => usdNumber(micros - costUsdMicros)),
    settled: position.settled,
    settlementResult: RESULT_NAMES[position.result] ?? null,
    settlementPayoutDollars: orNull(position.payoutUsdMicros, usdNumber),
  };
}

/** The prediction balance: cents rounded down, dollars exactly. */
export function predictionBalanceResponse(balance: predictionV1.GetBalanceResponse): ExactJson {
  return {
    balanceCents: centsDown(balance.balanceUsdMicros),
    balanceDollars: usdNumber(balance.balanceUsdMicros),
    reservedCents: centsDown(balance.reservedUsdMicros),
    reservedDollars: usdNumber(balance.reservedUsdMicros),
    availableCents: centsDown(balance.availableUsdMicros),
    availableDollars: usdNumber(balance.availableUsdMicros),
  };
}
