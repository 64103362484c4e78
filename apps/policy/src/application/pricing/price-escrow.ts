import type { AcceptedPrices } from '@agent-wallet/prices';
import type { SpentToken } from '../../domain/passing-amount.js';
import { valueOf } from '../../domain/value.js';
import { USDC } from '../permits/check-move.js';
import { askUpstream, priceOf, readPrices, undefinedWithoutPrices } from './known-prices.js';

/** Value that an escrow takes. */
export interface EscrowValue {
  /** Micro-dollars, at the highest price of the last 24 hours, rounded up; undefined without a price. */
  readonly valueUsdMicros: bigint | undefined;
  /** The token that it spends; undefined without a value. */
  readonly spent: SpentToken | undefined;
}

/** Values what goes to the treasury by policy's own knowledge. */
export class PriceEscrow {
  constructor(private readonly prices: AcceptedPrices) {}

  /** Returns the value of base units of USDC. Its price may be missing, stale, doubtful, or impossible to request. */
  async execute(amount: bigint): Promise<EscrowValue> {
    const { mint, decimals } = USDC;
    const found = await askUpstream(() => readPrices(this.prices, [mint])).catch(undefinedWithoutPrices);
    const price = found && priceOf(found, USDC)?.highest;
    return {
      valueUsdMicros: price && valueOf({ amount, decimals, price, rent: undefined }),
      spent: price && { mint, decimals, price, fee: 0n, otherUsdMicros: 0n },
    };
  }
}
