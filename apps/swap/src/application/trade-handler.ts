import { policyV1 } from '@agent-wallet/contracts';
import { AppError, baseUnits, RecentlyUsed } from '@agent-wallet/kernel';
import {
  amountOf,
  requestedAmount,
  type Failure,
  flag,
  integer,
  type Landing,
  list,
  landedWithError,
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
import { networkFeeLamports } from '@agent-wallet/solana';
import { isSlippage, SLIPPAGE_TOLERANCE_EXCEEDED } from '../domain/chain-error.js';
import { priceImpactPercent } from '../domain/price-impact.js';
import { routeNames } from '../domain/route-names.js';
import { assertMovable, assertNotCritical, type TokenWarning, warningsOf } from '../domain/token-warnings.js';
import type { Token } from '../domain/tokens.js';
import {
  type Offer,
  toleranceOf,
  type Traded,
  type TradePlan,
  type TradeRequest,
  type Unwrapped,
  walletCosts,
} from '../domain/trade.js';
import type { Aggregator, Inquiry } from '../ports/aggregator.js';
import type { SwapChain } from '../ports/swap-chain.js';
import type { WalletDirectory } from '../ports/wallet-directory.js';
import type { OfferLimits } from './check-offer.js';
import { FindOffer, type FoundOffer, type Means, sidesOf } from './find-offer.js';
import { landedAmounts } from './landed-amounts.js';
import { type ResolvedTrade, resolveTrade } from './resolve-trade.js';
import { tradeFacts } from './trade-facts.js';

/** Dependencies of trades. */
interface TradeDependencies {
  readonly wallets: WalletDirectory;
  readonly chain: SwapChain;
  readonly aggregator: Aggregator;
  /** Whether what is prepared is to be carried out; dry runs are not. */
  readonly isReal: boolean;
  readonly limits: OfferLimits;
  readonly logger: Logger;
}

const MAX_REMEMBERED = 10_000;

const units = amountOf(baseUnits);
const token = record<Token>({ mint: text, symbol: text, decimals: integer, tokenProgram: text });
const severity = oneOf('info', 'warning', 'critical');

/** Codec of stored requests. */
const TRADE_REQUESTS = requestCodec(
  record<TradeRequest>({
    from: text,
    to: text,
    amount: requestedAmount,
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
        sponsor: optional(text),
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

  readonly #offers: FindOffer;

  constructor(private readonly dependencies: TradeDependencies) {
    this.#offers = new FindOffer(dependencies.chain, dependencies.limits);
  }

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
      const means = await this.#offers.means(trade);
      const { aggregator, isReal } = this.dependencies;
      const inquiry = aggregator.inquire({ agentId, isReal });
      const warnings = await this.#warnings(inquiry, trade);
      plan = { ...plan, warnings };
      if (!request.allowRisky) assertNotCritical(warnings);
      const least = asked?.offer?.minOutputAmount ?? 0n;
      const bounds = { slippageBps: request.slippageBps, least, ...toleranceOf(request) };
      const found = await this.#offers.execute({ ...trade, inquiry }, bounds, means);
      const { intent, message, resolvedAddresses } = found.checked;
      const { lastValidBlockHeight } = found;
      const offer = offerOf(found, means);
      return { kind: 'ready', plan: { ...plan, offer }, intent, message, resolvedAddresses, lastValidBlockHeight };
    } catch (error) {
      if (error instanceof AppError && error.code === 'UNSAFE_TRANSACTION') {
        const fields = { event: 'trade.offer_refused', operationId: id, err: error.cause } as const;
        this.dependencies.logger.error(fields, 'Aggregator transaction is unsafe to sign; trade refused');
      }
      return refusedPreparation(withTrade(error, request, plan), plan);
    }
  }

  describe(request: TradeRequest, plan: TradePlan | undefined): OperationDescription {
    const facts = tradeFacts(request, plan);
    const { symbol: asset, amount, decimals } = facts.input!;
    return { asset, amount, decimals, facts: { $case: 'trade', value: facts } };
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
    return { landed: landedAmounts(plan, transaction, walletCosts(plan.offer).tipLamports) };
  }

  explainFailure(
    { request }: OperationInput<TradeRequest>,
    { offer }: TradePlan,
    { message, error }: Failure,
  ): AppError {
    const data = { slippageBps: request.slippageBps };
    if (!offer || !isSlippage(error, offer.routeInstruction)) return landedWithError(message, error).with(data);
    return new AppError('SLIPPAGE_EXCEEDED', {
      data,
      message: `The price moved beyond slippageBps (${request.slippageBps}). No funds moved; the network fee was paid. Try again.`,
    });
  }

  async #warnings(inquiry: Inquiry, { input, output }: ResolvedTrade) {
    const sides = [input, output];
    const reported = await inquiry.warnings(sides.map(({ token }) => token.mint));
    return sides.flatMap(({ token, powers }) => warningsOf(token, reported.get(token.mint) ?? [], powers));
  }
}

/** Adds what was to be traded to an error about the offer. */
function withTrade(error: unknown, { slippageBps }: TradeRequest, plan: TradePlan | undefined): unknown {
  if (!(error instanceof AppError)) return error;
  if (error.code === 'SLIPPAGE_EXCEEDED') return error.with({ slippageBps });
  if (error.code !== 'NO_ROUTE' || !plan) return error;
  return error.with({ inputMint: plan.input.mint, outputMint: plan.output.mint });
}

function offerOf({ order, checked }: FoundOffer, means: Means): Offer {
  const { swap, message, routeInstruction, intent } = checked;
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
    ...(intent.sponsor === undefined ? {} : { sponsor: intent.sponsor }),
    ...(isAlone && wrapped
      ? { unwrapped: { units: baseUnits(wrapped.units), lamports: baseUnits(wrapped.lamports) } }
      : {}),
  };
}
