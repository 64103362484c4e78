import { predictionV1 } from '@agent-wallet/contracts';
import { parseAmount } from '@agent-wallet/kernel';
import { z } from 'zod';
import { dollarsText, orNull } from '../../application/responses/cents.js';
import { usdNumber } from '../../application/responses/exact-json.js';
import { required } from '../../ports/services.js';
import { nullable } from '../history/outcome.js';
import { emptyMessage, textOrNull, USDC_MINT } from '../history/transaction-kind.js';
import { composed } from '../schemas/composed.js';
import { CONTRACT_DECIMALS } from '../schemas/contract-fields.js';
import { REFUND, TICKER, USDC } from '../schemas/examples.js';
import { notBoth, requiredInteger, textField } from '../schemas/fields.js';
import { dollarAmount, signature } from '../schemas/units.js';
import { defineAction } from './define-action.js';
import * as order from './order-terms.js';

/** A purchase of prediction contracts (specification 2.6). */
export const buyContracts = defineAction({
  action: 'prediction_buy',
  component: 'BuyContracts',
  service: 'prediction',
  route: {
    id: 'buyContracts',
    path: '/predictions/buy',
    scope: 'predict',
    area: 'Prediction markets',
    summary: 'Buy contracts of a market',
    notes:
      'A marketable limit order that is filled at once or not at all, in part too: `filled`, `partially_filled` and ' +
      '`cancelled` are final. Without `maxPriceCents` the limit is the worst price in the book that `count` needs, and 2 ' +
      'cents more unless the operator set another tolerance, at most 99 cents. USDC for the worst case, fee included, leaves the wallet ' +
      'first and counts towards the limits; what was not needed comes back to the wallet and no longer counts.\n\n' +
      'Without an offer within the stated limit the order is `cancelled` with `count` 0, and nothing moves. Without any ' +
      'offer it is `NO_LIQUIDITY`, and nothing moves either. When the exchange rejects the order after the USDC was ' +
      'taken, everything comes back before the error is returned.',
  },
  errors: [...order.ORDER_ERRORS, 'INSUFFICIENT_FUNDS'],
  body: notBoth(
    z.strictObject({
      ticker: textField(100, 'The market.'),
      side: order.sideField('What to buy.'),
      count: requiredInteger({ min: 1, max: 100_000, unit: 'Contracts' }, 'Whole contracts.'),
      maxPriceCents: order.limitField('The most to pay for one contract of that side.'),
      maxPriceDollars: order.exactLimitField(),
    }),
    'maxPriceCents',
    'maxPriceDollars',
  ),
  terms: [
    order.orderTerms,
    z
      .strictObject({
        totalCostDollars: dollarAmount('What the contracts cost, without the fee.'),
        refundedDollars: dollarAmount('What came back of the USDC that was taken at first.'),
        refundedToBalance: z.boolean().meta({
          description: 'Whether it is in the prediction balance, because it could not be sent to the wallet.',
        }),
        refundSignature: signature()
          .nullable()
          .meta({ description: 'Of the transaction that brought the rest back; null for none.' }),
      })
      .meta({ id: 'BuyContractsTerms' }),
  ],
  result: order.orderResult('Of the transaction that took the USDC; null when nothing was taken.'),
  message: ({ order: placed }) => order.orderMessage(required(placed, 'order'), 'bought'),

  toRequest: ({ agentId, input }) => ({
    agentId,
    ticker: input.ticker,
    side: order.toSide(input.side),
    count: input.count,
    maxPriceUsdMicros: order.toLimit(input.maxPriceCents, input.maxPriceDollars),
  }),
  perform: ({ prediction }, request, deadlineMs) => prediction.buy(request, deadlineMs),
  async dryRun({ prediction }, request) {
    const { buy: reply, dryRun } = await prediction.dryRunBuy(request);
    return { reply, dryRun };
  },
  toOutcome: order.toOrderOutcome,

  metadata: composed('BuyContractsMetadata', [order.orderMetadata], {
    maxPriceCents: order.limitCents,
    maxPriceDollars: order.limitDollars,
    totalCostDollars: nullable(dollarAmount()),
    escrowDollars: nullable(dollarAmount(), 'USDC that was taken from the wallet at first.'),
    refundedDollars: nullable(dollarAmount()),
    refundedToBalance: z.boolean(),
    refundSignature: nullable(signature()),
  }),
  facts: 'predictionBuy',
  show({ order: placed, ...facts }) {
    const bought = required(placed, 'order');
    return {
      ...order.showOrder(bought),
      maxPriceCents: order.describeLimitCents(facts.maxPriceUsdMicros),
      maxPriceDollars: orNull(facts.maxPriceUsdMicros, dollarsText),
      totalCostDollars: order.showTotal(bought),
      escrowDollars: orNull(facts.escrowUsdMicros, usdNumber),
      refundedDollars: orNull(facts.refundedUsdMicros, usdNumber),
      refundedToBalance: facts.refundedToBalance,
      refundSignature: textOrNull(facts.refundSignature),
    };
  },
  mint: () => USDC_MINT,
  requested: (input) => ({
    asset: 'USDC',
    facts: {
      ...emptyMessage(predictionV1.BuyFacts),
      order: order.requestedOrder(input, parseAmount(String(input.count), CONTRACT_DECIMALS)),
      maxPriceUsdMicros: order.toLimit(input.maxPriceCents, input.maxPriceDollars),
    },
  }),

  example: {
    request: { ticker: TICKER, side: 'yes', count: 10, maxPriceCents: 67 },
    terms: {
      ...order.ORDERED,
      count: 10,
      requestedCount: 10,
      pricePerContract: 65,
      pricePerContractDollars: '0.65',
      feeDollars: 0.16,
      totalCostDollars: 6.5,
      refundedDollars: 0.21,
      refundedToBalance: false,
      refundSignature: REFUND,
    },
    outcome: order.FILLED,
    dryRun: {
      terms: { orderId: null, refundSignature: null },
      policy: { requestedUsd: 6.87 },
      balanceChanges: [
        { mint: null, symbol: 'SOL', decimals: 9, amountRaw: '-5000' },
        { mint: USDC, symbol: 'USDC', decimals: 6, amountRaw: '-6660000' },
      ],
    },
  },
});
