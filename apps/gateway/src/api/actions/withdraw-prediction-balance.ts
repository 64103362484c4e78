import { parseUsd } from '@agent-wallet/kernel';
import type { predictionV1 } from '@agent-wallet/contracts';
import { z } from 'zod';
import { usdNumber } from '../../application/responses/exact-json.js';
import { required } from '../../ports/services.js';
import { outcomeMetadata } from '../history/outcome.js';
import { USDC_MINT } from '../history/transaction-kind.js';
import { composed } from '../schemas/composed.js';
import { EXPLORER_URL, ID, SIGNATURE } from '../schemas/examples.js';
import { centsField } from '../schemas/fields.js';
import { dollarAmount, transactionId } from '../schemas/units.js';
import { confirmedFields, defineAction } from './define-action.js';
import { confirmed } from './outcome-records.js';

/** A payout of prediction balance to the wallet, in whole cents. */
export const withdrawPredictionBalance = defineAction({
  action: 'prediction_withdrawal',
  component: 'Withdrawal',
  service: 'prediction',
  route: {
    id: 'withdrawPredictionBalance',
    path: '/predictions/withdraw',
    scope: 'predict',
    area: 'Prediction markets',
    summary: 'Move prediction balance to the wallet as USDC',
  },
  errors: ['INSUFFICIENT_FUNDS'],
  body: z.strictObject({ amountDollars: centsField('US dollars, at most 2 decimals.') }),
  terms: [],
  result: {
    parts: [confirmed],
    own: {
      withdrawalId: transactionId('The same as `transactionId`.'),
      amountDollars: dollarAmount(),
      newBalanceDollars: dollarAmount('The prediction balance after it.'),
    },
  },
  message: 'Withdrawal confirmed.',

  toRequest: ({ agentId, input }) => ({ agentId, amountUsdMicros: parseUsd(input.amountDollars) }),
  perform: ({ prediction }, request, deadlineMs) => prediction.withdraw(request, deadlineMs),
  toOutcome: (reply: predictionV1.WithdrawResponse, operationId, explorerUrl) => ({
    withdrawalId: operationId,
    ...confirmedFields(reply, operationId, explorerUrl),
    amountDollars: usdNumber(required(reply.facts, 'facts').amountUsdMicros),
    newBalanceDollars: usdNumber(reply.newBalanceUsdMicros),
  }),

  metadata: composed('WithdrawalMetadata', [outcomeMetadata], { amountDollars: dollarAmount() }),
  facts: 'predictionWithdrawal',
  show: ({ amountUsdMicros }) => ({ amountDollars: usdNumber(amountUsdMicros) }),
  mint: () => USDC_MINT,
  requested: ({ amountDollars }) => ({
    asset: 'USDC',
    amount: amountDollars,
    facts: { amountUsdMicros: parseUsd(amountDollars) },
  }),

  example: {
    request: { amountDollars: 1.13 },
    terms: {},
    outcome: {
      withdrawalId: ID,
      transactionId: ID,
      status: 'confirmed',
      transactionStatus: 'confirmed',
      amountDollars: 1.13,
      newBalanceDollars: 4.87,
      signature: SIGNATURE,
      explorerUrl: EXPLORER_URL,
    },
  },
});
