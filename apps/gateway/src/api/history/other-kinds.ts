import { NEW_RECIPIENTS } from '@agent-wallet/kernel';
import { z } from 'zod';
import { contracts, dollarsText, exactCents } from '../../application/responses/cents.js';
import { readJson, usdNumber } from '../../application/responses/exact-json.js';
import { settlementResult } from '../predictions/positions-route.js';
import * as units from '../schemas/units.js';
import { nullable } from './outcome.js';
import { defineTransactionKind, mintOf, textOrNull, USDC_MINT } from './transaction-kind.js';

/* Records that no request of the agent begins. */

/** Money that another wallet sent. */
export const deposit = defineTransactionKind({
  action: 'deposit',
  component: 'Deposit',
  metadata: z
    .strictObject({
      from: nullable(units.address(), 'The sender; null if the chain does not say.'),
      account: nullable(units.address(), 'The token account that it arrived in; null for the wallet itself.'),
    })
    .meta({ id: 'DepositMetadata' }),
  facts: 'deposit',
  show: ({ from, account }) => ({ from: textOrNull(from), account: textOrNull(account) }),
  mint: ({ mint }) => mintOf(mint),
});

const settledPositionRecord = z
  .strictObject({
    side: units.side,
    quantity: units.contracts(),
    totalCostDollars: units.dollarAmount(),
    settlementResult,
    settlementPayoutDollars: units.dollarAmount(),
  })
  .meta({ id: 'SettledPosition' });

/** A market of the agent that settled. */
export const settlement = defineTransactionKind({
  action: 'prediction_settlement',
  component: 'Settlement',
  metadata: z
    .strictObject({
      ticker: z.string(),
      eventTicker: z.string(),
      result: z.string().meta({ description: 'What the market resolved to: `yes`, `no` or `scalar`.' }),
      settlementValue: units.averageCents('What a yes contract pays, in cents.'),
      settlementValueDollars: units.dollarPrice(),
      positions: z.array(settledPositionRecord),
    })
    .meta({ id: 'SettlementMetadata' }),
  facts: 'predictionSettlement',
  show: ({ ticker, eventTicker, result, yesValueUsdMicros: value, positions }) => ({
    ticker,
    eventTicker,
    result,
    settlementValue: exactCents(value),
    settlementValueDollars: dollarsText(value),
    positions: positions.map((position) => ({
      side: position.side,
      quantity: contracts(position.quantityHundredths),
      totalCostDollars: usdNumber(position.costUsdMicros),
      settlementResult: position.settlementResult,
      settlementPayoutDollars: usdNumber(position.payoutUsdMicros),
    })),
  }),
  mint: () => USDC_MINT,
});

const policyNumber = z
  .number()
  .meta({ id: 'PolicyNumber', description: 'In the unit of the field: US dollars or hours.' });

const policyValue = z
  .union([z.boolean(), policyNumber, z.enum(NEW_RECIPIENTS), z.array(z.string())])
  .nullable()
  .meta({ id: 'PolicyValue', description: 'The value of one field of a policy.' });

const policyChange = z
  .strictObject({ field: z.string(), before: policyValue, after: policyValue })
  .meta({ id: 'PolicyChange' });

/** A change of the agent's policy. */
export const policyUpdate = defineTransactionKind({
  action: 'policy_update',
  component: 'PolicyUpdate',
  metadata: z.strictObject({ changes: z.array(policyChange) }).meta({ id: 'PolicyUpdateMetadata' }),
  facts: 'policyUpdate',
  show: ({ changes }) => ({
    changes: changes.map(({ field, before, after }) => ({ field, before: readJson(before), after: readJson(after) })),
  }),
  mint: () => null,
});
