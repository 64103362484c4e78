import { orderResponse } from '../application/responses/order-response.js';
import { positionsResponse, predictionBalanceResponse } from '../application/responses/position-response.js';
import { commandOf } from './call.js';
import type { ErrorCode } from '@agent-wallet/kernel';
import { z } from 'zod';
import { EXPLORER_URL, ID, SIGNATURE, USDC } from './schemas/examples.js';
import { READ } from './catalog-routes.js';
import {
  centsField,
  optionalQueryFlag,
  optionalText,
  queryCursor,
  queryInteger,
  requiredInteger,
  integerField,
  textField,
} from './schemas/fields.js';
import { acceptedRecord, financialResponse } from './schemas/operation-records.js';
import {
  buyOutcome,
  buyResult,
  orderPage,
  positionsRecord,
  predictionBalanceRecord,
  sellOutcome,
  sellResult,
  withdrawalOutcome,
  withdrawalResult,
} from './schemas/order-records.js';
import { defineRoute, type Route } from './route.js';
import { dryRunField } from './wallet-routes.js';

const ORDER_ID = '3f1d6c2e-8a55-4b3f-9a0d-5c7e2b9f4d10';
const TICKER = 'KXFED-26DEC-T4.00';
const REFUND = '2xNweLHLqrbx4zo1waDvgWJHgsUpPj8Y8icbAFeR4a8i9bEMEmWZBjaNCfKjTb7Lo4fbQkCZ5hCwfuhBL7UwkmX8';
const LINKED = `"signature":"${SIGNATURE}","explorerUrl":"${EXPLORER_URL}"`;
const NOT_DONE =
  '"transactionId":null,"status":"dry_run","transactionStatus":"dry_run","orderId":null,"signature":null,"explorerUrl":null';
const ALLOWED =
  '"policy":{"allowed":true,"rule":null,"limitUsd":null,"usedUsd":0,"reservedUsd":0,"remainingUsd":500,"requestedUsd":6.87,"maxAllowedNowUsd":100,"resetsAt":null,"approvalRequired":false,"approvalReasons":[]},"networkFeeLamports":5000,"sponsored":false';

const ORDER = { method: 'POST', auth: 'bearer', area: 'Prediction markets', idempotent: true } as const;

const ORDER_ERRORS: readonly ErrorCode[] = [
  'POLICY_VIOLATION',
  'NOT_FOUND',
  'MARKET_CLOSED',
  'MARKET_PAUSED',
  'NO_LIQUIDITY',
  'TRANSACTION_FAILED',
  'UPSTREAM_ERROR',
  'UPSTREAM_TIMEOUT',
  'TRANSACTION_EXPIRED',
];

const side = () => z.enum(['yes', 'no'], 'must be yes or no');
const count = (description: string) => requiredInteger({ min: 1, max: 100_000, unit: 'Contracts' }, description);
const cents = (description: string) => integerField({ min: 1, max: 99, unit: 'Cents' }, description);

