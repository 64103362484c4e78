import { policyV1 } from '@agent-wallet/contracts';
import type { OrderResponse } from '@agent-wallet/jupiter';
import { AppError, baseUnits, RecentlyUsed } from '@agent-wallet/kernel';
import {
  amountOf,
  decimalAmount,
  type Failure,
  flag,
  integer,
  type Landing,
  list,
  oneOf,
  type OperationDescription,
  type OperationInput,
  type OperationHandler,
  optional,
  planCodec,
  type Preparation,
  type PreparationInput,
  record,
  refusedPreparation,
  requestCodec,
  text,
} from '@agent-wallet/operations';
import type { Logger } from '@agent-wallet/platform';
import { LAMPORTS_PER_SIGNATURE, networkFeeLamports, tokenAccountBytes } from '@agent-wallet/solana';
import { isSlippage, SLIPPAGE_TOLERANCE_EXCEEDED } from '../domain/chain-error.js';
import { lastPossibleHeight } from '../domain/last-height.js';
import { priceImpactPercent } from '../domain/price-impact.js';
import { routeNames } from '../domain/route-names.js';
import { assertMovable, assertNotCritical, type TokenWarning, warningsOf } from '../domain/token-warnings.js';
import { isNative, type Token } from '../domain/tokens.js';
import { checkFunds } from '../domain/trade-funds.js';
import type { Holdings, Sides } from '../domain/trade-sides.js';
import {
  type Offer,
  type Tolerance,
  toleranceOf,
  type Traded,
  type TradePlan,
  type TradeRequest,
  type Unwrapped,
} from '../domain/trade.js';
import type { Aggregator, Inquiry } from '../ports/aggregator.js';
import type { SwapChain } from '../ports/swap-chain.js';
import type { WalletDirectory } from '../ports/wallet-directory.js';
import { type CheckedOffer, checkOffer, type OfferLimits } from './check-offer.js';
import { landedAmounts } from './landed-amounts.js';
import { addressesOf, ownAccountsOf, readHoldings } from './own-accounts.js';
import { rejectionOfOrder } from './rejected-order.js';
import { type ResolvedTrade, resolveTrade } from './resolve-trade.js';
import { simulateOffer } from './simulate-offer.js';

/** Dependencies of trades. */
export interface TradeDependencies {
  readonly wallets: WalletDirectory;
  readonly chain: SwapChain;
  readonly aggregator: Aggregator;
  /** Whether what is prepared is to be carried out; dry runs are not. */
  readonly isReal: boolean;
  readonly limits: OfferLimits;
  readonly logger: Logger;
}

/** The wallet's holdings, and the lamports for its new accounts. */
interface Means {
  readonly holdings: Holdings;
  readonly minimumLamports: bigint;
  /** Rent of accounts that stay. */
  readonly lastingRent: bigint;
  /** Rent of an account that is closed again. */
  readonly passingRent: bigint;
}

/** A trade whose offer is asked for. */
interface InquiredTrade extends ResolvedTrade {
  readonly inquiry: Inquiry;
}

/** Requirements for an offer. */
interface OfferBounds extends Tolerance {
  readonly slippageBps: number;
  /** Base units that must arrive at least. */
  readonly least: bigint;
}

const ALL_BPS = 10_000n;
const MAX_REMEMBERED = 10_000;

const units = amountOf(baseUnits);
const token = record<Token>({ mint: text, symbol: text, decimals: integer, tokenProgram: text });
const severity = oneOf('info', 'warning', 'critical');

/** Codec of stored requests. */
const TRADE_REQUESTS = requestCodec(
  record<TradeRequest>({
    from: text,
    to: text,
    amount: decimalAmount,
    slippageBps: integer,
    allowRisky: flag,
    maxPriceImpactBps: optional(integer),
    allowUnpricedOutput: flag,
  }),
);

/** Codec of stored plans. */
const TRADE_PLANS = planCodec(
  record<TradePlan>({
    wallet: text,
    input: token,
    output: token,
    amount: units,
    warnings: list(record<TokenWarning>({ mint: text, type: text, severity, message: text })),
    offer: optional(
      record<Offer>({
        outputAmount: units,
        minOutputAmount: units,
        priceImpactPercent: text,
        route: list(text),
        requestId: text,
        lastValidBlockHeight: optional(text),
        routeInstruction: integer,
        rentLamports: units,
        feeLamports: units,
        tipLamports: units,
        unwrapped: optional(record<Unwrapped>({ units, lamports: units })),
      }),
    ),
    landed: optional(record<Traded>({ inputAmount: units, outputAmount: units })),
  }),
);

/** One token of an agent's wallet becomes another, by a transaction that the aggregator makes and lands. */
export class TradeHandler implements OperationHandler<TradeRequest, TradePlan> {
  readonly action = 'trade';
  readonly codec = { request: TRADE_REQUESTS, plan: TRADE_PLANS };
  /** Trades of this process that were last refused for their price: why they never landed, if they never do. */
  readonly #slipped = new RecentlyUsed<true>(MAX_REMEMBERED);

