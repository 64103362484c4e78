import type { historyV1, policyV1, predictionV1, swapV1, walletV1 } from '@agent-wallet/contracts';
import { AppError } from '@agent-wallet/kernel';

/*
 * The services behind the gateway. They are classes so that a port is also its own injection token.
 * Every method throws AppError. The methods that move money throw OutcomeUnknown when there was no answer; an AppError
 * of theirs is the operation's definite failure. `reach` throws SERVICE_UNAVAILABLE when nothing can be sent.
 */

/** A call that got no answer: the work may have been done, or may still be done. */
export class OutcomeUnknown extends Error {
  constructor(cause: unknown) {
    super('the outcome is not known', { cause });
    this.name = 'OutcomeUnknown';
  }
}

/** Returns a field that a service always sets. @throws AppError INTERNAL_ERROR when it did not */
export function present<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new AppError('INTERNAL_ERROR', { message: `an answer came without ${name}` });
  return value;
}

/** The wallet service. */
export abstract class WalletService {
  /** Resolves when the service can be reached. */
  abstract reach(): Promise<void>;
  /** Returns the network that the service works on, as the settings name one. */
  abstract network(): Promise<string>;
  /** Returns the address of an agent's wallet, which is created when there is none. */
  abstract createWallet(agentId: string): Promise<string>;
  abstract balances(agentId: string): Promise<walletV1.GetBalancesResponse>;
  /** Sends money, or says what became of the operation. */
  abstract transfer(request: walletV1.TransferRequest, deadlineMs: number): Promise<walletV1.TransferResponse>;
  /** Makes SOL of wrapped SOL, or says what became of the operation. */
  abstract unwrap(request: walletV1.UnwrapRequest, deadlineMs: number): Promise<walletV1.UnwrapResponse>;
  /** Returns the expected result of a transfer; nothing happens. */
  abstract dryRunTransfer(request: walletV1.DryRunTransferRequest): Promise<walletV1.DryRunTransferResponse>;
  /** Returns the expected result of an unwrap; nothing happens. */
  abstract dryRunUnwrap(request: walletV1.DryRunUnwrapRequest): Promise<walletV1.DryRunUnwrapResponse>;
  /** Returns the known facts about a token, by its symbol or mint; undefined for an unknown one. */
  abstract token(query: string): Promise<walletV1.GetTokenResponse | undefined>;
  /** Returns every signer replica's attestation for a nonce. @throws AppError SERVICE_UNAVAILABLE when none answers */
  abstract attestation(nonce: Buffer): Promise<walletV1.GetAttestationResponse>;
}

/** The swap service. */
export abstract class SwapService {
  /** Resolves when the service can be reached. */
  abstract reach(): Promise<void>;
  /** Trades, or says what became of the operation. */
  abstract trade(request: swapV1.TradeRequest, deadlineMs: number): Promise<swapV1.TradeResponse>;
  /** Returns the expected result of a trade; nothing happens. */
  abstract dryRunTrade(request: swapV1.DryRunTradeRequest): Promise<swapV1.DryRunTradeResponse>;
}

/** Agents' orders, positions and prediction money. */
export abstract class PredictionService {
  /** Resolves when the service can be reached. */
  abstract reach(): Promise<void>;
  /** Buys contracts, or says what became of the operation. */
  abstract buy(request: predictionV1.BuyRequest, deadlineMs: number): Promise<predictionV1.BuyResponse>;
  /** Sells contracts, or says what became of the operation. */
  abstract sell(request: predictionV1.SellRequest, deadlineMs: number): Promise<predictionV1.SellResponse>;
  /** Pays prediction balance out, or says what became of the operation. */
  abstract withdraw(request: predictionV1.WithdrawRequest, deadlineMs: number): Promise<predictionV1.WithdrawResponse>;
  /** Returns the expected result of a buy; nothing happens. */
  abstract dryRunBuy(request: predictionV1.DryRunBuyRequest): Promise<predictionV1.DryRunBuyResponse>;
  /** Returns the expected result of a sale; nothing happens. */
  abstract dryRunSell(request: predictionV1.DryRunSellRequest): Promise<predictionV1.DryRunSellResponse>;
  abstract balance(agentId: string): Promise<predictionV1.GetBalanceResponse>;
  abstract positions(request: predictionV1.ListPositionsRequest): Promise<predictionV1.ListPositionsResponse>;
  abstract orders(request: predictionV1.ListOrdersRequest): Promise<predictionV1.ListOrdersResponse>;
}

type Read<Request, Response> = (request: Request) => Promise<Response>;

/** The exchange's tradeable markets, as the prediction service knows them. */
export abstract class CatalogService {
  abstract readonly listCategories: Read<predictionV1.ListCategoriesRequest, predictionV1.ListCategoriesResponse>;
  abstract readonly listSports: Read<predictionV1.ListSportsRequest, predictionV1.ListSportsResponse>;
  abstract readonly listMarkets: Read<predictionV1.ListMarketsRequest, predictionV1.ListMarketsResponse>;
  abstract readonly getMarket: Read<predictionV1.GetMarketRequest, predictionV1.GetMarketResponse>;
  abstract readonly getOrderbook: Read<predictionV1.GetOrderbookRequest, predictionV1.GetOrderbookResponse>;
  abstract readonly listEvents: Read<predictionV1.ListEventsRequest, predictionV1.ListEventsResponse>;
  abstract readonly getEvent: Read<predictionV1.GetEventRequest, predictionV1.GetEventResponse>;
  abstract readonly listSeries: Read<predictionV1.ListSeriesRequest, predictionV1.ListSeriesResponse>;
  abstract readonly getSeries: Read<predictionV1.GetSeriesRequest, predictionV1.GetSeriesResponse>;
  abstract readonly listMilestones: Read<predictionV1.ListMilestonesRequest, predictionV1.ListMilestonesResponse>;
  abstract readonly getMilestone: Read<predictionV1.GetMilestoneRequest, predictionV1.GetMilestoneResponse>;
  abstract readonly listStructuredTargets: Read<
    predictionV1.ListStructuredTargetsRequest,
    predictionV1.ListStructuredTargetsResponse
  >;
  abstract readonly getStructuredTarget: Read<
    predictionV1.GetStructuredTargetRequest,
    predictionV1.GetStructuredTargetResponse
  >;
}

/** The policy service. */
export abstract class PolicyService {
  /** Resolves when the service can be reached. */
  abstract reach(): Promise<void>;
  /** Returns the agent's policy, which is created with the defaults when there is none. */
  abstract createPolicy(agentId: string): Promise<policyV1.Policy>;
  abstract policy(agentId: string): Promise<policyV1.Policy>;
  abstract update(change: policyV1.UpdatePolicyRequest): Promise<policyV1.Policy>;
  abstract usage(agentId: string): Promise<policyV1.GetUsageResponse>;
}

/** The history service. */
export abstract class HistoryService {
  /** Resolves when the service can be reached. */
  abstract reach(): Promise<void>;
  abstract list(request: historyV1.ListTransactionsRequest): Promise<historyV1.ListTransactionsResponse>;
  /** Returns one record; undefined when history does not know it (yet). */
  abstract find(agentId: string, transactionId: string): Promise<historyV1.Transaction | undefined>;
  /**
   * Returns a part of the agent's hash chain.
   * @throws AppError NOT_FOUND for an event to begin after that is not the agent's
   */
  abstract prove(request: historyV1.GetProofRequest): Promise<historyV1.GetProofResponse>;
}
