import type { swapV1 } from '@agent-wallet/contracts';
import { formatAmount } from '@agent-wallet/kernel';
import { z } from 'zod';
import { orNull } from '../../application/responses/cents.js';
import { VENUE } from '../../application/responses/liquidity-response.js';
import { integerNumber } from '../../application/responses/exact-json.js';
import { nullable } from '../history/outcome.js';
import { mintOf, type PublishedFacts, textOf, unitsOf } from '../history/transaction-kind.js';
import { address, amountText, baseUnits, bps } from '../schemas/units.js';
import { venueRecord } from '../schemas/wallet-records.js';

const liquidityTokenFields = {
  mint: address().nullable().meta({ description: 'Null for the native coin.' }),
  symbol: z.string(),
  amount: amountText(),
  amountRaw: baseUnits('What moved, network fee and rent apart; before it has landed, what is quoted.'),
};

/** A token of a pool, as history shows it. */
export const liquidityTokenRecord = z
  .strictObject(liquidityTokenFields)
  .meta({ id: 'LiquidityToken', description: 'One of the two tokens of a pool.' });

/** Fields that terms and history of both actions have. */
export const liquidityFields = {
  venue: venueRecord,
  pool: address('The pool.'),
  positionId: z.string().meta({ description: "The position; of `raydium-cpmm` the pool's address." }),
  liquidityRaw: baseUnits('Liquidity tokens.'),
  slippageBps: bps('How far the pool may move against the wallet.'),
};

/** Returns what both actions show of a pool. */
export function poolTerms({
  pool,
  liquidity,
  slippageBps,
}: Pick<swapV1.AddLiquidityResponse, 'pool' | 'liquidity' | 'slippageBps'>) {
  return { venue: VENUE, pool, positionId: pool, liquidityRaw: liquidity.toString(), slippageBps };
}

/** Returns a token and its amount. */
export function liquidityToken({ mint, symbol, decimals, amount }: swapV1.LiquidityToken) {
  return {
    mint: mintOf(mint),
    symbol,
    amount: `${formatAmount(amount, decimals)} ${symbol}`,
    amountRaw: amount.toString(),
  };
}

/** The record of history of both actions, beside the outcome. */
export const liquidityMetadata = {
  ...liquidityFields,
  liquidityRaw: nullable(liquidityFields.liquidityRaw),
  tokens: z.array(liquidityTokenRecord).meta({ description: 'Both tokens; empty while they are not known.' }),
};

/** Returns the values of `liquidityMetadata`. */
export function describeLiquidity(facts: PublishedFacts) {
  const pool = textOf(facts['pool']) ?? '';
  const tokens = Array.isArray(facts['tokens']) ? (facts['tokens'] as PublishedToken[]) : [];
  return {
    venue: VENUE,
    pool,
    positionId: textOf(facts['positionId']) ?? pool,
    liquidityRaw: textOf(facts['liquidityRaw']),
    slippageBps: orNull(unitsOf(facts['slippageBps']), integerNumber),
    tokens: tokens.map(({ amountRaw, ...token }) => liquidityToken({ ...token, amount: BigInt(amountRaw), bound: 0n })),
  };
}

interface PublishedToken {
  readonly mint: string;
  readonly symbol: string;
  readonly decimals: number;
  readonly amountRaw: string;
}
