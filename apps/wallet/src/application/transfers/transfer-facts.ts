import type { walletV1 } from '@agent-wallet/contracts';
import { leavingOf, sentOf, transferOf, type TransferPlan, type TransferRequest } from '../../domain/transfer.js';
import { TOKEN_PROGRAM } from '@agent-wallet/solana';
import { NATIVE, type TokenRegistry } from '../../domain/token-registry.js';

/**
 * Returns what is known of a transfer: what its response, its event and history state.
 * @param known the plan, or before there is one that of `planOfKnownToken`
 */
export function transferFacts(request: TransferRequest, known: TransferPlan | undefined): walletV1.TransferFacts {
  const { to: recipient, memo, mint } = request;
  const named = { mint, symbol: mint, decimals: 0, recipient, memo };
  if (!known) return { ...named, ...NOTHING_KNOWN };
  return {
    ...named,
    mint: known.mint,
    symbol: known.symbol,
    decimals: known.decimals,
    amount: known.amount,
    amountSent: known.received ?? sentOf(known),
    fee: known.fee?.amount ?? 0n,
    feeDeducted: known.fee?.isDeducted ?? false,
    totalDeducted: leavingOf(known),
    rentLamports: known.rentLamports ?? 0n,
    sponsored: known.sponsor !== undefined,
  };
}

const NOTHING_KNOWN = {
  ...{ amountSent: 0n, fee: 0n, totalDeducted: 0n, rentLamports: 0n },
  feeDeducted: false,
  sponsored: false,
} as const;

/**
 * Returns the plan of a known token's transfer before any read of the chain.
 * @throws AppError VALIDATION_ERROR for the amount
 */
export function planOfKnownToken(request: TransferRequest, registry: TokenRegistry): TransferPlan | undefined {
  const known = registry.known(request.mint);
  return known && transferOf(request, { ...known, tokenProgram: known.mint === NATIVE.mint ? '' : TOKEN_PROGRAM });
}
