import { AmountError, AppError, type BaseUnits, parseAmount, readDecimal } from '@agent-wallet/kernel';
import { knownToken } from './token-registry.js';

/** A transfer as the caller wrote it. */
export interface TransferRequest {
  /** The recipient's address. */
  readonly to: string;
  /** Symbol or mint; empty for the native coin. */
  readonly token: string;
  /** Decimal text in the token's standard unit. */
  readonly amount: string;
  /** Text for the chain; empty for none. */
  readonly memo: string;
}

const MAX_MEMO_BYTES = 256;

/**
 * Refuses what can be refused without asking anyone. Fields are named as in the public API.
 * @param isAddress whether a text is the base58 form of 32 bytes
 * @throws AppError VALIDATION_ERROR or UNKNOWN_TOKEN
 */
export function checkRequest(request: TransferRequest, isAddress: (text: string) => boolean): void {
  const known = knownToken(request.token);
  if (!known && !isAddress(request.token)) throw unknownToken();
  if (known) parseTransferAmount(request.amount, known.decimals);
  else orRefuseAmount(() => readDecimal(request.amount));
  if (Buffer.byteLength(request.memo) > MAX_MEMO_BYTES) {
    throw AppError.field('memo', `must have at most ${MAX_MEMO_BYTES} bytes of UTF-8`);
  }
}

/** The amount in base units. @throws AppError VALIDATION_ERROR naming `amount` */
export function parseTransferAmount(text: string, decimals: number): BaseUnits {
  return orRefuseAmount(() => parseAmount(text, decimals));
}

/** The token is neither a known symbol nor a mint. */
export function unknownToken(): AppError {
  return AppError.field('mint', 'is neither a known symbol nor the address of a mint', 'UNKNOWN_TOKEN');
}

function orRefuseAmount<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof AmountError) throw AppError.field('amount', error.message);
    throw error;
  }
}
