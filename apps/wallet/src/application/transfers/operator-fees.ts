import { RecentlyUsed, type UsdPrice, WRAPPED_SOL_MINT } from '@agent-wallet/kernel';
import type { Logger } from '@agent-wallet/platform';
import { isKnown, type UsdPrices } from '@agent-wallet/prices';
import { associatedTokenAddress, isTokenProgram } from '@agent-wallet/solana';
import { type Operator, shareOf, unitsOfUsd } from '../../domain/operator.js';
import type { TransferPlan } from '../../domain/transfer.js';
import type { Parties } from './transfer-parties.js';

const MAX_REPORTED = 1_000;

/** Works out what the operator takes of a transfer. */
export class OperatorFees {
  /** Mints of which it was said that they are sent without a fee. */
  readonly #reported = new RecentlyUsed<true>(MAX_REPORTED);

  constructor(
    private readonly operator: Operator,
    private readonly prices: UsdPrices,
    private readonly logger: Logger,
  ) {}

  /** Returns the fee in base units of the token; 0 for none. Without a price the flat part is omitted. */
  async of(plan: TransferPlan): Promise<bigint> {
    const { feeWallet, fees } = this.operator;
    if (feeWallet === undefined) return 0n;
    const share = shareOf(plan.amount, fees);
    if (fees.flatUsdMicros === 0n) return share;
    const price = await this.#priceOf(plan);
    return price ? share + unitsOfUsd(fees.flatUsdMicros, { decimals: plan.decimals, price }) : share;
  }

  /**
   * Returns the fee where the operator's wallet can receive the token, and 0 otherwise. An agent never pays for the
   * operator's account, and no transfer waits for it: the operator's log reports it once for each token.
   */
  waived(fee: bigint, plan: TransferPlan, feeAccount: Parties['feeAccount']): bigint {
    if (fee === 0n || feeAccount === 'ready') return fee;
    const { mint, symbol, tokenProgram } = plan;
    if (feeAccount === 'missing' && this.#reported.use(mint) === undefined) {
      this.#reported.keep(mint, true);
      const owner = this.operator.feeWallet!;
      const account = isTokenProgram(tokenProgram) ? associatedTokenAddress({ owner, mint, tokenProgram }) : owner;
      this.logger.warn(
        { event: 'transfer_fee.waived', mint, symbol, account },
        'Fee waived: the fee wallet has no account for the token',
      );
    }
    return 0n;
  }

  async #priceOf({ mint, decimals }: TransferPlan): Promise<UsdPrice | undefined> {
    const priced = mint || WRAPPED_SOL_MINT;
    try {
      const answer = (await this.prices.prices([priced])).get(priced);
      // A price for other decimals is a price for something else.
      if (isKnown(answer) && answer.decimals === decimals) return answer.price;
      this.logger.warn({ event: 'transfer_fee.waived', mint: priced }, 'Flat fee waived: the token has no price');
    } catch (err) {
      this.logger.warn({ event: 'transfer_fee.waived', mint: priced, err }, 'Flat fee waived: prices are unavailable');
    }
    return undefined;
  }
}