  constructor(private readonly dependencies: TradeDependencies) {}

  spending(): policyV1.Spending {
    return policyV1.Spending.SPENDING_TRADE;
  }

  /**
   * Prepares a trade. After an approval at least the output that the owner signed must arrive, even at another price.
   */
  async prepare({
    id,
    agentId,
    request,
    plan: asked,
  }: PreparationInput<TradeRequest, TradePlan>): Promise<Preparation<TradePlan>> {
    let plan: TradePlan | undefined;
    try {
      const trade = await resolveTrade(this.dependencies, agentId, request);
      plan = { ...sidesOf(trade), amount: trade.amount, warnings: [] };
      [trade.input, trade.output].forEach(({ token, unsafeExtensions }) => assertMovable(token, unsafeExtensions));
      const means = await this.#means(trade);
      const { aggregator, isReal } = this.dependencies;
      const inquiry = aggregator.inquire({ agentId, isReal });
      const warnings = await this.#warnings(inquiry, trade);
      plan = { ...plan, warnings };
      if (!request.allowRisky) assertNotCritical(warnings);
      const least = asked?.offer?.minOutputAmount ?? 0n;
      const bounds = { slippageBps: request.slippageBps, least, ...toleranceOf(request) };
      const { order, checked, lastValidBlockHeight } = await this.#offerAbove({ ...trade, inquiry }, bounds, means);
      return {
        kind: 'ready',
        plan: { ...plan, offer: offerOf(order, checked, means) },
        intent: checked.intent,
        message: checked.message,
        resolvedAddresses: checked.resolvedAddresses,
        lastValidBlockHeight,
      };
    } catch (error) {
      if (error instanceof AppError && error.code === 'UNSAFE_TRANSACTION') {
        const fields = { event: 'trade.offer_refused', operationId: id, err: error.cause } as const;
        this.dependencies.logger.error(fields, 'Aggregator transaction is unsafe to sign; trade refused');
      }
      return refusedPreparation(withTrade(error, request, plan), plan);
    }
  }

  describe(request: TradeRequest, plan: TradePlan | undefined): OperationDescription {
    const { from, to, slippageBps } = request;
    if (!plan) {
      return {
        asset: from,
        decimals: 0,
        to: '',
        metadata: { inputMint: null, outputMint: null, from, to, slippageBps },
      };
    }
    const { input, output, offer, landed, warnings } = plan;
    const amount = landed?.inputAmount ?? plan.amount;
    const gained = landed?.outputAmount ?? offer?.outputAmount;
    return {
      asset: input.symbol,
      amount,
      decimals: input.decimals,
      to: '',
      metadata: {
        from: input.symbol,
        to: output.symbol,
        inputMint: input.mint,
        outputMint: output.mint,
        inputAmountRaw: amount.toString(),
        outputDecimals: output.decimals,
        slippageBps,
        ...(gained === undefined ? {} : { outputAmountRaw: gained.toString() }),
        ...(offer ? { minOutputAmountRaw: offer.minOutputAmount.toString(), route: offer.route } : {}),
        ...(offer?.priceImpactPercent ? { priceImpactPercent: offer.priceImpactPercent } : {}),
        ...(warnings.length > 0
          ? { warnings: warnings.map(({ mint, type, severity }) => ({ mint, type, severity })) }
          : {}),
      },
    };
  }

  /**
   * Delivers through the aggregator, which keeps the trade private until it lands: an observer of a pending trade can
   * profit from it.
   */
  async deliver({ id }: OperationInput<TradeRequest>, { offer }: TradePlan, transaction: Uint8Array): Promise<void> {
    if (!offer) throw new TypeError('a signed trade has an offer');
    const { requestId, lastValidBlockHeight } = offer;
    const { code } = await this.dependencies.aggregator.execute({ transaction, requestId, lastValidBlockHeight });
    if (code === SLIPPAGE_TOLERANCE_EXCEEDED) this.#slipped.keep(id, true);
    if (code === 0) return;
    throw new AppError('UPSTREAM_ERROR', { message: `The aggregator did not say that it landed: code ${code}.` });
  }

  /** Explains an expiry by slippage: a maker checks its price once more before it signs. */
  async explainExpiry({ id, request }: OperationInput<TradeRequest>): Promise<AppError | undefined> {
    const { slippageBps } = request;
    return this.#slipped.use(id) ? new AppError('SLIPPAGE_EXCEEDED', { data: { slippageBps } }) : undefined;
  }

  /** Returns the amounts that the wallet really lost and gained. @throws Error while the node does not know it */
  async landed(
    _: OperationInput<TradeRequest>,
    plan: TradePlan,
    { signature }: Landing,
  ): Promise<Partial<TradePlan> | undefined> {
    const transaction = await this.dependencies.chain.transaction(signature, 'confirmed');
    if (!transaction) throw new Error('the node does not know the transaction yet');
    return { landed: landedAmounts(plan, transaction, plan.offer?.tipLamports ?? 0n) };
  }

