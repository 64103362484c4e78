import { status } from '@grpc/grpc-js';
import { AppError } from '@agent-wallet/kernel';
import { RpcFailure, toAppError } from '@agent-wallet/platform';
import {
  type CatalogService,
  type HistoryService,
  OutcomeUnknown,
  type PolicyService,
  type PredictionService,
  present,
  type SwapService,
  type WalletService,
} from '../ports/services.js';
import type { Clients } from './grpc-clients.js';

const CONNECT_WITHIN_MS = 1_500;
export const CALL_WITHIN_MS = 5_000;
const READ_CHAIN_WITHIN_MS = 10_000;
const DRY_RUN_WITHIN_MS = 15_000;
/** A dry run of a trade or an order asks an aggregator or an exchange, too. */
const DRY_RUN_UPSTREAM_WITHIN_MS = 20_000;
const READ_EXCHANGE_WITHIN_MS = 15_000;
/** The wallet service waits half as long for each replica of the signer. */
const ATTEST_WITHIN_MS = 10_000;

type Peer = { connected(deadlineMs: number): Promise<void> };
type Deadline = { readonly deadlineMs: number };

/**
 * Makes a call for a read, or for a write that can be repeated. It waits for a lost connection and calls again, once,
 * all of it within the time of one call.
 */
export async function answered<T>(
  peer: Peer,
  call: (within: Deadline) => Promise<T>,
  withinMs = CALL_WITHIN_MS,
): Promise<T> {
  const endsAtMs = performance.now() + withinMs;
  const leftMs = () => Math.max(endsAtMs - performance.now(), 0);
  try {
    return await call({ deadlineMs: withinMs });
  } catch (error) {
    if (!(error instanceof RpcFailure && error.status === status.UNAVAILABLE)) throw toAppError(error);
  }
  await reach(peer, Math.min(leftMs(), CONNECT_WITHIN_MS));
  try {
    return await call({ deadlineMs: leftMs() });
  } catch (error) {
    throw toAppError(error);
  }
}

/** Makes a call that moves money: without a response the outcome is open. */
async function decided<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw error instanceof RpcFailure ? new OutcomeUnknown(error) : error;
  }
}

/** Makes a call for a resource that may not exist; undefined when it does not. */
async function found<T>(peer: Peer, call: (within: Deadline) => Promise<T>, withinMs?: number): Promise<T | undefined> {
  try {
    return await answered(peer, call, withinMs);
  } catch (error) {
    if (error instanceof AppError && error.code === 'NOT_FOUND') return undefined;
    throw error;
  }
}

/** Waits for a connection: without one, nothing was sent. */
async function reach(peer: Peer, withinMs = CONNECT_WITHIN_MS): Promise<void> {
  try {
    await peer.connected(withinMs);
  } catch (error) {
    throw new AppError('SERVICE_UNAVAILABLE', { cause: error });
  }
}

/** Returns the wallet service over gRPC. */
export function walletService({ wallet }: Clients): WalletService {
  return {
    createWallet: async (agentId) =>
      (await answered(wallet, (within) => wallet.createWallet({ agentId }, within))).address,
    balances: (agentId) => answered(wallet, (within) => wallet.getBalances({ agentId }, within), READ_CHAIN_WITHIN_MS),
    token: (query) => found(wallet, (within) => wallet.getToken({ query }, within), READ_CHAIN_WITHIN_MS),
    attestation: (nonce) => answered(wallet, (within) => wallet.getAttestation({ nonce }, within), ATTEST_WITHIN_MS),
    reach: () => reach(wallet),
    network: async () => (await answered(wallet, (within) => wallet.getNetwork({}, within))).network,
    transfer: (request, deadlineMs) => decided(wallet.transfer(request, { deadlineMs })),
    unwrap: (request, deadlineMs) => decided(wallet.unwrap(request, { deadlineMs })),
    dryRunTransfer: (request) =>
      answered(wallet, (within) => wallet.dryRunTransfer(request, within), DRY_RUN_WITHIN_MS),
    dryRunUnwrap: (request) => answered(wallet, (within) => wallet.dryRunUnwrap(request, within), DRY_RUN_WITHIN_MS),
  };
}

