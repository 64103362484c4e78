import { AmountError, AppError, type BaseUnits, parseAmount, readDecimal } from '@agent-wallet/kernel';
import { mintOfSymbol } from './tokens.js';

/** A trade as the caller wrote it. */
export interface TradeRequest {
  /** Symbol or mint. */
  readonly from: string;
  /** Symbol or mint. */
  readonly to: string;
  /** Decimal text of what is spent, in the standard unit of `from`. */
  readonly amount: string;
  /** How far below the quote the output may be, in basis points. */
  readonly slippageBps: number;
  /** Whether critical warnings of a token are accepted. */
  readonly allowRisky: boolean;
}

/** The mints of a trade. */
export interface TradedMints {
  readonly inputMint: string;
  readonly outputMint: string;
}

const MAX_SLIPPAGE_BPS = 5_000;

/**
 * Refuses what can be refused without asking anyone. Fields are named as in the public API.
 * @param isAddress whether a text is the base58 form of 32 bytes
 * @throws AppError VALIDATION_ERROR or UNKNOWN_TOKEN
 */
export function checkTrade(request: TradeRequest, isAddress: (text: string) => boolean): TradedMints {
  const { from, to, amount, slippageBps } = request;
  const [inputMint, outputMint] = [mintOfSymbol(from) ?? from, mintOfSymbol(to) ?? to];
  if (!isAddress(inputMint)) throw unknownToken('from');
  if (!isAddress(outputMint)) throw unknownToken('to');
  if (inputMint === outputMint) throw AppError.field('to', 'must be another token than from');
  if (!Number.isInteger(slippageBps) || slippageBps < 1 || slippageBps > MAX_SLIPPAGE_BPS) {
    throw AppError.field('slippageBps', `must be an integer from 1 to ${MAX_SLIPPAGE_BPS}`);
  }
  orRefuseAmount(() => {
    const { negative, digits } = readDecimal(amount);
    if (negative || digits === 0n) throw new AmountError('not_positive', 'must be greater than 0');
  });
  return { inputMint, outputMint };
}

/** The amount in base units. @throws AppError VALIDATION_ERROR naming `amount` */
export function parseTradeAmount(text: string, decimals: number): BaseUnits {
  return orRefuseAmount(() => parseAmount(text, decimals));
}

/** The token is neither a known symbol nor a mint. */
export function unknownToken(field: 'from' | 'to'): AppError {
  return AppError.field(field, 'is neither a known symbol nor the address of a mint', 'UNKNOWN_TOKEN');
}

function orRefuseAmount<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof AmountError) throw AppError.field('amount', error.message);
    throw error;
  }
}
