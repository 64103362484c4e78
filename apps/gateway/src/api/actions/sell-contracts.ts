import { parseAmount } from '@agent-wallet/kernel';
import { z } from 'zod';
import { dollarsText, orNull } from '../../application/responses/cents.js';
import { required } from '../../ports/services.js';
import { nullable } from '../history/outcome.js';
import { USDC_MINT } from '../history/transaction-kind.js';
import { composed } from '../schemas/composed.js';
import { TICKER, USDC } from '../schemas/examples.js';
import { CONTRACT_DECIMALS, contractsField } from '../schemas/contract-fields.js';
import { notBoth, textField } from '../schemas/fields.js';
import { dollarAmount } from '../schemas/units.js';
import { defineAction } from './define-action.js';
import * as order from './order-terms.js';

/** A sale of prediction contracts (specification 2.6). */
export const sellContracts = defineAction({
  action: 'prediction_sell',
  component: 'SellContracts',
  service: 'prediction',
  route: {
    id: 'sellContracts',
    path: '/predictions/sell',
    scope: 'predict',
    area: 'Prediction markets',
    summary: 'Sell contracts of a position',
    notes:
      'Filled at once or not at all, as a buy. Without `minPriceCents` the limit is the worst price in the book that ' +
      '`count` needs, less the operator’s tolerance, and at least 90 % of the middle of the order book less two cents. A stated ' +
      'limit goes down to 50 % of it. Bids far below are `NO_LIQUIDITY`. The proceeds less the fee go to the wallet as USDC.',
  },
  errors: [...order.ORDER_ERRORS, 'INSUFFICIENT_POSITION'],
  body: notBoth(
    z.strictObject({
      ticker: textField(100, 'The market.'),
      side: order.sideField('Which contracts to sell.'),
      count: contractsField('Contracts of the position, at most 2 decimals.'),
      minPriceCents: order.limitField('The least to take for one contract of that side.'),
      minPriceDollars: order.exactLimitField(),
    }),
    'minPriceCents',
    'minPriceDollars',
  ),
  terms: [
    order.orderTerms,
    z
      .strictObject({
        totalProceedsDollars: dollarAmount(
          'What the contracts brought, without the fee. The wallet gets it less the fee.',
        ),
        paidToBalance: z
          .boolean()
          .meta({ description: 'Whether the proceeds are in the prediction balance, because they could not be sent.' }),
      })
      .meta({ id: 'SellContractsTerms' }),
  ],
  result: order.orderResult('Of the payout; null when nothing was sold.'),
  message: ({ order: placed }) => order.orderMessage(required(placed, 'order'), 'sold'),

  toRequest: ({ agentId, input }) => ({
    agentId,
    ticker: input.ticker,
    side: order.toSide(input.side),
    countHundredths: parseAmount(input.count, CONTRACT_DECIMALS),
    minPriceUsdMicros: order.toLimit(input.minPriceCents, input.minPriceDollars),
  }),
  perform: ({ prediction }, request, deadlineMs) => prediction.sell(request, deadlineMs),
  async dryRun({ prediction }, request) {
    const { sell: reply, dryRun } = await prediction.dryRunSell(request);
    return { reply, dryRun };
  },
  toOutcome: order.toOrderOutcome,

  metadata: composed('SellContractsMetadata', [order.orderMetadata], {
    minPriceCents: order.limitCents,
    minPriceDollars: order.limitDollars,
    totalProceedsDollars: nullable(dollarAmount()),
    paidToBalance: z.boolean(),
  }),
  facts: 'predictionSell',
  show({ order: placed, minPriceUsdMicros, paidToBalance }) {
    const sold = required(placed, 'order');
    return {
      ...order.showOrder(sold),
      minPriceCents: order.describeLimitCents(minPriceUsdMicros),
      minPriceDollars: orNull(minPriceUsdMicros, dollarsText),
      totalProceedsDollars: order.showTotal(sold),
      paidToBalance,
    };
  },
  mint: () => USDC_MINT,
  requested: (input) => ({
    asset: 'USDC',
    facts: {
      order: order.requestedOrder(input, parseAmount(input.count, CONTRACT_DECIMALS)),
      minPriceUsdMicros: order.toLimit(input.minPriceCents, input.minPriceDollars),
      paidToBalance: false,
    },
  }),

  example: {
    request: { ticker: TICKER, side: 'yes', count: 4 },
    terms: {
      ...order.ORDERED,
      count: 4,
      requestedCount: 4,
      pricePerContract: 62,
      pricePerContractDollars: '0.62',
      feeDollars: 0.07,
      totalProceedsDollars: 2.48,
      paidToBalance: false,
    },
    outcome: order.FILLED,
    dryRun: {
      terms: { orderId: null },
      policy: { requestedUsd: 6.87 },
      balanceChanges: [{ mint: USDC, symbol: 'USDC', decimals: 6, amountRaw: '2410000' }],
    },
  },
});
