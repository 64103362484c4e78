import { AppError } from '@agent-wallet/kernel';
import { associatedTokenAddress, type ChainAccount, isTokenProgram, readTokenAccount } from '@agent-wallet/solana';
import { isNative, type Token } from '../domain/tokens.js';
import type { Holdings, Sides, WrappedSol } from '../domain/trade-sides.js';

/** The accounts of a wallet that a trade may touch, by base58 address. A native side has the one of wrapped SOL. */
export interface OwnAccounts {
  readonly wallet: string;
  readonly input: string;
  readonly output: string;
}

/** Returns the wallet's accounts for a trade. */
export function ownAccountsOf({ wallet, input, output }: Sides): OwnAccounts {
  return { wallet, input: accountOf(wallet, input), output: accountOf(wallet, output) };
}

/** Lists the addresses in the order in which they are read. */
export function addressesOf({ wallet, input, output }: OwnAccounts): [string, string, string] {
  return [wallet, input, output];
}

/**
 * Reads what a wallet holds for a trade.
 * @param accounts in the order of {@link addressesOf}
 * @throws AppError UNSAFE_TOKEN when an account is frozen, or has another owner
 */
export function readHoldings(sides: Sides, accounts: readonly (ChainAccount | null)[]): Holdings {
  const [wallet, input, output] = accounts;
  const inputUnits = isNative(sides.input) ? 0n : unitsOf(input, sides.input, sides.wallet);
  if (!isNative(sides.output)) unitsOf(output, sides.output, sides.wallet);
  return {
    lamports: wallet?.lamports ?? 0n,
    inputUnits,
    hasInputAccount: readTokenAccount(input) !== undefined,
    hasOutputAccount: readTokenAccount(output) !== undefined,
    wrapped: wrappedSol(isNative(sides.input) ? input : isNative(sides.output) ? output : undefined),
  };
}

function wrappedSol(account: ChainAccount | null | undefined): WrappedSol | undefined {
  const found = readTokenAccount(account);
  return found && account ? { units: found.amount, lamports: account.lamports } : undefined;
}

function unitsOf(account: ChainAccount | null | undefined, { symbol, mint }: Token, wallet: string): bigint {
  const found = readTokenAccount(account);
  if (!found) return 0n;
  if (found.isFrozen)
    throw unsafeAccount(
      mint,
      'frozen_wallet',
      `The issuer of ${symbol} has frozen the wallet's account. Choose another token, or ask its issuer.`,
    );
  if (found.owner !== wallet) {
    throw unsafeAccount(
      mint,
      'account_given_away',
      `The wallet's account for ${symbol} belongs to another wallet. Choose another token.`,
    );
  }
  return found.amount;
}

function unsafeAccount(mint: string, reason: string, message: string): AppError {
  return new AppError('UNSAFE_TOKEN', { message, data: { mint, reasons: [reason] } });
}

function accountOf(owner: string, { mint, tokenProgram }: Token): string {
  if (!isTokenProgram(tokenProgram)) throw new TypeError('a token belongs to one of the token programs');
  return associatedTokenAddress({ owner, mint, tokenProgram });
}
