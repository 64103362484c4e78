import { swapV1 } from '@agent-wallet/contracts';
import { formatAmount } from '@agent-wallet/kernel';
import { z } from 'zod';
import { orNull } from '../../application/responses/cents.js';
import { VENUE } from '../../application/responses/liquidity-response.js';
import { integerNumber } from '../../application/responses/exact-json.js';
import { nullable } from '../history/outcome.js';
import { emptyMessage, mintOf } from '../history/transaction-kind.js';
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

/** Returns the values of `liquidityMetadata`, and what the responses of both actions have beside their tokens. */
export function showLiquidity({ pool, liquidity, slippageBps, tokens, lpMint, rentLamports }: swapV1.LiquidityFacts) {
  return {
    ...{ venue: VENUE, pool, positionId: pool, slippageBps, lpMint },
    liquidityRaw: orNull(liquidity, String),
    rentLamports: integerNumber(rentLamports),
    tokens: tokens.map(liquidityToken),
  };
}

/** Returns facts of which only the request is known. */
export function requestedLiquidity(pool: string, slippageBps: number): swapV1.LiquidityFacts {
  return { ...emptyMessage(swapV1.LiquidityFacts), pool, slippageBps };
}
