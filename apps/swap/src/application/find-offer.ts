import type { OrderResponse } from '@agent-wallet/jupiter';
import { AppError, formatAmount, SOL_DECIMALS } from '@agent-wallet/kernel';
import { LAMPORTS_PER_SIGNATURE, tokenAccountBytes } from '@agent-wallet/solana';
import { lastPossibleHeight } from '../domain/last-height.js';
import { isNative } from '../domain/tokens.js';
import { checkFunds } from '../domain/trade-funds.js';
import type { Holdings, Sides } from '../domain/trade-sides.js';
import { type Tolerance, toleranceOf } from '../domain/trade.js';
import type { Inquiry } from '../ports/aggregator.js';
import type { SwapChain } from '../ports/swap-chain.js';
import { type CheckedOffer, checkOffer, type OfferLimits } from './check-offer.js';
import { addressesOf, ownAccountsOf, readHoldings } from './own-accounts.js';
import { isSolMissing, rejectionOfOrder } from './rejected-order.js';
import type { ResolvedTrade } from './resolve-trade.js';
import { simulateOffer } from './simulate-offer.js';

/** The wallet's holdings, the lamports for its new accounts, and the operator's help. */
export interface Means {
  readonly holdings: Holdings;
  readonly minimumLamports: bigint;
  /** Rent of accounts that stay. */
  readonly lastingRent: bigint;
  /** Rent of an account that is closed again. */
  readonly passingRent: bigint;
  /** Base58 address of the wallet that may pay the network in its place; undefined for none. */
  readonly sponsor: string | undefined;
  /** Reason why the wallet can pay for no offer itself, where there is a sponsor. */
  readonly refusal: AppError | undefined;
}

/** Requirements for an offer. */
interface OfferBounds extends Tolerance {
  readonly slippageBps: number;
  /** Base units that must arrive at least. */
  readonly least: bigint;
}

/** An offer that was checked and simulated. */
export interface FoundOffer {
  readonly order: OrderResponse;
  readonly checked: CheckedOffer;
  readonly lastValidBlockHeight: number;
}

/** A trade whose offer is asked for. */
interface InquiredTrade extends ResolvedTrade {
  readonly inquiry: Inquiry;
  /** Payer of the network in the wallet's place; absent where the wallet pays. */
  readonly sponsor?: string;
}

const ALL_BPS = 10_000n;

/** Finds an offer that the wallet can pay for, or that the operator's sponsor pays for. */
export class FindOffer {
  constructor(
    private readonly chain: SwapChain,
    private readonly limits: OfferLimits,
  ) {}

  /**
   * Reads what a wallet has for a trade, without the aggregator.
   * @throws AppError INSUFFICIENT_FUNDS for what is missing under any offer
   */
  async means(trade: ResolvedTrade): Promise<Means> {
    const { chain, limits } = this;
    const sides = sidesOf(trade);
    const rentOf = ({ mint }: ResolvedTrade['input']) => chain.rentExemptMinimumLamports(tokenAccountBytes(mint));
    const [{ accounts }, minimumLamports, inputRent, outputRent] = await Promise.all([
      chain.accounts(addressesOf(ownAccountsOf(sides))),
      chain.rentExemptMinimumLamports(0),
      rentOf(trade.input),
      rentOf(trade.output),
    ]);
    const holdings = readHoldings(sides, accounts);
    const outputNeeds = holdings.hasOutputAccount ? 0n : outputRent;
    const inputNeeds = isNative(sides.input) && !holdings.hasInputAccount ? inputRent : 0n;
    // A sponsor helps a wallet to the SOL that it needs, and to nothing else.
    const sponsor = isNative(sides.output) ? trade.sponsorAddress : undefined;
    const means = {
      holdings,
      minimumLamports,
      lastingRent: isNative(sides.output) ? 0n : outputNeeds,
      passingRent: inputNeeds + (isNative(sides.output) ? outputNeeds : 0n),
      sponsor,
      refusal: undefined,
    };
    // A maker may pay the network, and give native coins without an account to wrap them.
    const least = limits.allowsCosigned
      ? { ...means, passingRent: 0n, lastingRent: 0n, networkLamports: 0n }
      : { ...means, networkLamports: LAMPORTS_PER_SIGNATURE };
    try {
      checkMeans(trade, least);
      return means;
    } catch (error) {
      if (sponsor === undefined || !isSolMissing(error)) throw error;
      return { ...means, refusal: error };
    }
  }

