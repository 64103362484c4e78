import { AppError, formatAmount, SOL_DECIMALS } from '@agent-wallet/kernel';
import { neededLamports } from './lamports.js';
import type { Holdings } from './sides.js';
import { isNative, type Token } from './tokens.js';

/** What a trade takes, and what there is. */
export interface Funds {
  readonly input: Token;
  /** Base units that are spent. */
  readonly amount: bigint;
  readonly holdings: Holdings;
  /** Network fee and tips, in lamports. */
  readonly networkLamports: bigint;
  /** Lamports that the wallet's new accounts must hold, those that are closed again among them. */
  readonly rentLamports: bigint;
  /** The least that a wallet may hold, unless it holds nothing. */
  readonly minimumLamports: bigint;
}

/** Refuses a trade that the wallet cannot pay. @throws AppError INSUFFICIENT_FUNDS, naming what is missing */
export function checkFunds({ input, amount, holdings, ...costs }: Funds): void {
  if (!isNative(input) && holdings.inputUnits < amount) throw insufficient(input, holdings.inputUnits, amount);
  const needed = neededLamports({
    held: holdings.lamports,
    networkFee: costs.networkLamports,
    other: costs.rentLamports + (isNative(input) ? amount : 0n),
    minimum: costs.minimumLamports,
  });
  if (needed !== undefined) throw insufficient({ symbol: 'SOL', decimals: SOL_DECIMALS }, holdings.lamports, needed);
}

function insufficient(
  { symbol, decimals }: Pick<Token, 'symbol' | 'decimals'>,
  available: bigint,
  needed: bigint,
): AppError {
  const missing = needed - available;
  const text = (units: bigint) => `${formatAmount(units, decimals)} ${symbol}`;
  return new AppError('INSUFFICIENT_FUNDS', {
    message: `The wallet holds ${text(available)} where ${text(needed)} are needed: ${text(missing)} are missing.`,
    data: {
      asset: symbol,
      availableRaw: available.toString(),
      neededRaw: needed.toString(),
      missingRaw: missing.toString(),
      ...(symbol === 'SOL' ? { missingLamports: missing.toString() } : {}),
    },
  });
}