/** Returns the swap service over gRPC. */
export function swapService({ swap }: Clients): SwapService {
  return {
    reach: () => reach(swap),
    trade: (request, deadlineMs) => decided(swap.trade(request, { deadlineMs })),
    dryRunTrade: (request) => answered(swap, (within) => swap.dryRunTrade(request, within), DRY_RUN_UPSTREAM_WITHIN_MS),
  };
}

/** Orders, positions and prediction money over gRPC. */
export function predictionService({ prediction }: Clients): PredictionService {
  return {
    reach: () => reach(prediction),
    buy: (request, deadlineMs) => decided(prediction.buy(request, { deadlineMs })),
    sell: (request, deadlineMs) => decided(prediction.sell(request, { deadlineMs })),
    withdraw: (request, deadlineMs) => decided(prediction.withdraw(request, { deadlineMs })),
    dryRunBuy: (request) =>
      answered(prediction, (within) => prediction.dryRunBuy(request, within), DRY_RUN_UPSTREAM_WITHIN_MS),
    dryRunSell: (request) =>
      answered(prediction, (within) => prediction.dryRunSell(request, within), DRY_RUN_UPSTREAM_WITHIN_MS),
    balance: (agentId) => answered(prediction, (within) => prediction.getBalance({ agentId }, within)),
    positions: (request) =>
      answered(prediction, (within) => prediction.listPositions(request, within), READ_EXCHANGE_WITHIN_MS),
    orders: (request) => answered(prediction, (within) => prediction.listOrders(request, within)),
  };
}

/** Returns the exchange's catalog over gRPC. */
export function catalogService({ catalog }: Clients): CatalogService {
  const read =
    <Request, Response>(ask: (request: Request, within: Deadline) => Promise<Response>) =>
    (request: Request) =>
      answered(catalog, (within) => ask(request, within), READ_EXCHANGE_WITHIN_MS);
  return {
    listCategories: read(catalog.listCategories),
    listSports: read(catalog.listSports),
    listMarkets: read(catalog.listMarkets),
    getMarket: read(catalog.getMarket),
    getOrderbook: read(catalog.getOrderbook),
    listEvents: read(catalog.listEvents),
    getEvent: read(catalog.getEvent),
    listSeries: read(catalog.listSeries),
    getSeries: read(catalog.getSeries),
    listMilestones: read(catalog.listMilestones),
    getMilestone: read(catalog.getMilestone),
    listStructuredTargets: read(catalog.listStructuredTargets),
    getStructuredTarget: read(catalog.getStructuredTarget),
  };
}

/** Returns the policy service over gRPC. */
export function policyService({ policy }: Clients): PolicyService {
  return {
    createPolicy: async (agentId) =>
      present((await answered(policy, (within) => policy.createPolicy({ agentId }, within))).policy, 'policy'),
    policy: async (agentId) =>
      present((await answered(policy, (within) => policy.getPolicy({ agentId }, within))).policy, 'policy'),
    update: async (change) =>
      present((await answered(policy, (within) => policy.updatePolicy(change, within))).policy, 'policy'),
    usage: (agentId) => answered(policy, (within) => policy.getUsage({ agentId }, within)),
    reach: () => reach(policy),
  };
}

/** Returns the history service over gRPC. */
export function historyService({ history }: Clients): HistoryService {
  return {
    list: (request) => answered(history, (within) => history.listTransactions(request, within)),
    async find(agentId, transactionId) {
      const answer = await found(history, (within) => history.getTransaction({ agentId, transactionId }, within));
      return answer && present(answer.transaction, 'transaction');
    },
    prove: (request) => answered(history, (within) => history.getProof(request, within)),
    reach: () => reach(history),
  };
}
