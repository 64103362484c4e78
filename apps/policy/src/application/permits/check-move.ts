import type { intentV1 } from '@agent-wallet/contracts';
import { AppError, NAMED_TOKENS } from '@agent-wallet/kernel';
import { TOKEN_PROGRAM } from '@agent-wallet/solana';

/** The one token that goes to the treasury and comes from it. */
export const USDC = { ...NAMED_TOKENS.find(({ symbol }) => symbol === 'USDC')!, tokenProgram: TOKEN_PROGRAM } as const;

/** What a database column can count. */
const MAX_AMOUNT = 2n ** 63n - 1n;

/**
 * Proves that an escrow or a payout is USDC between the wallet and the operator's own treasury, and nothing else. A payout
 * is paid for by the treasury itself.
 * @throws AppError VALIDATION_ERROR naming the field
 */
export function checkMove(
  { wallet, sponsor }: intentV1.Intent,
  { $case, value }: Extract<intentV1.Intent['action'], { $case: 'escrow' | 'payout' }>,
  { treasuryAddress }: { readonly treasuryAddress: string | undefined },
): void {
  const refused = (field: string, reason: string) => AppError.field(`intent.${$case}.${field}`, reason);
  if ($case === 'payout' && sponsor !== undefined) {
    throw AppError.field('intent.sponsor', 'must be unset: no payout is sponsored');
  }
  if (value.treasury !== treasuryAddress) throw refused('treasury', "is not the operator's treasury");
  if (value.treasury === wallet) throw refused('treasury', 'must not be the wallet itself');
  if (value.mint !== USDC.mint) throw refused('mint', 'is not the mint of USDC');
  if (value.tokenProgram !== USDC.tokenProgram) throw refused('tokenProgram', 'is not the program that owns the mint');
  if (value.decimals !== USDC.decimals) throw refused('decimals', 'are not the decimals of the mint');
  if (value.amount <= 0n || value.amount > MAX_AMOUNT) {
    throw refused('amount', `must be positive, and at most ${MAX_AMOUNT}`);
  }
}
