import type { walletV1 } from '@agent-wallet/contracts';
import { AppError } from '@agent-wallet/kernel';
import { required } from '../../ports/services.js';
import { amountNumber, type ExactJson, isoTime, usdNumber } from './exact-json.js';

/** Balances as specification 2.5 shows them; a value without a known price is null, never 0. */
export function balancesResponse(balances: walletV1.GetBalancesResponse): ExactJson {
  const { sol } = balances;
  if (!sol) throw new AppError('INTERNAL_ERROR', { message: 'balances came without the native coin' });
  return {
    chainAddress: balances.address,
    sol: {
      balance: amountNumber(sol.amount, sol.decimals),
      amountRaw: sol.amount.toString(),
      decimals: sol.decimals,
      usdValue: usdValue(sol),
    },
    tokens: balances.tokens.map((token) => ({
      mint: token.mint,
      symbol: token.symbol,
      balance: amountNumber(token.amount, token.decimals),
      amountRaw: token.amount.toString(),
      decimals: token.decimals,
      usdValue: usdValue(token),
    })),
    totalUsdValue: usdNumber(balances.totalUsdMicros),
    pricedAt: balances.pricedAtMs === 0n ? null : isoTime(balances.pricedAtMs),
  };
}

function usdValue(token: walletV1.TokenBalance): ExactJson {
  return token.usdMicros === undefined ? null : usdNumber(token.usdMicros);
}

/** Returns the known facts about a token; absent powers over it are null. */
export function tokenResponse(token: walletV1.GetTokenResponse): ExactJson {
  const safety = required(token.safety, 'safety');
  return {
    mint: token.mint,
    symbol: token.symbol,
    name: token.name,
    decimals: token.decimals,
    verified: token.verified,
    safety: {
      freezeAuthority: safety.freezeAuthority || null,
      mintAuthority: safety.mintAuthority || null,
      permanentDelegate: safety.permanentDelegate || null,
      transferHook: safety.transferHook || null,
      transferFeeBps: safety.transferFeeBps,
      maxTransferFeeRaw: safety.maxTransferFee.toString(),
      unsafeExtensions: safety.unsafeExtensions,
    },
  };
}
