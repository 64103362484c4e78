import { status } from '@grpc/grpc-js';
import { AppError } from '@agent-wallet/kernel';
import { RpcFailure, toAppError } from '@agent-wallet/platform';
import { present } from '../../domain/present.js';
import type { CatalogService } from '../../ports/catalog-service.js';
import type { HistoryService } from '../../ports/history-service.js';
import type { PolicyService } from '../../ports/policy-service.js';
import { OutcomeUnknown } from '../../ports/outcome-unknown.js';
import type { PredictionService } from '../../ports/prediction-service.js';
import type { SwapService } from '../../ports/swap-service.js';
import type { WalletService } from '../../ports/wallet-service.js';
import type { Clients } from './clients.js';

const CONNECT_WITHIN_MS = 1_500;
const READ_CHAIN_WITHIN_MS = 10_000;
const PREVIEW_WITHIN_MS = 15_000;
/** A preview of a trade or an order asks an aggregator or an exchange, too. */
const PREVIEW_OUTSIDE_WITHIN_MS = 20_000;
const READ_EXCHANGE_WITHIN_MS = 15_000;
/** The wallet service waits half as long for each replica of the signer. */
const ATTEST_WITHIN_MS = 10_000;

type Peer = { connected(deadlineMs: number): Promise<void> };

/** For reads, and writes that can be repeated: a connection that was lost is waited for, and the call made again, once. */
async function answered<T>(peer: Peer, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof RpcFailure && error.status === status.UNAVAILABLE)) throw toAppError(error);
  }
  await reach(peer);
  try {
    return await call();
  } catch (error) {
    throw toAppError(error);
  }
}

/** For what moves money: no answer leaves the outcome open. */
async function decided<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw error instanceof RpcFailure ? new OutcomeUnknown(error) : error;
  }
}

/** For what may not be there. */
async function found<T>(peer: Peer, call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await answered(peer, call);
  } catch (error) {
    if (error instanceof AppError && error.code === 'NOT_FOUND') return undefined;
    throw error;
  }
}

/** Waits for a connection: without one, nothing was sent. */
async function reach(peer: Peer): Promise<void> {
  try {
    await peer.connected(CONNECT_WITHIN_MS);
  } catch (error) {
    throw new AppError('SERVICE_UNAVAILABLE', { cause: error });
  }
}

/** The wallet service over gRPC. */
export function walletService({ wallet }: Clients): WalletService {
  return {
    createWallet: async (agentId) => (await answered(wallet, () => wallet.createWallet({ agentId }))).address,
    balances: (agentId) =>
      answered(wallet, () => wallet.getBalances({ agentId }, { deadlineMs: READ_CHAIN_WITHIN_MS })),
    token: (query) => found(wallet, () => wallet.getToken({ query }, { deadlineMs: READ_CHAIN_WITHIN_MS })),
    attestation: (nonce) => answered(wallet, () => wallet.getAttestation({ nonce }, { deadlineMs: ATTEST_WITHIN_MS })),
    reach: () => reach(wallet),
    transfer: (request, deadlineMs) => decided(wallet.transfer(request, { deadlineMs })),
    unwrap: (request, deadlineMs) => decided(wallet.unwrap(request, { deadlineMs })),
    previewTransfer: (request) =>
      answered(wallet, () => wallet.previewTransfer(request, { deadlineMs: PREVIEW_WITHIN_MS })),
    previewUnwrap: (request) =>
      answered(wallet, () => wallet.previewUnwrap(request, { deadlineMs: PREVIEW_WITHIN_MS })),
  };
}

/** The swap service over gRPC. */
export function swapService({ swap }: Clients): SwapService {
  return {
    reach: () => reach(swap),
    trade: (request, deadlineMs) => decided(swap.trade(request, { deadlineMs })),
    previewTrade: (request) =>
      answered(swap, () => swap.previewTrade(request, { deadlineMs: PREVIEW_OUTSIDE_WITHIN_MS })),
  };
}

/** Orders, positions and prediction money over gRPC. */
export function predictionService({ prediction }: Clients): PredictionService {
  const read = { deadlineMs: READ_EXCHANGE_WITHIN_MS };
  const preview = { deadlineMs: PREVIEW_OUTSIDE_WITHIN_MS };
  return {
    reach: () => reach(prediction),
    buy: (request, deadlineMs) => decided(prediction.buy(request, { deadlineMs })),
    sell: (request, deadlineMs) => decided(prediction.sell(request, { deadlineMs })),
    withdraw: (request, deadlineMs) => decided(prediction.withdraw(request, { deadlineMs })),
    previewBuy: (request) => answered(prediction, () => prediction.previewBuy(request, preview)),
    previewSell: (request) => answered(prediction, () => prediction.previewSell(request, preview)),
    balance: (agentId) => answered(prediction, () => prediction.getBalance({ agentId })),
    positions: (request) => answered(prediction, () => prediction.listPositions(request, read)),
    orders: (request) => answered(prediction, () => prediction.listOrders(request)),
  };
}

/** What the exchange lists, over gRPC. */
export function catalogService({ catalog }: Clients): CatalogService {
  const read =
    <Request, Response>(ask: (request: Request, options: { deadlineMs: number }) => Promise<Response>) =>
    (request: Request) =>
      answered(catalog, () => ask(request, { deadlineMs: READ_EXCHANGE_WITHIN_MS }));
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

/** The policy service over gRPC. */
export function policyService({ policy }: Clients): PolicyService {
  return {
    createPolicy: async (agentId) =>
      present((await answered(policy, () => policy.createPolicy({ agentId }))).policy, 'policy'),
    policy: async (agentId) => present((await answered(policy, () => policy.getPolicy({ agentId }))).policy, 'policy'),
    update: async (change) => present((await answered(policy, () => policy.updatePolicy(change))).policy, 'policy'),
    usage: (agentId) => answered(policy, () => policy.getUsage({ agentId })),
    reach: () => reach(policy),
  };
}

/** The history service over gRPC. */
export function historyService({ history }: Clients): HistoryService {
  return {
    list: (request) => answered(history, () => history.listTransactions(request)),
    async find(agentId, transactionId) {
      const answer = await found(history, () => history.getTransaction({ agentId, transactionId }));
      return answer && present(answer.transaction, 'transaction');
    },
    prove: (request) => answered(history, () => history.getProof(request)),
    reach: () => reach(history),
  };
}
