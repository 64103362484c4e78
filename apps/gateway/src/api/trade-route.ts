import { commandOf } from './call.js';
import { WRAPPED_SOL_MINT } from '@agent-wallet/kernel';
import { z } from 'zod';
import { EXPLORER_URL, ID, SIGNATURE, USDC } from './schemas/examples.js';
import { amountField, flagField, integerOr, textField } from './schemas/fields.js';
import { acceptedRecord, financialResponse, tradeOutcome, tradeResult } from './schemas/operation-records.js';
import { defineRoute } from './route.js';
import { dryRunField } from './wallet-routes.js';

const WARNING = `{"mint":"${USDC}","type":"HAS_FREEZE_AUTHORITY","severity":"warning","message":"The authority's owner could freeze your token account, preventing you from transferring or trading your tokens."}`;
const QUOTED = `"inputMint":"${USDC}","outputMint":"${WRAPPED_SOL_MINT}","inputAmountRaw":"25000000","minOutputAmountRaw":"165834166","slippageBps":50,"priceImpact":"0.12%","route":["Raydium CLMM","Whirlpool"],"networkFeeLamports":5000,"warnings":[${WARNING}]`;

export const tradeRoute = defineRoute(
  {
    id: 'trade',
    method: 'POST',
    path: '/wallets/me/actions/trade',
    auth: 'bearer',
    area: 'Wallet',
    summary: 'Trade one token for another',
    notes:
      'Routed by an aggregator, over several venues where that gives more. `from` and `to` are symbols (SOL, USDC, USDT, ' +
      'JUP, BONK, WIF, RAY, ORCA) or mint addresses; SOL and its wrapped mint both mean the native coin, and a trade of it ' +
      'unwraps what the wallet holds wrapped. Needs `allowTrading`; the value of what is spent counts towards the limits. ' +
      'The network is paid in SOL by the wallet: trades are not sponsored.\n\n' +
      '`slippageBps` says how far below the quote the output may be, in basis points: 10 for stable pairs, 50 for ' +
      'standard trades, 100 for volatile tokens, 300 where there is little liquidity. When the price moves further, ' +
      'nothing is traded (`SLIPPAGE_EXCEEDED`); `networkFeeLamports` is set when the network fee was paid. ' +
      'Too low a value makes trades fail, too high a value gives poor prices.\n\n' +
      'A token with critical warnings is refused (`UNSAFE_TOKEN`) unless `allowRisky` is true. `UNSAFE_TRANSACTION`: ' +
      'what the aggregator offered would have done more than was asked, and was not signed.',
    query: z.strictObject({ dryRun: dryRunField() }),
    body: z
      .strictObject({
        from: textField(64, 'What is spent: symbol or mint address.'),
        to: textField(64, 'What comes in: symbol or mint address.'),
        amount: amountField('Amount of `from` in its standard unit, e.g. 25.5.'),
        slippageBps: integerOr(
          { min: 1, max: 5_000, default: 50, unit: 'Bps' },
          'How far below the quote the output may be.',
        ),
        allowRisky: flagField('Trades a token in spite of critical warnings.'),
      })
      .meta({ id: 'TradeRequest' }),
    response: financialResponse('Trade', tradeResult, tradeOutcome),
    accepted: acceptedRecord,
    idempotent: true,
    errors: [
      'UNKNOWN_TOKEN',
      'INSUFFICIENT_FUNDS',
      'NO_ROUTE',
      'SLIPPAGE_EXCEEDED',
      'UNSAFE_TOKEN',
      'TRANSACTION_FAILED',
      'POLICY_VIOLATION',
      'APPROVAL_REJECTED',
      'APPROVAL_EXPIRED',
      'UPSTREAM_ERROR',
      'UNSAFE_TRANSACTION',
      'UPSTREAM_TIMEOUT',
      'TRANSACTION_EXPIRED',
    ],
    example: {
      request: '{"from":"USDC","to":"SOL","amount":25,"slippageBps":50}',
      response: `{"transactionId":"${ID}","status":"confirmed","transactionStatus":"confirmed","signature":"${SIGNATURE}","explorerUrl":"${EXPLORER_URL}","inputAmount":"25 USDC","outputAmount":"0.1666501 SOL","outputAmountRaw":"166650100",${QUOTED}}`,
      dryRun: `{"transactionId":null,"status":"dry_run","transactionStatus":"dry_run","signature":null,"explorerUrl":null,"inputAmount":"25 USDC","outputAmount":"0.1666675 SOL","outputAmountRaw":"166667500",${QUOTED},"policy":{"allowed":true,"rule":null,"limitUsd":null,"usedUsd":0,"reservedUsd":0,"remainingUsd":500,"requestedUsd":25,"maxAllowedNowUsd":100,"resetsAt":null,"approvalRequired":false,"approvalReasons":[]},"sponsored":false,"balanceChanges":[{"mint":null,"symbol":"SOL","decimals":9,"amountRaw":"166662500"},{"mint":"${USDC}","symbol":"USDC","decimals":6,"amountRaw":"-25000000"}]}`,
    },
  },
  (call, { runOperation, actions }) => runOperation.runOrDryRun(actions.trade, commandOf(call)),
);
