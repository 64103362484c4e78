import type { intentV1 } from '@agent-wallet/contracts';
import { isOnCurve } from '@agent-wallet/solana';
import type { AccountValues } from '../../domain/sponsorship.js';
import type { PricedIntent } from '../../ports/reservation-store.js';
import type { ShownMessage } from './check-shown-swap.js';
import type { PriceEscrow } from './price-escrow.js';
import type { PriceLiquidity } from './price-liquidity.js';
import type { PriceSwap } from './price-swap.js';
import type { PriceTransfer } from './price-transfer.js';
import { NATIVE } from '../../domain/owners/document.js';
import { type IntentTerms, readIntent } from '../permits/read-intent.js';

/** Values what leaves an agent's control. */
export interface Pricing {
  readonly transfers: PriceTransfer;
  readonly swaps: PriceSwap;
  readonly escrows: PriceEscrow;
  readonly liquidity: PriceLiquidity;
}

/** Reads an intent, and finds what it takes: from the agent, and from the sponsor. */
export class PriceIntent {
  constructor(
    private readonly pricing: Pricing,
    private readonly terms: IntentTerms,
  ) {}

  /**
   * @param shown the message that is to be permitted; undefined when none is
   * @throws AppError of `readIntent`, `PriceTransfer`, `PriceSwap`, `PriceEscrow` and `PriceLiquidity`
   */
  async execute(intent: intentV1.Intent | undefined, shown?: ShownMessage): Promise<PricedIntent> {
    const { action, sponsoredFeeLamports } = readIntent(intent, this.terms);
    switch (action.$case) {
      case 'unwrap':
        // What it moves stays the agent's own, regardless of its value.
        return { kind: 'self', valueUsdMicros: 0n, sponsorship: sponsored(sponsoredFeeLamports, 0n) };
      case 'swap':
        return { ...(await this.#trade(action.value, shown)), sponsorship: sponsored(sponsoredFeeLamports, 0n) };
      case 'escrow': {
        const { amount, order } = action.value;
        const value = await this.pricing.escrows.execute(amount);
        const sponsorship = sponsored(sponsoredFeeLamports, 0n);
        return { kind: 'escrow', amount, ticker: order!.ticker, ...value, sponsorship };
      }
      case 'liquidityAdd':
        return { kind: 'liquidity_add', ...(await this.pricing.liquidity.execute(action.value)) };
      case 'liquidityRemove':
        // It comes back to the wallet: the signer accepts no other accounts.
        return { kind: 'liquidity_remove', valueUsdMicros: 0n };
      case 'payout':
        return { kind: 'payout', amount: action.value.amount, valueUsdMicros: 0n };
      case 'transfer': {
        const { recipient, mint, amount } = action.value;
        const { rentLamports, account, ...value } = await this.pricing.transfers.execute(action.value);
        const sponsorship = sponsored(sponsoredFeeLamports, rentLamports, account);
        const sent = { mint: mint || NATIVE, amount };
        return { kind: 'payment', recipient, sent, recipientIsOffCurve: !isOnCurve(recipient), ...value, sponsorship };
      }
    }
  }

  async #trade(swap: intentV1.Swap, shown: ShownMessage | undefined): Promise<PricedIntent> {
    return { kind: 'trade', acquiredMints: [swap.outputMint], ...(await this.pricing.swaps.execute(swap, shown)) };
  }
}

function sponsored(
  feeLamports: bigint | undefined,
  rentLamports: bigint,
  account?: AccountValues,
): PricedIntent['sponsorship'] {
  if (feeLamports === undefined) return undefined;
  return { lamports: feeLamports + rentLamports, makesAccount: rentLamports > 0n, account };
}
