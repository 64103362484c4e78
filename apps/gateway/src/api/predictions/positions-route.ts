import { predictionV1 } from '@agent-wallet/contracts';
import { z } from 'zod';
import * as shown from '../../application/responses/cents.js';
import { type ExactJson, usdNumber } from '../../application/responses/exact-json.js';
import { sideName } from '../actions/order-terms.js';
import { READ } from '../catalog-routes.js';
import { defineRoute } from '../route.js';
import { TICKER } from '../schemas/examples.js';
import { optionalQueryFlag } from '../schemas/fields.js';
import { averageCents, contracts, count, dollarAmount, dollarPrice, priceCents, side } from '../schemas/units.js';

/** The result of a settled position. */
export const settlementResult = z.enum(['won', 'lost', 'void', 'scalar']).meta({ id: 'SettlementResult' });

const positionRecord = z
  .strictObject({
    ticker: z.string(),
    eventTicker: z.string(),
    side,
    quantity: contracts('Of a settled position, the contracts it had.'),
    lockedQuantity: contracts('Contracts of it that are being sold.'),
    averagePrice: averageCents().nullable().meta({ description: 'Average price in cents; null without contracts.' }),
    averagePriceDollars: dollarPrice().nullable().meta({ description: 'Rounded to 6 decimals.' }),
    totalCostDollars: dollarAmount('What the contracts cost, without fees.'),
    currentPrice: priceCents()
      .nullable()
      .meta({ description: 'The best bid now in cents, rounded down; null without one, and for one below a cent.' }),
    currentPriceDollars: dollarPrice().nullable(),
    currentValueDollars: dollarAmount().nullable().meta({ description: 'The contracts at that price.' }),
    unrealizedPnlDollars: dollarAmount().nullable().meta({ description: 'That value less the cost.' }),
    settled: z.boolean(),
    settlementResult: settlementResult.nullable(),
    settlementPayoutDollars: dollarAmount().nullable(),
  })
  .meta({ id: 'Position' });

const positionSummaryRecord = z
  .strictObject({ totalPositions: count(), openPositions: count(), settledPositions: count() })
  .meta({ id: 'PositionSummary' });

export const positionsRecord = z
  .strictObject({ positions: z.array(positionRecord), summary: positionSummaryRecord })
  .meta({ id: 'PositionsResult' });

export const positionsRoute = defineRoute(
  {
    ...READ,
    id: 'listPositions',
    tool: true,
    path: '/predictions/positions',
    summary: 'List positions, open and settled',
    notes:
      'The latest changed first, at most 1,000 open and 1,000 settled. A settled market pays into the prediction balance by itself. `summary` counts all positions.',
    query: z.strictObject({
      settled: optionalQueryFlag('`false` for open positions, `true` for settled ones; both when omitted.'),
    }),
    response: positionsRecord,
    errors: ['POLICY_VIOLATION'],
    example: {
      response: {
        positions: [
          {
            ticker: TICKER,
            eventTicker: 'KXFED-26DEC',
            side: 'yes',
            quantity: 6,
            lockedQuantity: 0,
            averagePrice: 65,
            averagePriceDollars: '0.65',
            totalCostDollars: 3.9,
            currentPrice: 62,
            currentPriceDollars: '0.62',
            currentValueDollars: 3.72,
            unrealizedPnlDollars: -0.18,
            settled: false,
            settlementResult: null,
            settlementPayoutDollars: null,
          },
        ],
        summary: { totalPositions: 1, openPositions: 1, settledPositions: 0 },
      },
    },
  },
  async ({ input: { query }, caller: { agentId } }, { services: { prediction } }) => {
    const { positions, ...counts } = await prediction.positions({ agentId, settled: query.settled });
    const { openPositions, settledPositions } = counts;
    const summary = { totalPositions: openPositions + settledPositions, openPositions, settledPositions };
    return { data: { positions: positions.map(showPosition), summary } };
  },
);

const { SettlementResult } = predictionV1;

const RESULT_NAMES: Readonly<Record<number, string>> = {
  [SettlementResult.SETTLEMENT_RESULT_WON]: 'won',
  [SettlementResult.SETTLEMENT_RESULT_LOST]: 'lost',
  [SettlementResult.SETTLEMENT_RESULT_VOID]: 'void',
  [SettlementResult.SETTLEMENT_RESULT_SCALAR]: 'scalar',
};

function showPosition(position: predictionV1.Position): ExactJson {
  const { quantityHundredths, costUsdMicros, currentPriceUsdMicros: price } = position;
  const worth = price === undefined ? undefined : shown.worthUsdMicros(quantityHundredths, price);
  return {
    ticker: position.ticker,
    eventTicker: position.eventTicker,
    side: sideName(position.side),
    quantity: shown.contracts(quantityHundredths),
    lockedQuantity: shown.contracts(position.lockedHundredths),
    averagePrice: shown.averageCents(costUsdMicros, quantityHundredths),
    averagePriceDollars: shown.averageDollars(costUsdMicros, quantityHundredths),
    totalCostDollars: usdNumber(costUsdMicros),
    currentPrice: shown.orNull(price, shown.priceDown),
    currentPriceDollars: shown.orNull(price, shown.dollarsText),
    currentValueDollars: shown.orNull(worth, usdNumber),
    unrealizedPnlDollars: shown.orNull(worth, (micros) => usdNumber(micros - costUsdMicros)),
    settled: position.settled,
    settlementResult: RESULT_NAMES[position.result] ?? null,
    settlementPayoutDollars: shown.orNull(position.payoutUsdMicros, usdNumber),
  };
}
