import type { swapV1, walletV1 } from '@agent-wallet/contracts';
import { AppError } from '@agent-wallet/kernel';
import { required } from '../../ports/services.js';
import { orNull } from './cents.js';
import { VENUE } from './liquidity-response.js';
import { amountNumber, type ExactJson, isoTime, usdNumber } from './exact-json.js';

const NO_POSITIONS: swapV1.ListPositionsResponse = { positions: [], pricedAtMs: 0n };

/**
 * Balances as specification 2.5 shows them; a value without a known price is null, never 0. Shares of pools get the
 * value of their positions.
 */
export function balancesResponse(
  balances: walletV1.GetBalancesResponse,
  { positions, pricedAtMs }: swapV1.ListPositionsResponse = NO_POSITIONS,
): ExactJson {
  const { sol } = balances;
  if (!sol) throw new AppError('INTERNAL_ERROR', { message: 'balances came without the native coin' });
  const shown = balances.tokens.map((token) => shownToken(token, positions));
  return {
    chainAddress: balances.address,
    sol: {
      balance: amountNumber(sol.amount, sol.decimals),
      amountRaw: sol.amount.toString(),
      decimals: sol.decimals,
      usdValue: usdValue(sol),
    },
    tokens: shown.map(({ token, share, usdMicros }) => ({
      mint: token.mint,
      symbol: token.symbol,
      balance: amountNumber(token.amount, token.decimals),
      amountRaw: token.amount.toString(),
      decimals: token.decimals,
      usdValue: usdValue({ usdMicros }),
      liquidity: share?.pool ? { venue: VENUE, pool: share.pool.pool } : null,
      scaled: token.isScaled,
    })),
    totalUsdValue: usdNumber(totalOf(shown, balances.totalUsdMicros)),
    pricedAt: oldest(balances.pricedAtMs, pricedAtMs),
  };
}

interface ShownToken {
  readonly token: walletV1.TokenBalance;
  readonly share: swapV1.Position | undefined;
  /** Value of the share at the prices of both tokens, rather than by a market price of its own. */
  readonly usdMicros: bigint | undefined;
}

function shownToken(token: walletV1.TokenBalance, positions: readonly swapV1.Position[]): ShownToken {
  const share = token.isLiquidity ? positions.find(({ pool }) => pool?.lpMint === token.mint) : undefined;
  return { token, share, usdMicros: share?.usdMicros ?? token.usdMicros };
}

/** Returns the sum with the value of each share in the place of its token's, so that none counts twice. */
function totalOf(shown: readonly ShownToken[], ofTokens: bigint): bigint {
  return shown.reduce((sum, { token, usdMicros = 0n }) => sum + usdMicros - (token.usdMicros ?? 0n), ofTokens);
}

function oldest(...times: readonly bigint[]): ExactJson {
  const known = times.filter((time) => time > 0n).sort((a, b) => Number(a - b));
  return orNull(known[0], isoTime);
}

function usdValue({ usdMicros }: { readonly usdMicros?: bigint | undefined }): ExactJson {
  return orNull(usdMicros, usdNumber);
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