export const buyRoute = defineRoute(
  {
    ...ORDER,
    id: 'buyContracts',
    path: '/predictions/buy',
    summary: 'Buy contracts of a market',
    notes:
      'A marketable limit order that is filled at once or not at all, in part too: `filled`, `partially_filled` and ' +
      '`cancelled` are final. Without `maxPriceCents` the limit is the worst price in the book that `count` needs, and 2 ' +
      'cents more unless the operator set another tolerance. USDC for the worst case, fee included, leaves the wallet ' +
      'first and counts towards the limits; what was not needed comes back to the wallet and no longer counts.\n\n' +
      'Without an offer within `maxPriceCents` the order is `cancelled` with `count` 0, and nothing moves. Without any ' +
      'offer it is `NO_LIQUIDITY`, and nothing moves either. When the exchange rejects the order after the USDC was ' +
      'taken, everything comes back before the error is returned.',
    query: z.strictObject({ dryRun: dryRunField() }),
    body: z
      .strictObject({
        ticker: textField(100, 'The market.'),
        side: side().meta({ description: 'What to buy.' }),
        count: count('Contracts.'),
        maxPriceCents: cents('The most to pay for one contract of that side.'),
      })
      .meta({ id: 'BuyContractsRequest' }),
    response: financialResponse('BuyContracts', buyResult, buyOutcome),
    accepted: acceptedRecord,
    errors: [...ORDER_ERRORS, 'INSUFFICIENT_FUNDS'],
    example: {
      request: `{"ticker":"${TICKER}","side":"yes","count":10,"maxPriceCents":67}`,
      response: `{"orderId":"${ORDER_ID}","ticker":"${TICKER}","side":"yes","count":10,"requestedCount":10,"pricePerContract":65,"pricePerContractDollars":"0.65","feeDollars":0.16,"totalCostDollars":6.5,"status":"filled","transactionId":"${ID}","transactionStatus":"confirmed","refundedDollars":0.21,"refundedToBalance":false,${LINKED},"refundSignature":"${REFUND}"}`,
      dryRun: `{${NOT_DONE},"ticker":"${TICKER}","side":"yes","count":10,"requestedCount":10,"pricePerContract":65,"pricePerContractDollars":"0.65","feeDollars":0.16,"totalCostDollars":6.5,"refundedDollars":0.21,"refundedToBalance":false,"refundSignature":null,${ALLOWED},"balanceChanges":[{"mint":null,"symbol":"SOL","decimals":9,"amountRaw":"-5000"},{"mint":"${USDC}","symbol":"USDC","decimals":6,"amountRaw":"-6660000"}]}`,
    },
  },
  (call, { runOperation, actions }) => runOperation.runOrDryRun(actions.buy, commandOf(call)),
);

export const sellRoute = defineRoute(
  {
    ...ORDER,
    id: 'sellContracts',
    path: '/predictions/sell',
    summary: 'Sell contracts of a position',
    notes:
      'Filled at once or not at all, as a buy. Without `minPriceCents` the limit is the worst price in the book that ' +
      '`count` needs, less the operator’s tolerance. The proceeds less the fee go to the wallet as USDC.',
    query: z.strictObject({ dryRun: dryRunField() }),
    body: z
      .strictObject({
        ticker: textField(100, 'The market.'),
        side: side().meta({ description: 'Which contracts to sell.' }),
        count: count('Contracts, at most what the position has.'),
        minPriceCents: cents('The least to take for one contract of that side.'),
      })
      .meta({ id: 'SellContractsRequest' }),
    response: financialResponse('SellContracts', sellResult, sellOutcome),
    accepted: acceptedRecord,
    errors: [...ORDER_ERRORS, 'INSUFFICIENT_POSITION'],
    example: {
      request: `{"ticker":"${TICKER}","side":"yes","count":4}`,
      response: `{"orderId":"${ORDER_ID}","ticker":"${TICKER}","side":"yes","count":4,"requestedCount":4,"pricePerContract":62,"pricePerContractDollars":"0.62","feeDollars":0.07,"totalProceedsDollars":2.48,"status":"filled","transactionId":"${ID}","transactionStatus":"confirmed","paidToBalance":false,${LINKED}}`,
      dryRun: `{${NOT_DONE},"ticker":"${TICKER}","side":"yes","count":4,"requestedCount":4,"pricePerContract":62,"pricePerContractDollars":"0.62","feeDollars":0.07,"totalProceedsDollars":2.48,"paidToBalance":false,${ALLOWED},"balanceChanges":[{"mint":"${USDC}","symbol":"USDC","decimals":6,"amountRaw":"2410000"}]}`,
    },
  },
  (call, { runOperation, actions }) => runOperation.runOrDryRun(actions.sell, commandOf(call)),
);

