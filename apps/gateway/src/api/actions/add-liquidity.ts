import { z } from 'zod';
import { chainMetadata } from '../history/outcome.js';
import { composed } from '../schemas/composed.js';
import { USDC } from '../schemas/examples.js';
import {
  amountField,
  amountFields,
  amountOf,
  baseUnitsField,
  integerOr,
  notBoth,
  oneAmount,
  textField,
} from '../schemas/fields.js';
import { address, baseUnits, lamports } from '../schemas/units.js';
import { APPROVAL_ERRORS, defineAction } from './define-action.js';
import {
  liquidityFields,
  liquidityMetadata,
  liquidityToken,
  liquidityTokenRecord,
  requestedLiquidity,
  showLiquidity,
} from './liquidity-terms.js';
import { networkFee } from './outcome-records.js';

const spentToken = liquidityTokenRecord
  .extend({ maxAmountRaw: baseUnits('The most that may leave.') })
  .meta({ id: 'SpentLiquidityToken' });

const POOL = '7JuwJuNU88gurFnyWeiyGKbFmExMWcmRZntn9imEzdny';

/** The addition of both tokens of a pool to it; the position is the agent's own. */
export const addLiquidity = defineAction({
  action: 'liquidity_add',
  component: 'AddLiquidity',
  service: 'swap',
  route: {
    id: 'addLiquidity',
    path: '/wallets/me/actions/liquidity/add',
    scope: 'liquidity',
    area: 'Liquidity',
    summary: 'Add liquidity to a pool',
    notes:
      "Puts both tokens of a constant-product pool of Raydium into it, at the pool's ratio. `amount` is the most of `token`; " +
      'the other token follows from the pool. The liquidity tokens stay in the wallet. Needs `allowLiquidityProvision`; ' +
      'the most of both tokens counts towards the limits, and settles to what left. With `allowedTokens`, both tokens must be ' +
      'listed.\n\n' +
      'When the pool moves by more than `slippageBps`, nothing moves (`SLIPPAGE_EXCEEDED`). A pool whose price deviates from market ' +
      'prices gives what is added to others: it is refused (`POOL_PRICE_DEVIATES`).',
  },
  errors: [
    'INSUFFICIENT_FUNDS',
    'UNSAFE_TOKEN',
    'POOL_NOT_SUPPORTED',
    'POOL_PAUSED',
    'POOL_PRICE_DEVIATES',
    'SLIPPAGE_EXCEEDED',
    'TRANSACTION_FAILED',
    ...APPROVAL_ERRORS,
  ],
  body: notBoth(
    oneAmount(
      z.strictObject({
        pool: textField(44, 'Address of the pool.'),
        token: textField(64, 'The token of `amount`: symbol or mint.'),
        ...amountFields('The most of `token`, in its standard unit.'),
        maxOtherAmount: amountField('The most of the other token.').optional(),
        maxOtherAmountRaw: baseUnitsField('The most of the other token in base units, exact.').optional(),
        slippageBps: integerOr(
          { min: 1, max: 1_000, default: 50, unit: 'Bps' },
          'How far the pool may move: 50 is 0.5 %.',
        ),
      }),
    ),
    'maxOtherAmount',
  ),
  terms: [
    z
      .strictObject({
        ...liquidityFields,
        lpMint: address('The mint of the liquidity tokens.'),
        spent: z.array(spentToken).meta({ description: 'Both tokens.' }),
        rentLamports: lamports('What a new account of the liquidity tokens takes; 0 where there is one.'),
        networkFeeLamports: networkFee(),
      })
      .meta({ id: 'AddLiquidityTerms' }),
  ],
  message: 'Liquidity added.',

  toRequest: ({ agentId, input: { maxOtherAmountRaw: most, ...input } }) => ({
    agentId,
    ...input,
    ...amountOf(input),
    maxOtherAmountRaw: most === undefined ? undefined : BigInt(most),
  }),
  perform: ({ swap }, request, deadlineMs) => swap.addLiquidity(request, deadlineMs),
  async dryRun({ swap }, request) {
    const { addition: reply, dryRun } = await swap.dryRunAddLiquidity(request);
    return { reply, dryRun };
  },
  metadata: composed('AddLiquidityMetadata', [chainMetadata], liquidityMetadata),
  facts: 'liquidityAdd',
  show: (facts) => ({
    ...showLiquidity(facts),
    spent: facts.tokens.map((token) => ({ ...liquidityToken(token), maxAmountRaw: token.bound.toString() })),
  }),
  mint: () => null,
  requested: ({ pool, token, amount, amountRaw, slippageBps }) => ({
    ...{ asset: token, amount, amountRaw },
    facts: requestedLiquidity(pool, slippageBps),
  }),

  example: {
    request: { pool: POOL, token: 'USDC', amount: 25, slippageBps: 50 },
    terms: {
      venue: 'raydium-cpmm',
      pool: POOL,
      positionId: POOL,
      liquidityRaw: '2097352701',
      slippageBps: 50,
      lpMint: 'Ff68JGeEiUEF859B2xEaPX82vuFeuwxqoxGNHTZPAuKR',
      spent: [
        { mint: null, symbol: 'SOL', amount: '0.177683014 SOL', amountRaw: '177683014', maxAmountRaw: '178571430' },
        { mint: USDC, symbol: 'USDC', amount: '24.875622 USDC', amountRaw: '24875622', maxAmountRaw: '25000000' },
      ],
      rentLamports: 2_039_280,
      networkFeeLamports: 5_000,
    },
    dryRun: {
      policy: {
        requestedUsd: 50.000001,
        trade: { inputUsd: 50.000001, leastOutputUsd: 49.751243, lossPercent: 0.5, maxLossPercent: 1.5 },
      },
      balanceChanges: [
        { mint: null, symbol: 'SOL', decimals: 9, amountRaw: '-179727294' },
        { mint: USDC, symbol: 'USDC', decimals: 6, amountRaw: '-24875622' },
        { mint: 'Ff68JGeEiUEF859B2xEaPX82vuFeuwxqoxGNHTZPAuKR', symbol: 'LP', decimals: 9, amountRaw: '2097352701' },
      ],
    },
  },
});
