import { AppError, formatAmount, SOL_DECIMALS } from '@agent-wallet/kernel';

/** What a transfer takes, and what there is. All amounts in base units. */
export interface Funds {
  /** Undefined when the native coin is sent. */
  readonly token: { readonly symbol: string; readonly decimals: number; readonly available: bigint } | undefined;
  readonly amount: bigint;
  /** What the wallet holds of the native coin. */
  readonly lamports: bigint;
  readonly networkFeeLamports: bigint;
  /** What the recipient's new token account must hold; 0 when it has one. */
  readonly rentLamports: bigint;
  /** What the recipient's wallet holds of the native coin. */
  readonly recipientLamports: bigint;
  /** The least that an account may hold, unless it holds nothing. */
  readonly minimumLamports: bigint;
}

/**
 * Refuses a transfer that the chain would refuse.
 * @throws AppError INSUFFICIENT_FUNDS, naming what is missing; VALIDATION_ERROR for less than a new account must hold
 */
export function checkFunds(funds: Funds): void {
  const { token, amount } = funds;
  if (token && token.available < amount) throw insufficient(token, amount);
  if (!token) checkRecipient(funds);
  checkLamports(funds, (token ? 0n : amount) + funds.networkFeeLamports + funds.rentLamports);
}

function checkRecipient({ recipientLamports, amount, minimumLamports }: Funds): void {
  if (recipientLamports + amount >= minimumLamports) return;
  const minimum = formatAmount(minimumLamports - recipientLamports, SOL_DECIMALS);
  throw AppError.field(
    'amount',
    `must be at least ${minimum} SOL, because the recipient's account would hold too little`,
  );
}

function checkLamports({ lamports, minimumLamports }: Funds, needed: bigint): void {
  const native = { symbol: 'SOL', decimals: SOL_DECIMALS, available: lamports };
  if (lamports < needed) throw insufficient(native, needed);
  const left = lamports - needed;
  // The chain lets no account hold less than its rent, except nothing.
  if (left > 0n && left < minimumLamports) throw insufficient(native, needed + minimumLamports);
}

function insufficient(token: { symbol: string; decimals: number; available: bigint }, needed: bigint): AppError {
  const { symbol, decimals, available } = token;
  const missing = needed - available;
  const text = (units: bigint) => `${formatAmount(units, decimals)} ${symbol}`;
  return new AppError('INSUFFICIENT_FUNDS', {
    message: `The wallet holds ${text(available)} where ${text(needed)} are needed: ${text(missing)} are missing.`,
    data: {
      asset: symbol,
      availableRaw: available.toString(),
      neededRaw: needed.toString(),
      missingRaw: missing.toString(),
    },
  });
}
