import { formatAmount, SOL_DECIMALS, WRAPPED_SOL_MINT } from '@agent-wallet/kernel';
import { z } from 'zod';
import { orNull } from '../../application/responses/cents.js';
import { chainMetadata } from '../history/outcome.js';
import { composed } from '../schemas/composed.js';
import { amountFields, amountOf, notBoth } from '../schemas/fields.js';
import { amountText, baseUnits } from '../schemas/units.js';
import { defineAction } from './define-action.js';
import { networkFee } from './outcome-records.js';

/** SOL out of wrapped SOL; without an amount, all of it. */
export const unwrapSol = defineAction({
  action: 'unwrap_sol',
  component: 'UnwrapSol',
  service: 'wallet',
  route: {
    id: 'unwrapSol',
    path: '/wallets/me/actions/unwrap-sol',
    scope: 'trade',
    area: 'Wallet',
    summary: 'Unwrap wrapped SOL',
    notes: 'All of it, unless an amount is given. It stays in the wallet, so that no limit is touched.',
    bodyOptional: true,
  },
  errors: ['INSUFFICIENT_FUNDS', 'TRANSACTION_FAILED'],
  body: notBoth(z.strictObject(amountFields('Amount in SOL; omit to unwrap all.')), 'amount'),
  terms: [
    z
      .strictObject({
        amount: amountText('What became SOL.'),
        amountRaw: baseUnits(),
        networkFeeLamports: networkFee(),
      })
      .meta({ id: 'UnwrapSolTerms' }),
  ],
  message: 'SOL unwrapped.',

  toRequest: ({ agentId, input }) => ({ agentId, ...amountOf(input) }),
  perform: ({ wallet }, request, deadlineMs) => wallet.unwrap(request, deadlineMs),
  async dryRun({ wallet }, request) {
    const { unwrap: reply, dryRun } = await wallet.dryRunUnwrap(request);
    return { reply, dryRun };
  },
  metadata: composed('UnwrapSolMetadata', [chainMetadata], {
    sponsored: z.boolean().meta({ description: 'Whether the operator paid the network fee.' }),
  }),
  facts: 'unwrapSol',
  show: ({ amount, sponsored }) => ({
    amount: orNull(amount, (lamports) => `${formatAmount(lamports, SOL_DECIMALS)} SOL`),
    amountRaw: orNull(amount, String),
    sponsored,
  }),
  mint: () => null,
  requested: ({ amount, amountRaw }) => ({ asset: 'SOL', amount, amountRaw, facts: { sponsored: false } }),

  example: {
    request: { amount: 0.5 },
    terms: { amount: '0.5 SOL', amountRaw: '500000000', networkFeeLamports: 5_000 },
    dryRun: {
      policy: {},
      balanceChanges: [
        { mint: null, symbol: 'SOL', decimals: 9, amountRaw: '499995000' },
        { mint: WRAPPED_SOL_MINT, symbol: 'wSOL', decimals: 9, amountRaw: '-500000000' },
      ],
    },
  },
});
