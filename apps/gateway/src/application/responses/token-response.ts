import type { walletV1 } from '@agent-wallet/contracts';
import type { ExactJson } from './exact-json.js';
import { present } from '../../ports/services.js';

/** What is known of a token; who has no power over it is null. */
export function tokenResponse(token: walletV1.GetTokenResponse): ExactJson {
  const safety = present(token.safety, 'safety');
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