export const positionsRoute = defineRoute(
  {
    ...READ,
    id: 'listPositions',
    path: '/predictions/positions',
    summary: 'Positions: contracts that the agent holds or held until they were settled',
    notes: 'A settled market pays into the prediction balance by itself. `summary` counts all positions.',
    query: z.strictObject({
      settled: optionalQueryFlag('`false` for open positions, `true` for settled ones; both when omitted.'),
    }),
    response: positionsRecord,
    errors: ['POLICY_VIOLATION'],
    example: {
      response: `{"positions":[{"ticker":"${TICKER}","eventTicker":"KXFED-26DEC","side":"yes","quantity":6,"lockedQuantity":0,"averagePrice":65,"averagePriceDollars":"0.65","totalCostDollars":3.9,"currentPrice":62,"currentPriceDollars":"0.62","currentValueDollars":3.72,"unrealizedPnlDollars":-0.18,"settled":false,"settlementResult":null,"settlementPayoutDollars":null}],"summary":{"totalPositions":1,"openPositions":1,"settledPositions":0}}`,
    },
  },
  async ({ input: { query }, caller: { agentId } }, { services: { prediction } }) => {
    const positions = await prediction.positions({ agentId, settled: query.settled });
    return { message: 'Positions.', data: positionsResponse(positions) };
  },
);

export const ordersRoute = defineRoute(
  {
    ...READ,
    id: 'listOrders',
    path: '/predictions/orders',
    summary: 'Past orders, newest first',
    query: z.strictObject({
      ticker: optionalText(100, 'Only of this market.'),
      limit: queryInteger({ min: 1, max: 100, default: 50 }, 'Entries in the answer.'),
      cursor: queryCursor(),
    }),
    response: orderPage,
    errors: ['POLICY_VIOLATION'],
    example: {
      response: `{"orders":[{"transactionId":"${ID}","orderId":"${ORDER_ID}","ticker":"${TICKER}","eventTicker":"KXFED-26DEC","side":"yes","action":"buy","count":10,"requestedCount":10,"pricePerContract":65,"pricePerContractDollars":"0.65","totalDollars":6.5,"feeDollars":0.16,"status":"filled","createdAt":"2026-11-21T10:02:00.000Z","filledAt":"2026-11-21T10:02:01.000Z"}],"cursor":""}`,
    },
  },
  async ({ input: { query }, caller: { agentId } }, { services: { prediction } }) => {
    const { orders, cursor } = await prediction.orders({ agentId, ...query });
    return { message: 'Orders.', data: { orders: orders.map(orderResponse), cursor } };
  },
);

export const predictionBalanceRoute = defineRoute(
  {
    ...READ,
    id: 'getPredictionBalance',
    path: '/predictions/balance',
    summary: 'The prediction balance',
    notes: 'Where settled markets pay, and what could not be sent to the wallet lies.',
    response: predictionBalanceRecord,
    errors: ['POLICY_VIOLATION'],
    example: {
      response:
        '{"balanceCents":600,"balanceDollars":6,"reservedCents":0,"reservedDollars":0,"availableCents":600,"availableDollars":6}',
    },
  },
  async ({ caller: { agentId } }, { services: { prediction } }) => {
    return { message: 'Prediction balance.', data: predictionBalanceResponse(await prediction.balance(agentId)) };
  },
);

export const withdrawRoute = defineRoute(
  {
    ...ORDER,
    id: 'withdrawPredictionBalance',
    path: '/predictions/withdraw',
    summary: 'Move prediction balance to the wallet as USDC',
    body: z
      .strictObject({ amountDollars: centsField('US dollars, at most 2 decimals.') })
      .meta({ id: 'WithdrawalRequest' }),
    response: financialResponse('Withdrawal', withdrawalResult, withdrawalOutcome),
    accepted: acceptedRecord,
    errors: ['POLICY_VIOLATION', 'INSUFFICIENT_FUNDS', 'UPSTREAM_ERROR', 'UPSTREAM_TIMEOUT', 'TRANSACTION_EXPIRED'],
    example: {
      request: '{"amountDollars":1.13}',
      response: `{"withdrawalId":"${ID}","transactionId":"${ID}","status":"confirmed","transactionStatus":"confirmed","amountDollars":1.13,"newBalanceDollars":4.87,${LINKED}}`,
    },
  },
  (call, { runOperation, actions }) => runOperation.run(actions.withdraw, commandOf(call)),
);

/** What an agent does with prediction markets, in the order of the documents. */
export const PREDICTION_ROUTES: readonly Route[] = [
  buyRoute,
  sellRoute,
  positionsRoute,
  ordersRoute,
  predictionBalanceRoute,
  withdrawRoute,
];
