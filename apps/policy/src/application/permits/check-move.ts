import type { intentV1 } from '@agent-wallet/contracts';
import { AppError, NAMED_TOKENS } from '@agent-wallet/kernel';
import { TOKEN_PROGRAM } from '@agent-wallet/solana';

/** USDC, the only token that goes to the treasury and comes from it. */
export const USDC = { ...NAMED_TOKENS.find(({ symbol }) => symbol === 'USDC')!, tokenProgram: TOKEN_PROGRAM } as const;

/**
 * Proves that an escrow or a payout is USDC between the wallet and the operator's own treasury, and nothing else. A payout
 * is paid for by the treasury itself. An escrow names the order that it pays for, which costs exactly that.
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
  if (value.amount <= 0n) throw refused('amount', 'must be positive');
  if ($case === 'escrow') {
    if (!value.order) throw refused('order', 'must name what the escrow pays for');
    checkOrder(value.order, value.amount);
  }
}

const SIDES: ReadonlySet<string> = new Set(['yes', 'no']);

function checkOrder(order: intentV1.EscrowOrder, amount: bigint): void {
  const refused = (field: string, reason: string) => AppError.field(`intent.escrow.order.${field}`, reason);
  if (order.ticker === '') throw refused('ticker', 'must name a market');
  if (!SIDES.has(order.side)) throw refused('side', 'must be yes or no');
  if (order.count <= 0n) throw refused('count', 'must be positive');
  if (order.maxPriceUsdMicros <= 0n) throw refused('maxPriceUsdMicros', 'must be positive');
  if (order.maxCostUsdMicros !== amount) throw refused('maxCostUsdMicros', 'must be the amount');
}