  /**
   * Asks for an offer that the wallet pays for. Where it has too little SOL for that, the sponsor pays, if there is one.
   * @throws AppError of `checkOffer` and `simulateOffer`, INSUFFICIENT_FUNDS, SLIPPAGE_EXCEEDED, and those of the aggregator
   */
  async execute(trade: InquiredTrade, bounds: OfferBounds, means: Means): Promise<FoundOffer> {
    const { refusal, sponsor } = means;
    try {
      if (refusal) throw refusal;
      return await this.#offerAbove(trade, bounds, means);
    } catch (error) {
      if (sponsor === undefined || !isSolMissing(error)) throw error;
      return this.#offerAbove({ ...trade, sponsor }, bounds, means);
    }
  }

  /** Tolerates less slippage where the least output asks for it. @throws AppError SLIPPAGE_EXCEEDED */
  async #offerAbove(trade: InquiredTrade, bounds: OfferBounds, means: Means): Promise<FoundOffer> {
    const { least } = bounds;
    const offer = await this.#offer(trade, bounds, means);
    const { minOutputAmount, quotedOutputAmount: quoted } = offer.checked.swap;
    if (minOutputAmount >= least) return offer;
    const slippageBps = Number(((quoted - least) * ALL_BPS) / quoted);
    if (slippageBps < 1) throw belowApproved();
    const tighter = await this.#offer(trade, { ...bounds, slippageBps }, means);
    if (tighter.checked.swap.minOutputAmount < least) throw belowApproved();
    return tighter;
  }

  async #offer(trade: InquiredTrade, bounds: Omit<OfferBounds, 'least'>, means: Means): Promise<FoundOffer> {
    const { chain, limits } = this;
    const { wallet, amount, inquiry, sponsor } = trade;
    const sides = sidesOf(trade);
    const { slippageBps } = bounds;
    const payer = sponsor === undefined ? {} : { payer: sponsor };
    const question = { inputMint: sides.input.mint, outputMint: sides.output.mint, amount, taker: wallet, slippageBps };
    const order = await inquiry.order({ ...question, ...payer });
    const rejection = rejectionOfOrder(order, sponsor !== undefined);
    if (rejection) throw rejection;
    const asked = { ...sides, amount, slippageBps, sponsor, ...toleranceOf(bounds) };
    const checked = await checkOffer(chain, { order, asked, limits });
    if (sponsor !== undefined) checkMinimum(checked, means);
    else if (checked.swap.cosigner === undefined) {
      checkMeans(trade, { ...means, networkLamports: checked.swap.maxNetworkLamports });
    }
    const simulatedAtSlot = await simulateOffer(chain, { offer: checked, asked });
    const lastValidBlockHeight = lastPossibleHeight(await chain.confirmedHead(), simulatedAtSlot);
    return { order, checked, lastValidBlockHeight };
  }
}

/** Returns who trades what. */
export function sidesOf({ wallet, input, output }: ResolvedTrade): Sides {
  return { wallet, input: input.token, output: output.token };
}

function checkMeans({ input, amount }: ResolvedTrade, means: Means & { readonly networkLamports: bigint }): void {
  const rentLamports = means.lastingRent + means.passingRent;
  checkFunds({ ...means, input: input.token, amount, rentLamports });
}

/** Refuses a buy of less SOL than a wallet must hold: the chain would not let it land. */
function checkMinimum({ swap: { minOutputAmount } }: CheckedOffer, { holdings, minimumLamports }: Means): void {
  const { lamports, wrapped } = holdings;
  if (lamports + (wrapped?.lamports ?? 0n) + minOutputAmount >= minimumLamports) return;
  const least = formatAmount(minimumLamports, SOL_DECIMALS);
  throw new AppError('INSUFFICIENT_FUNDS', {
    message: `A wallet must hold at least ${least} SOL, and this trade may bring less. Trade a larger amount.`,
    data: { asset: 'SOL', decimals: SOL_DECIMALS },
  });
}

function belowApproved(): AppError {
  return new AppError('SLIPPAGE_EXCEEDED', {
    message: 'The price moved beyond the terms that the owner approved. No funds moved. Request a new trade.',
  });
}
