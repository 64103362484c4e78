import type { AcceptedPrices } from '@agent-wallet/prices';
import { USDC } from '../permits/check-move.js';
import { askUpstream, undefinedWithoutPrices } from './known-prices.js';
import { tokenValue } from './token-value.js';

/** Values what goes to the treasury by policy's own knowledge. */
export class PriceEscrow {
  constructor(private readonly prices: AcceptedPrices) {}

  /**
   * Returns the value of base units of USDC, in micro-dollars; undefined when the price is missing, stale, doubtful or
   * cannot be requested.
   */
  execute(amount: bigint): Promise<bigint | undefined> {
    return askUpstream(() => tokenValue(this.prices, { ...USDC, amount })).catch(undefinedWithoutPrices);
  }
}
