import { z } from 'zod';
import { chainMetadata } from '../history/outcome.js';
import { composed } from '../schemas/composed.js';
import { USDC } from '../schemas/examples.js';
import { baseUnitsField, integerOr, percentField, textField } from '../schemas/fields.js';
import { address, baseUnits, lamports } from '../schemas/units.js';
import { defineAction } from './define-action.js';
import {
  liquidityFields,
  liquidityMetadata,
  liquidityToken,
  liquidityTokenRecord,
  requestedLiquidity,
  showLiquidity,
} from './liquidity-terms.js';
import { networkFee } from './outcome-records.js';

const receivedToken = liquidityTokenRecord
  .extend({ minAmountRaw: baseUnits('The least that must arrive.') })
  .meta({ id: 'ReceivedLiquidityToken' });

const POOL = '7JuwJuNU88gurFnyWeiyGKbFmExMWcmRZntn9imEzdny';

/** The removal of liquidity: its tokens go back to the pool, and both tokens of the pool arrive. */
export const removeLiquidity = defineAction({
  action: 'liquidity_remove',
  component: 'RemoveLiquidity',
  service: 'swap',
  route: {
    id: 'removeLiquidity',
    path: '/wallets/me/actions/liquidity/remove',
    scope: 'liquidity',
    area: 'Liquidity',
    summary: 'Remove liquidity from a pool',
    notes:
      'Takes a share of a position out of its pool, with the fees that it earned. Both tokens arrive in the wallet, so that no ' +
      'limit is touched; `allowLiquidityProvision` must be on. When the pool moves by more than `slippageBps`, nothing moves ' +
      '(`SLIPPAGE_EXCEEDED`).',
  },
  errors: [
    'INSUFFICIENT_FUNDS',
    'INSUFFICIENT_POSITION',
    'UNSAFE_TOKEN',
    'POOL_NOT_SUPPORTED',
    'POOL_PAUSED',
    'SLIPPAGE_EXCEEDED',
    'TRANSACTION_FAILED',
  ],
  body: z.strictObject({
    positionId: textField(44, '`positionId` of a position in the list of them.'),
    percent: percentField(100, 'The share of the position to remove; or set `liquidityRaw`.'),
    liquidityRaw: baseUnitsField('Liquidity tokens to remove, in base units; or set `percent`.').optional(),
    slippageBps: integerOr({ min: 1, max: 1_000, default: 50, unit: 'Bps' }, 'How far the pool may move: 50 is 0.5 %.'),
  }),
  terms: [
    z
      .strictObject({
        ...liquidityFields,
        lpMint: address('The mint of the liquidity tokens.'),
        received: z.array(receivedToken).meta({ description: 'Both tokens.' }),
        remainingRaw: baseUnits('Liquidity tokens that stay.'),
        rentLamports: lamports('What new accounts of the tokens take; 0 where there are some.'),
        networkFeeLamports: networkFee(),
      })
      .meta({ id: 'RemoveLiquidityTerms' }),
  ],
  message: 'Liquidity removed.',

  toRequest: ({ agentId, input: { positionId, percent, liquidityRaw, slippageBps } }) => ({
    agentId,
    pool: positionId,
    percentBps: percent,
    liquidity: liquidityRaw === undefined ? undefined : BigInt(liquidityRaw),
    slippageBps,
  }),
  perform: ({ swap }, request, deadlineMs) => swap.removeLiquidity(request, deadlineMs),
  async dryRun({ swap }, request) {
    const { removal: reply, dryRun } = await swap.dryRunRemoveLiquidity(request);
    return { reply, dryRun };
  },
  metadata: composed('RemoveLiquidityMetadata', [chainMetadata], liquidityMetadata),
  facts: 'liquidityRemove',
  show: (facts) => ({
    ...showLiquidity(facts),
    received: facts.tokens.map((token) => ({ ...liquidityToken(token), minAmountRaw: token.bound.toString() })),
    remainingRaw: facts.remaining.toString(),
  }),
  mint: () => null,
  requested: ({ positionId, slippageBps }) => ({
    asset: 'LP',
    facts: requestedLiquidity(positionId, slippageBps),
  }),

  example: {
    request: { positionId: POOL, percent: 100, slippageBps: 50 },
    terms: {
      venue: 'raydium-cpmm',
      pool: POOL,
      positionId: POOL,
      liquidityRaw: '2097352701',
      slippageBps: 50,
      lpMint: 'Ff68JGeEiUEF859B2xEaPX82vuFeuwxqoxGNHTZPAuKR',
      received: [
        { mint: null, symbol: 'SOL', amount: '0.177683013 SOL', amountRaw: '177683013', minAmountRaw: '176794597' },
        { mint: USDC, symbol: 'USDC', amount: '24.875621 USDC', amountRaw: '24875621', minAmountRaw: '24751242' },
      ],
      remainingRaw: '0',
      rentLamports: 0,
      networkFeeLamports: 5_000,
    },
    dryRun: {
      policy: { requestedUsd: 0 },
      balanceChanges: [
        { mint: null, symbol: 'SOL', decimals: 9, amountRaw: '177678013' },
        { mint: USDC, symbol: 'USDC', decimals: 6, amountRaw: '24875621' },
        { mint: 'Ff68JGeEiUEF859B2xEaPX82vuFeuwxqoxGNHTZPAuKR', symbol: 'LP', decimals: 9, amountRaw: '-2097352701' },
      ],
    },
  },
});
