import { DOLLAR_USD_MICROS, type Side } from '@agent-wallet/kalshi';
import { AppError, formatAmount, USD_DECIMALS } from '@agent-wallet/kernel';
import { HUNDREDTHS } from './filled-amounts.js';
import { USD_MICROS_PER_CENT } from './limit-price.js';

/** An agent's request to trade. */
export interface OrderRequest {
  /** The market as the caller wrote it. */
  readonly ticker: string;
  readonly side: Side;
  /** Hundredths of contracts. */
  readonly count: bigint;
}

/** A buy as the caller wrote it. */
export interface BuyRequest extends OrderRequest {
  /** The most to pay for one contract; without it the book decides. */
  readonly maxPriceUsdMicros?: bigint;
}

/** A sale as the caller wrote it. */
export interface SellRequest extends OrderRequest {
  /** The least to take for one contract; without it the book decides. */
  readonly minPriceUsdMicros?: bigint;
}

/** A withdrawal as the caller wrote it. */
export interface WithdrawRequest {
  readonly amountUsdMicros: bigint;
}

/** In contracts. A position, which is sold by its shown quantity, may come from many buys. */
const MAX_BOUGHT = 100_000n;
const MAX_SOLD = 1_000_000_000n;
const MAX_TICKER_LENGTH = 100;
/** More than any treasury holds. */
const MAX_WITHDRAWAL_USD_MICROS = 10n ** 15n;

/** Refuses what can be refused without asking anyone. @throws AppError VALIDATION_ERROR */
export function checkBuy(request: BuyRequest): void {
  checkTicker(request);
  const { count } = request;
  if (count % HUNDREDTHS !== 0n || count < HUNDREDTHS || count > MAX_BOUGHT * HUNDREDTHS) {
    throw AppError.field('count', `must be an integer from 1 to ${MAX_BOUGHT}`, 'out_of_range');
  }
  checkPrice('maxPriceDollars', request.maxPriceUsdMicros);
}

/** Refuses what can be refused without asking anyone. @throws AppError VALIDATION_ERROR */
export function checkSell(request: SellRequest): void {
  checkTicker(request);
  const { count } = request;
  if (count < 1n || count > MAX_SOLD * HUNDREDTHS) {
    throw AppError.field('count', `must be from 0.01 to ${MAX_SOLD}`, 'out_of_range');
  }
  checkPrice('minPriceDollars', request.minPriceUsdMicros);
}

/** Refuses what is not a positive number of whole cents. @throws AppError VALIDATION_ERROR */
export function checkWithdrawal({ amountUsdMicros }: WithdrawRequest): void {
  if (amountUsdMicros <= 0n) throw AppError.field('amountDollars', 'must be greater than 0', 'out_of_range');
  if (amountUsdMicros % USD_MICROS_PER_CENT !== 0n)
    throw AppError.field('amountDollars', 'must have at most 2 decimals', 'too_many_decimals');
  if (amountUsdMicros > MAX_WITHDRAWAL_USD_MICROS)
    throw AppError.field(
      'amountDollars',
      `must be at most ${formatAmount(MAX_WITHDRAWAL_USD_MICROS, USD_DECIMALS)}`,
      'out_of_range',
    );
}

/**
 * Refuses a withdrawal below the least one, each of which costs the treasury a network fee. What takes every whole cent of
 * the balance always passes, so that nothing is stuck.
 * @throws AppError VALIDATION_ERROR
 */
export function checkLeastWithdrawal(
  { amountUsdMicros }: WithdrawRequest,
  { availableUsdMicros, minUsdMicros }: { readonly availableUsdMicros: bigint; readonly minUsdMicros: bigint },
): void {
  if (amountUsdMicros >= minUsdMicros || availableUsdMicros - amountUsdMicros < USD_MICROS_PER_CENT) return;
  const [least, whole] = [minUsdMicros, availableUsdMicros - (availableUsdMicros % USD_MICROS_PER_CENT)].map((each) =>
    formatAmount(each, USD_DECIMALS),
  );
  const reason =
    availableUsdMicros < minUsdMicros
      ? `must be the whole balance, ${whole}, since that is less than ${least}`
      : `must be at least ${least}, or the whole balance, ${whole}`;
  throw AppError.field('amountDollars', reason, 'out_of_range');
}

function checkTicker({ ticker }: OrderRequest): void {
  if (ticker.length > 0 && ticker.length <= MAX_TICKER_LENGTH) return;
  throw AppError.field('ticker', `must have 1 to ${MAX_TICKER_LENGTH} characters`);
}

function checkPrice(field: string, price: bigint | undefined): void {
  if (price === undefined || (price > 0n && price < DOLLAR_USD_MICROS)) return;
  throw AppError.field(field, 'must be above 0 and below 1', 'out_of_range');
}
