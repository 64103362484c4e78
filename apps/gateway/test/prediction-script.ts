import { predictionV1, walletV1 } from '@agent-wallet/contracts';
import type { GrpcController } from '@agent-wallet/platform';
import { NOON_MS } from './catalog-script.js';
import { DRY_RUN, SIGNATURE } from './sample-dry-run.js';

const { OrderAction, OrderStatus, SettlementResult, Side } = predictionV1;
const { OPERATION_STATE_CONFIRMED: CONFIRMED, OPERATION_STATE_UNSPECIFIED: UNDECIDED } = walletV1.OperationState;

export const REFUND = '2xNweLHLqrbx4zo1waDvgWJHgsUpPj8Y8icbAFeR4a8i9bEMEmWZBjaNCfKjTb7Lo4fbQkCZ5hCwfuhBL7UwkmX8';

/** 7 of 10 contracts, at 64.9 and 65 cents. */
export const ORDER: predictionV1.Order = {
  operationId: '01938f70-8f1e-7a52-b1c4-7f7a1c2f9f10',
  orderId: '3f1d6c2e-8a55-4b3f-9a0d-5c7e2b9f4d10',
  ticker: 'KXFED-26DEC-T4.00',
  eventTicker: 'KXFED-26DEC',
  side: Side.SIDE_YES,
  action: OrderAction.ORDER_ACTION_BUY,
  countHundredths: 1_000n,
  filledHundredths: 700n,
  totalUsdMicros: 4_548_000n,
  feeUsdMicros: 111_600n,
  status: OrderStatus.ORDER_STATUS_PARTIALLY_FILLED,
  createdAtMs: NOON_MS,
  filledAtMs: NOON_MS + 1_000n,
};

export const BOUGHT: predictionV1.BuyResponse = {
  state: CONFIRMED,
  facts: { order: ORDER, refundedUsdMicros: 2_210_401n, refundSignature: REFUND, refundedToBalance: false },
  signature: SIGNATURE,
};

export const SOLD: predictionV1.SellResponse = {
  state: CONFIRMED,
  facts: {
    order: {
      ...ORDER,
      action: OrderAction.ORDER_ACTION_SELL,
      side: Side.SIDE_NO,
      countHundredths: 700n,
      status: OrderStatus.ORDER_STATUS_FILLED,
    },
    paidToBalance: false,
  },
  signature: SIGNATURE,
};

/** An order of which nothing was filled. */
export const CANCELLED: predictionV1.Order = {
  ...ORDER,
  orderId: '',
  filledHundredths: 0n,
  totalUsdMicros: 0n,
  feeUsdMicros: 0n,
  status: OrderStatus.ORDER_STATUS_CANCELLED,
  filledAtMs: undefined,
};

export const WITHDRAWN: predictionV1.WithdrawResponse = {
  state: CONFIRMED,
  signature: SIGNATURE,
  facts: { amountUsdMicros: 1_130_000n },
  newBalanceUsdMicros: 4_870_001n,
};

export const OPEN_POSITION: predictionV1.Position = {
  ticker: ORDER.ticker,
  eventTicker: ORDER.eventTicker,
  side: Side.SIDE_YES,
  quantityHundredths: 700n,
  costUsdMicros: 4_548_000n,
  currentPriceUsdMicros: 624_000n,
  settled: false,
  result: SettlementResult.SETTLEMENT_RESULT_UNSPECIFIED,
  lockedHundredths: 100n,
};

/** Every order is done at once, and well. */
export function predictionScript(): GrpcController<predictionV1.PredictionServiceService> {
  const undecided = <Facts extends { readonly order?: predictionV1.Order | undefined }>(facts: Facts) => ({
    state: UNDECIDED,
    signature: '',
    facts: { ...facts, order: { ...facts.order!, orderId: '' } },
  });
  return {
    buy: async () => BOUGHT,
    dryRunBuy: async () => ({ buy: undecided({ ...BOUGHT.facts!, refundSignature: '' }), dryRun: DRY_RUN }),
    sell: async () => SOLD,
    dryRunSell: async () => ({ sell: undecided(SOLD.facts!), dryRun: DRY_RUN }),
    withdraw: async () => WITHDRAWN,
    getBalance: async () => ({
      balanceUsdMicros: 6_009_999n,
      reservedUsdMicros: 1_130_000n,
      availableUsdMicros: 4_879_999n,
    }),
    listPositions: async () => ({ positions: [OPEN_POSITION], openPositions: 1, settledPositions: 2 }),
    listOrders: async () => ({ orders: [ORDER], cursor: 'more' }),
  };
}
