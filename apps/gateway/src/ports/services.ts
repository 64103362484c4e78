import type { historyV1, policyV1, predictionV1, swapV1, walletV1 } from '@agent-wallet/contracts';
import { AppError } from '@agent-wallet/kernel';

/*
 * The services behind the gateway.
 * Every method throws AppError. The methods that move money throw OutcomeUnknown when there was no answer; an AppError
 * of theirs is the operation's definite failure. `assertReachable` throws SERVICE_UNAVAILABLE when nothing can be sent.
 */

/** A call that got no answer: the work may have been done, or may still be done. */
export class OutcomeUnknown extends Error {
  constructor(cause: unknown) {
    super('the outcome is not known', { cause });
    this.name = 'OutcomeUnknown';
  }
}

/** Returns a field that a service always sets. @throws AppError INTERNAL_ERROR when it did not */
export function required<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new AppError('INTERNAL_ERROR', { message: `an answer came without ${name}` });
  return value;
}

/**
 * The methods of a service that carry operations out, or say what became of them, and those that evaluate one without
 * effect: by the service's contract, so that a new operation is listed nowhere else.
 */
export type OperationMethods<Service> = {
  readonly [Name in keyof Service as RequestOf<Service[Name]> extends OperationRequest ? Name : never]: (
    request: RequestOf<Service[Name]>,
    deadlineMs: number,
  ) => Promise<ResponseOf<Service[Name]>>;
} & {
  readonly [Name in keyof Service as Name extends `dryRun${string}` ? Name : never]: (
    request: RequestOf<Service[Name]>,
  ) => Promise<ResponseOf<Service[Name]>>;
};

/** Fields by which a request names its operation. */
interface OperationRequest {
  readonly operationId: string;
  readonly cancelIfNotStarted: boolean;
}

type RequestOf<Method> = Method extends { readonly requestSerialize: (request: infer Request) => Buffer }
  ? Request
  : never;
type ResponseOf<Method> = Method extends { readonly responseDeserialize: (bytes: Buffer) => infer Response }
  ? Response
  : never;

/** The wallet service. */
export interface WalletService extends OperationMethods<typeof walletV1.WalletServiceService> {
  /** Resolves when the service can be reached. */
  assertReachable(): Promise<void>;
  /** Returns the network of the service, as the settings name one. */
  network(): Promise<string>;
  /** Returns the address of an agent's wallet, and creates the wallet when there is none. */
  createWallet(agentId: string): Promise<string>;
  balances(agentId: string): Promise<walletV1.GetBalancesResponse>;
  /** Returns the facts of a token by its symbol or mint, looked up for an agent; undefined for an unknown one. */
  token(query: string, agentId: string): Promise<walletV1.GetTokenResponse | undefined>;
  /**
   * Returns the evidence of every replica of the signer for a nonce.
   * @throws AppError SERVICE_UNAVAILABLE when none answers
   */
  attestation(nonce: Buffer): Promise<walletV1.GetAttestationResponse>;
}

/** The swap service. */
export interface SwapService extends OperationMethods<typeof swapV1.SwapServiceService> {
  pools(request: swapV1.ListPoolsRequest): Promise<swapV1.ListPoolsResponse>;
  /** @throws AppError also NOT_FOUND */
  pool(pool: string): Promise<swapV1.GetPoolResponse>;
  positions(agentId: string): Promise<swapV1.ListPositionsResponse>;
  /** Resolves when the service can be reached. */
  assertReachable(): Promise<void>;
}

/** Agents' orders, positions and prediction money. */
export interface PredictionService extends OperationMethods<typeof predictionV1.PredictionServiceService> {
  /** Resolves when the service can be reached. */
  assertReachable(): Promise<void>;
  balance(agentId: string): Promise<predictionV1.GetBalanceResponse>;
  positions(request: predictionV1.ListPositionsRequest): Promise<predictionV1.ListPositionsResponse>;
  orders(request: predictionV1.ListOrdersRequest): Promise<predictionV1.ListOrdersResponse>;
}

type Read<Request, Response> = (request: Request) => Promise<Response>;

/** The exchange's catalog, as the prediction service knows it. */
export interface CatalogService {
  readonly listCategories: Read<predictionV1.ListCategoriesRequest, predictionV1.ListCategoriesResponse>;
  readonly listSports: Read<predictionV1.ListSportsRequest, predictionV1.ListSportsResponse>;
  readonly listMarkets: Read<predictionV1.ListMarketsRequest, predictionV1.ListMarketsResponse>;
  readonly getMarket: Read<predictionV1.GetMarketRequest, predictionV1.GetMarketResponse>;
  readonly getOrderbook: Read<predictionV1.GetOrderbookRequest, predictionV1.GetOrderbookResponse>;
  readonly listEvents: Read<predictionV1.ListEventsRequest, predictionV1.ListEventsResponse>;
  readonly getEvent: Read<predictionV1.GetEventRequest, predictionV1.GetEventResponse>;
  readonly listSeries: Read<predictionV1.ListSeriesRequest, predictionV1.ListSeriesResponse>;
  readonly getSeries: Read<predictionV1.GetSeriesRequest, predictionV1.GetSeriesResponse>;
  readonly listMilestones: Read<predictionV1.ListMilestonesRequest, predictionV1.ListMilestonesResponse>;
  readonly getMilestone: Read<predictionV1.GetMilestoneRequest, predictionV1.GetMilestoneResponse>;
  readonly listStructuredTargets: Read<
    predictionV1.ListStructuredTargetsRequest,
    predictionV1.ListStructuredTargetsResponse
  >;
  readonly getStructuredTarget: Read<predictionV1.GetStructuredTargetRequest, predictionV1.GetStructuredTargetResponse>;
}

/** Origin of an agent, which its policy keeps. */
interface AgentOrigin {
  /** The owner that it names, the only one who can claim it. */
  readonly namedOwnerId: string | undefined;
  /** Names its mailbox, whose agents share one allowance of sponsorship. */
  readonly mailboxId: Buffer;
}

/** The policy service. */
export interface PolicyService {
  /** Resolves when the service can be reached. */
  assertReachable(): Promise<void>;
  /** Returns the agent's policy, and creates the default one when there is none. */
  createPolicy(agentId: string, origin: AgentOrigin): Promise<policyV1.Policy>;
  policy(agentId: string): Promise<policyV1.Policy>;
  update(change: policyV1.UpdatePolicyRequest): Promise<policyV1.Policy>;
  usage(agentId: string): Promise<policyV1.GetUsageResponse>;
}

/** The history service. */
export interface HistoryService {
  /** Resolves when the service can be reached. */
  assertReachable(): Promise<void>;
  list(request: historyV1.ListTransactionsRequest): Promise<historyV1.ListTransactionsResponse>;
  /** Returns one record; undefined when history does not know it (yet). */
  find(agentId: string, transactionId: string): Promise<historyV1.Transaction | undefined>;
  /** Sums what the agent spent. */
  sumSpending(request: historyV1.SumSpendingRequest): Promise<historyV1.SumSpendingResponse>;
  /**
   * Returns a part of the agent's hash chain.
   * @throws AppError NOT_FOUND for an event to begin after that is not the agent's
   */
  prove(request: historyV1.GetProofRequest): Promise<historyV1.GetProofResponse>;
  readonly findChanges: Read<historyV1.FindChangesRequest, historyV1.FindChangesResponse>;
  readonly followChanges: Read<historyV1.FollowChangesRequest, historyV1.FollowChangesResponse>;
}