  explainFailure({ request }: OperationInput<TradeRequest>, { offer }: TradePlan, { error }: Failure): AppError {
    const data = { slippageBps: request.slippageBps };
    if (!offer || !isSlippage(error, offer.routeInstruction)) return new AppError('TRANSACTION_FAILED', { data });
    return new AppError('SLIPPAGE_EXCEEDED', {
      data,
      message: 'The price moved beyond the tolerated slippage. No funds moved; the network fee was paid.',
    });
  }

  async #warnings(inquiry: Inquiry, { input, output }: ResolvedTrade) {
    const sides = [input, output];
    const reported = await inquiry.warnings(sides.map(({ token }) => token.mint));
    return sides.flatMap(({ token, powers }) => warningsOf(token, reported.get(token.mint) ?? [], powers));
  }

  /** @throws AppError INSUFFICIENT_FUNDS for what is missing under any offer */
  async #means(trade: ResolvedTrade): Promise<Means> {
    const { chain, limits } = this.dependencies;
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
    const means = {
      holdings,
      minimumLamports,
      lastingRent: isNative(sides.output) ? 0n : outputNeeds,
      passingRent: inputNeeds + (isNative(sides.output) ? outputNeeds : 0n),
    };
    // A maker may pay the network, and give native coins without an account to wrap them.
    const least = limits.allowsCosigned
      ? { ...means, passingRent: 0n, lastingRent: 0n, networkLamports: 0n }
      : { ...means, networkLamports: LAMPORTS_PER_SIGNATURE };
    checkMeans(trade, least);
    return means;
  }

  /** Tolerates less slippage where the least output asks for it. @throws AppError SLIPPAGE_EXCEEDED */
  async #offerAbove(trade: InquiredTrade, bounds: OfferBounds, means: Means) {
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

  async #offer(trade: InquiredTrade, bounds: Omit<OfferBounds, 'least'>, means: Means) {
    const { chain, limits } = this.dependencies;
    const { wallet, amount, inquiry } = trade;
    const sides = sidesOf(trade);
    const { slippageBps } = bounds;
    const question = { inputMint: sides.input.mint, outputMint: sides.output.mint, amount, taker: wallet, slippageBps };
    const order = await inquiry.order(question);
    const rejection = rejectionOfOrder(order);
    if (rejection) throw rejection;
    const asked = { ...sides, amount, slippageBps, ...toleranceOf(bounds) };
    const checked = await checkOffer(chain, { order, asked, limits });
    const isAlone = checked.swap.cosigner === undefined;
    if (isAlone) checkMeans(trade, { ...means, networkLamports: checked.swap.maxNetworkLamports });
    const simulatedAtSlot = await simulateOffer(chain, { offer: checked, asked });
    const lastValidBlockHeight = lastPossibleHeight(await chain.confirmedHead(), simulatedAtSlot);
    return { order, checked, lastValidBlockHeight };
  }
}

function belowApproved(): AppError {
  return new AppError('SLIPPAGE_EXCEEDED', {
    message: 'The price moved beyond what the owner has approved. Nothing was traded.',
  });
}

/** Adds what was to be traded to an error about the offer. */
function withTrade(error: unknown, { slippageBps }: TradeRequest, plan: TradePlan | undefined): unknown {
  if (!(error instanceof AppError)) return error;
  if (error.code === 'SLIPPAGE_EXCEEDED') return error.with({ slippageBps });
  if (error.code !== 'NO_ROUTE' || !plan) return error;
  return error.with({ inputMint: plan.input.mint, outputMint: plan.output.mint });
}

function sidesOf({ wallet, input, output }: ResolvedTrade): Sides {
  return { wallet, input: input.token, output: output.token };
}

function checkMeans({ input, amount }: ResolvedTrade, means: Means & { readonly networkLamports: bigint }): void {
  const rentLamports = means.lastingRent + means.passingRent;
  checkFunds({ ...means, input: input.token, amount, rentLamports });
}

function offerOf(order: OrderResponse, { swap, message, routeInstruction }: CheckedOffer, means: Means): Offer {
  const isAlone = swap.cosigner === undefined;
  const feeLamports = isAlone ? networkFeeLamports(message) : 0n;
  const { wrapped } = means.holdings;
  return {
    outputAmount: baseUnits(swap.quotedOutputAmount),
    minOutputAmount: baseUnits(swap.minOutputAmount),
    priceImpactPercent: priceImpactPercent(order),
    route: routeNames(order.routePlan),
    requestId: order.requestId,
    ...(order.lastValidBlockHeight === undefined
      ? {}
      : { lastValidBlockHeight: order.lastValidBlockHeight.toString() }),
    routeInstruction,
    rentLamports: baseUnits(means.lastingRent),
    feeLamports: baseUnits(feeLamports),
    tipLamports: baseUnits(swap.maxNetworkLamports - feeLamports),
    ...(isAlone && wrapped
      ? { unwrapped: { units: baseUnits(wrapped.units), lamports: baseUnits(wrapped.lamports) } }
      : {}),
  };
}
