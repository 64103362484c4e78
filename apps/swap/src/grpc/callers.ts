import type { swapV1 } from '@agent-wallet/contracts';
import type { CallerLists } from '@agent-wallet/platform';

/** Callers allowed for each method. */
export const SWAP_CALLERS: CallerLists<typeof swapV1.SwapServiceService> = {
  trade: ['gateway'],
  dryRunTrade: ['gateway'],
  addLiquidity: ['gateway'],
  dryRunAddLiquidity: ['gateway'],
  removeLiquidity: ['gateway'],
  dryRunRemoveLiquidity: ['gateway'],
  listPools: ['gateway'],
  getPool: ['gateway'],
  listPositions: ['gateway'],
};
