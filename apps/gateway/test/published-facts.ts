import { type operationsV1, predictionV1, swapV1, walletV1 } from '@agent-wallet/contracts';
import type { HistoryActionName } from '@agent-wallet/events';
import { historyFacts, RECIPIENT, SENT, TRADED, USDC, WRAPPED_SOL } from './default-script.js';
import { ADDED, REMOVED } from './liquidity-script.js';
import { CANCELLED, ORDER } from './prediction-script.js';

/** Facts that the services publish of each action. */
export const FACTS: Readonly<Record<HistoryActionName, operationsV1.OperationFacts>> = {
  transfer: historyFacts({
    $case: 'transfer',
    value: { ...SENT, fee: 100n, feeDeducted: true, amountSent: 64_099_900n, sponsored: true },
  }),
  trade: historyFacts({ $case: 'trade', value: { ...TRADED.facts!, priceImpactPercent: '-0.001249' } }),
  deposit: historyFacts({ $case: 'deposit', value: { mint: USDC, from: RECIPIENT, account: '' } }),
  unwrap_sol: historyFacts({ $case: 'unwrapSol', value: { amount: 64_100_000n, sponsored: false } }),
  liquidity_add: historyFacts({ $case: 'liquidityAdd', value: ADDED.facts! }),
  liquidity_remove: historyFacts({ $case: 'liquidityRemove', value: REMOVED.facts! }),
  prediction_buy: historyFacts({
    $case: 'predictionBuy',
    value: {
      order: { ...ORDER, limitUsdMicros: 670_000n },
      maxPriceUsdMicros: 670_000n,
      escrowUsdMicros: 6_870_000n,
      refundedUsdMicros: 2_210_400n,
      refundSignature: '',
      refundedToBalance: false,
    },
  }),
  prediction_sell: historyFacts({
    $case: 'predictionSell',
    value: {
      order: { ...CANCELLED, eventTicker: '', status: predictionV1.OrderStatus.ORDER_STATUS_UNSPECIFIED },
      paidToBalance: false,
    },
  }),
  prediction_settlement: historyFacts({
    $case: 'predictionSettlement',
    value: {
      ...{ ticker: 'KXFED', eventTicker: 'KXFED-26DEC', result: 'yes', yesValueUsdMicros: 1_000_000n },
      positions: [
        {
          ...{ side: 'yes', quantityHundredths: 700n, costUsdMicros: 4_548_000n, payoutUsdMicros: 7_000_000n },
          settlementResult: 'won',
        },
      ],
    },
  }),
  prediction_withdrawal: historyFacts({ $case: 'predictionWithdrawal', value: { amountUsdMicros: 1_130_000n } }),
  policy_update: historyFacts({
    $case: 'policyUpdate',
    value: {
      changes: [
        { field: 'dailyLimitInUsd', before: '500', after: '50.5' },
        { field: 'allowedRecipients', before: '[]', after: '[]' },
      ],
    },
  }),
};

/** Facts of which the service knows nothing but the request, as the first event of an operation has them. */
export const UNRESOLVED = {
  transfer: historyFacts({ $case: 'transfer', value: walletV1.TransferFacts.decode(new Uint8Array()) }),
  trade: historyFacts({
    $case: 'trade',
    value: {
      ...swapV1.TradeFacts.decode(new Uint8Array()),
      input: { mint: '', symbol: WRAPPED_SOL, decimals: 0 },
      output: { mint: '', symbol: USDC, decimals: 0 },
      slippageBps: 50,
    },
  }),
};
