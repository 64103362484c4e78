import type { intentV1 } from '@agent-wallet/contracts';
import { SOL_DECIMALS } from '@agent-wallet/kernel';
import type { AcceptedPrices } from '@agent-wallet/prices';
import { tokenAccountBytes, WRAPPED_SOL_MINT } from '@agent-wallet/solana';
import type { SpentToken } from '../../domain/passing-amount.js';
import type { AccountValues } from '../../domain/sponsorship.js';
import { receivedValueOf, valueOf } from '../../domain/value.js';
import type { PolicyChain } from '../../ports/chain.js';
import type { UnpricedMint } from '../../ports/reservation-store.js';
import { askUpstream, hasNoMarket, priceOf, readPrices, undefinedWithoutPrices } from './known-prices.js';
import type { LiquidityMints } from './liquidity-mints.js';
import { mintOnChain } from './mint-on-chain.js';

/** Value of tokens that have none. */
const NO_VALUE = { valueUsdMicros: undefined, spent: undefined, unpriced: undefined, account: undefined };
const SOL = { mint: WRAPPED_SOL_MINT, decimals: SOL_DECIMALS };

/** Value and rent that a transfer takes. */
export interface TransferValue {
  /** Micro-dollars; undefined when a price is missing, stale, doubtful or cannot be asked for, and of a liquidity token. */
  readonly valueUsdMicros: bigint | undefined;
  /** The token that it spends; undefined without a value. */
  readonly spent: SpentToken | undefined;
  /** The token without a market that leaves `valueUsdMicros` undefined; undefined otherwise. */
  readonly unpriced: UnpricedMint | undefined;
  /** Rent of an account that is made for the recipient; 0 when none is. */
  readonly rentLamports: bigint;
  /** Values of that account and of the payment, for the sponsor; undefined when no account is made, or without prices. */
  readonly account: AccountValues | undefined;
}

/** Values transfers by policy's own knowledge: prices, and the mint as it is on chain. */
export class PriceTransfer {
  constructor(
    private readonly chain: PolicyChain,
    private readonly prices: AcceptedPrices,
    private readonly liquidityMints: LiquidityMints,
  ) {}

  /**
   * Returns the value that leaves the agent's control, at the highest prices of the last 24 hours. It includes the
   * operator's fee and the rent of an account made for the recipient, regardless of who pays that rent.
   * @throws AppError VALIDATION_ERROR when the intent does not fit the mint on chain; UPSTREAM_ERROR and
   *   UPSTREAM_TIMEOUT when the chain does not answer
   */
  async execute(transfer: intentV1.Transfer): Promise<TransferValue> {
    const [rentLamports, isLiquidity] = await askUpstream(() =>
      Promise.all([this.#rentLamports(transfer), this.#isLiquidity(transfer)]),
    );
    if (isLiquidity) return { rentLamports, ...NO_VALUE };
    const value = await askUpstream(() => this.#value(transfer, rentLamports)).catch(undefinedWithoutPrices);
    return { rentLamports, ...(value ?? NO_VALUE) };
  }

  async #isLiquidity({ mint }: intentV1.Transfer): Promise<boolean> {
    return mint !== '' && this.liquidityMints.has(mint);
  }

  async #rentLamports(transfer: intentV1.Transfer): Promise<bigint> {
    if (transfer.mint === '') return 0n;
    const { tokenProgram, extensions } = await mintOnChain(this.chain, transfer, {
      mint: 'intent.transfer.mint',
      tokenProgram: 'intent.transfer.tokenProgram',
      decimals: 'intent.transfer.decimals',
    });
    if (!transfer.createsRecipientAccount) return 0n;
    const bytes = tokenAccountBytes({ tokenProgram, extensions });
    return this.chain.rentExemptMinimumLamports(bytes);
  }

  async #value(transfer: intentV1.Transfer, rentLamports: bigint): Promise<Omit<TransferValue, 'rentLamports'>> {
    const { decimals } = transfer;
    const mint = transfer.mint || WRAPPED_SOL_MINT;
    const found = await readPrices(this.prices, rentLamports === 0n ? [mint] : [mint, WRAPPED_SOL_MINT]);
    const sol = rentLamports === 0n ? undefined : priceOf(found, SOL);
    const rent = sol && { lamports: rentLamports, solPrice: sol.highest };
    const token = priceOf(found, { mint, decimals });
    if (rentLamports > 0n && !rent) return NO_VALUE;
    const rentUsdMicros = rent ? valueOf({ amount: 0n, decimals: 0, price: rent.solPrice, rent }) : 0n;
    const receivedUsdMicros = token && receivedValueOf({ amount: transfer.amount, decimals, price: token.price });
    const account = rent && { rentUsdMicros, receivedUsdMicros };
    if (token) {
      const { highest: price } = token;
      const fee = transfer.fee ?? 0n;
      return {
        valueUsdMicros: valueOf({ amount: transfer.amount + fee, decimals, price, rent }),
        spent: { mint: transfer.mint, decimals, price, fee, otherUsdMicros: rentUsdMicros },
        unpriced: undefined,
        account,
      };
    }
    const unpriced = hasNoMarket(found, mint) ? { mint, otherUsdMicros: rentUsdMicros } : undefined;
    return { ...NO_VALUE, unpriced, account };
  }
}
