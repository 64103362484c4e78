import type { PreviewTrade } from './preview-trade.js';
import type { Trade } from './trade.js';

/** All that the swap service does for its callers. */
export interface SwapUseCases {
  readonly trade: Trade;
  readonly previewTrade: PreviewTrade;
}

/** Under which Nest finds them. */
export const SWAP_USE_CASES = Symbol('the use cases of the swap service');
