import type { swapV1 } from '@agent-wallet/contracts';
import type { CallerLists } from '@agent-wallet/platform';

/** Who may call what. */
export const SWAP_CALLERS: CallerLists<typeof swapV1.SwapServiceService> = {
  trade: ['gateway'],
  dryRunTrade: ['gateway'],
};
