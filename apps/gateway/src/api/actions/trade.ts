import { swapV1 } from '@agent-wallet/contracts';
import { formatAmount, readDecimal, WRAPPED_SOL_MINT } from '@agent-wallet/kernel';
import { z } from 'zod';
import { orNull } from '../../application/responses/cents.js';
import type { ExactJson } from '../../application/responses/exact-json.js';
import { required } from '../../ports/services.js';
import { chainMetadata, nullable } from '../history/outcome.js';
import { emptyMessage, mintOf, textOrNull } from '../history/transaction-kind.js';
import { composed } from '../schemas/composed.js';
import { USDC } from '../schemas/examples.js';
import { amountFields, amountOf, flagField, integerOr, oneAmount, percentField, textField } from '../schemas/fields.js';
import { address, amountText, baseUnits, bps, percent } from '../schemas/units.js';
import { APPROVAL_ERRORS, defineAction } from './define-action.js';
import { networkFee } from './outcome-records.js';

const tokenWarningRecord = z
  .strictObject({
    mint: address(),
    type: z.string().meta({ description: 'For programs: `HAS_FREEZE_AUTHORITY` …' }),
    severity: z.enum(['info', 'warning', 'critical']),
    message: z.string(),
  })
  .meta({ id: 'TokenWarning', description: 'What speaks against a token.' });

/** The terms that history shows, too. */
const tradeTerms = {
  inputMint: address("Wrapped SOL's mint for the native coin."),
  outputMint: address("Wrapped SOL's mint for the native coin."),
  inputAmountRaw: baseUnits('What is spent, network fee and rent apart.'),
  outputAmountRaw: baseUnits('What comes in, network fee and rent apart.'),
  minOutputAmountRaw: baseUnits('With less than this coming in, nothing moves.'),
  slippageBps: bps('How far below the quote the output may be.'),
  priceImpact: percent()
    .nullable()
    .meta({ description: 'What the trade loses against the market price; positive is a loss. Null if unknown.' }),
  route: z.array(z.string()).meta({ description: 'Names of the venues, the largest share first.' }),
};

/** A trade of one token for another (specification 2.3). Results show what moved, dry runs what was quoted. */
export const trade = defineAction({
  action: 'trade',
  component: 'Trade',
  service: 'swap',
  route: {
    id: 'trade',
    path: '/wallets/me/actions/trade',
    scope: 'trade',
    part: 'trading',
    area: 'Wallet',
    summary: 'Trade one token for another',
    notes:
      'Routed by an aggregator, over several venues where that gives more. `from` and `to` are symbols (SOL, USDC, USDT, ' +
      'JUP, BONK, WIF, RAY, ORCA) or mint addresses; SOL and its wrapped mint both mean the native coin, and a trade of it ' +
      'unwraps what the wallet holds wrapped. Needs `allowTrading`; the value of what is spent counts towards the limits. ' +
      'The network is paid in SOL by the wallet. A wallet with too little of it is sponsored, within bounds, when it ' +
      'buys SOL.\n\n' +
      '`slippageBps` says how far below the quote the output may be, in basis points: 10 for stable pairs, 50 for standard trades, 100 for volatile tokens, 300 where there is little ' +
      'liquidity. When the price moves further, nothing is traded (`SLIPPAGE_EXCEEDED`); `networkFeeLamports` is set ' +
      'when the network fee was paid.\n\n' +
      'A trade that brings less than 90 % of what it takes, at market prices, is refused (`trade_unfair`). ' +
      '`maxPriceImpactPercent` names another bound, with the slippage on top; `allowUnpricedOutput` takes an output ' +
      'without a price, which an agent with rules for recipients may not.\n\n' +
      'A token with critical warnings is refused (`UNSAFE_TOKEN`) unless `allowRisky` is true. `UNSAFE_TRANSACTION`: ' +
      'what the aggregator offered would have done more than was asked, and was not signed.',
  },
  errors: [
    'UNKNOWN_TOKEN',
    'INSUFFICIENT_FUNDS',
    'NO_ROUTE',
    'SLIPPAGE_EXCEEDED',
    'UNSAFE_TOKEN',
    'UNSAFE_TRANSACTION',
    'TRANSACTION_FAILED',
    ...APPROVAL_ERRORS,
  ],
  body: oneAmount(
    z.strictObject({
      from: textField(64, 'What is spent: symbol or mint address.'),
      to: textField(64, 'What comes in: symbol or mint address.'),
      ...amountFields('Amount of `from` in its standard unit, e.g. 25.5.'),
      slippageBps: integerOr(
        { min: 1, max: 5_000, default: 50, unit: 'Bps' },
        'How far below the quote the output may be: 50 is 0.5 %.',
      ),
      allowRisky: flagField('Trade even if a token has critical warnings.'),
      maxPriceImpactPercent: percentField(50, 'Most loss at market prices, slippage apart.'),
      allowUnpricedOutput: flagField('Take a token without a price.'),
    }),
  ),
  terms: [
    z
      .strictObject({
        inputAmount: amountText('What was spent.'),
        outputAmount: amountText('What came in.'),
        ...tradeTerms,
        networkFeeLamports: networkFee(),
        warnings: z.array(tokenWarningRecord).meta({ description: 'What speaks against the two tokens.' }),
      })
      .meta({ id: 'TradeTerms' }),
  ],
  message: 'Trade confirmed.',

  toRequest: ({ agentId, input: { maxPriceImpactPercent: maxPriceImpactBps, ...input } }) => ({
    agentId,
    ...input,
    ...amountOf(input),
    maxPriceImpactBps,
  }),
  perform: ({ swap }, request, deadlineMs) => swap.trade(request, deadlineMs),
  async dryRun({ swap }, request) {
    const { trade: reply, dryRun } = await swap.dryRunTrade(request);
    return { reply, dryRun };
  },
  metadata: composed('TradeMetadata', [chainMetadata], {
    from: z.string().meta({ description: 'What was spent: its symbol, or what the request named.' }),
    to: z.string().meta({ description: 'What came in: its symbol, or what the request named.' }),
    inputAmount: nullable(amountText()),
    outputAmount: nullable(amountText(), 'What came in; the quote until the trade has landed.'),
    inputMint: nullable(tradeTerms.inputMint),
    outputMint: nullable(tradeTerms.outputMint),
    inputAmountRaw: nullable(tradeTerms.inputAmountRaw),
    outputAmountRaw: nullable(tradeTerms.outputAmountRaw),
    minOutputAmountRaw: nullable(tradeTerms.minOutputAmountRaw),
    slippageBps: tradeTerms.slippageBps,
    priceImpact: tradeTerms.priceImpact,
    route: tradeTerms.route,
    warnings: z.array(tokenWarningRecord),
    sponsored: z.boolean().meta({ description: 'Whether the operator paid the network fee.' }),
  }),
  facts: 'trade',
  show(facts) {
    const [input, output] = [required(facts.input, 'input'), required(facts.output, 'output')];
    return {
      from: input.symbol,
      to: output.symbol,
      inputAmount: shownAmount(input),
      outputAmount: shownAmount(output),
      inputMint: textOrNull(input.mint),
      outputMint: textOrNull(output.mint),
      inputAmountRaw: orNull(input.amount, String),
      outputAmountRaw: orNull(output.amount, String),
      minOutputAmountRaw: orNull(facts.minOutputAmount, String),
      slippageBps: facts.slippageBps,
      priceImpact: priceImpactText(facts.priceImpactPercent),
      route: facts.route,
      warnings: facts.warnings.map(({ mint, type, severity, message }) => ({ mint, type, severity, message })),
      sponsored: facts.sponsored,
    };
  },
  mint: ({ input }) => mintOf(input?.mint ?? ''),
  requested: ({ from, to, amount, amountRaw, slippageBps }) => ({
    ...{ asset: from, amount, amountRaw },
    facts: {
      ...emptyMessage(swapV1.TradeFacts),
      input: { mint: '', symbol: from, decimals: 0 },
      output: { mint: '', symbol: to, decimals: 0 },
      slippageBps,
    },
  }),

  example: {
    request: { from: 'USDC', to: 'SOL', amount: 25, slippageBps: 50 },
    terms: {
      inputAmount: '25 USDC',
      outputAmount: '0.1666501 SOL',
      inputMint: USDC,
      outputMint: WRAPPED_SOL_MINT,
      inputAmountRaw: '25000000',
      outputAmountRaw: '166650100',
      minOutputAmountRaw: '165834166',
      slippageBps: 50,
      priceImpact: '0.12%',
      route: ['Raydium CLMM', 'Whirlpool'],
      networkFeeLamports: 5_000,
      warnings: [
        {
          mint: USDC,
          type: 'HAS_FREEZE_AUTHORITY',
          severity: 'warning',
          message:
            "The authority's owner could freeze your token account, preventing you from transferring or trading your tokens.",
        },
      ],
    },
    dryRun: {
      terms: { outputAmount: '0.1666675 SOL', outputAmountRaw: '166667500' },
      policy: {
        requestedUsd: 25,
        trade: { inputUsd: 25, leastOutputUsd: 24.875124, lossPercent: 0.5, maxLossPercent: 10 },
      },
      balanceChanges: [
        { mint: null, symbol: 'SOL', decimals: 9, amountRaw: '166662500' },
        { mint: USDC, symbol: 'USDC', decimals: 6, amountRaw: '-25000000' },
      ],
    },
  },
});

function shownAmount({ amount, decimals, symbol }: swapV1.TradedToken): ExactJson {
  return orNull(amount, (units) => `${formatAmount(units, decimals)} ${symbol}`);
}

const IMPACT_DECIMALS = 4;

/**
 * Returns a price impact with a loss as a positive number: `0.12%`. The aggregator counts a loss as negative. Rounded
 * to the nearest; null if unknown.
 */
function priceImpactText(percentage: string): string | null {
  if (percentage === '') return null;
  const { negative, digits, scale } = readDecimal(percentage);
  const unit = 10n ** BigInt(scale);
  const rounded = (2n * digits * 10n ** BigInt(IMPACT_DECIMALS) + unit) / (2n * unit);
  return `${formatAmount(negative ? rounded : -rounded, IMPACT_DECIMALS)}%`;
}
