import { type ServiceDefinition, status } from '@grpc/grpc-js';
import { predictionV1, swapV1, walletV1 } from '@agent-wallet/contracts';
import { AppError, capabilityUnavailable, type Part } from '@agent-wallet/kernel';
import { RpcFailure, toAppError } from '@agent-wallet/platform';
import {
  type CatalogService,
  type HistoryService,
  type OperationMethods,
  OutcomeUnknown,
  type PolicyService,
  type PredictionService,
  required,
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
 * Calls for a read, or a write that can be repeated: waits for a lost connection and calls again, once, all of it
 * within the time of one call.
 */
export async function callWithReconnect<T>(
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
  await assertReachable(peer, Math.min(leftMs(), CONNECT_WITHIN_MS));
  try {
    return await call({ deadlineMs: leftMs() });
  } catch (error) {
    throw toAppError(error);
  }
}

/** Calls for what moves money, once: no response leaves the outcome open. */
async function callOnce<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw error instanceof RpcFailure ? new OutcomeUnknown(error) : error;
  }
}

/** Calls for what may not exist, and returns undefined then. */
async function callOrUndefined<T>(
  peer: Peer,
  call: (within: Deadline) => Promise<T>,
  withinMs?: number,
): Promise<T | undefined> {
  try {
    return await callWithReconnect(peer, call, withinMs);
  } catch (error) {
    if (error instanceof AppError && error.code === 'NOT_FOUND') return undefined;
    throw error;
  }
}

/** Waits for a connection: without one, nothing was sent. */
async function assertReachable(peer: Peer, withinMs = CONNECT_WITHIN_MS): Promise<void> {
  try {
    await peer.connected(withinMs);
  } catch (error) {
    throw new AppError('SERVICE_UNAVAILABLE', { cause: error });
  }
}

type Method = (request: object, options: Deadline) => Promise<object>;

/** Returns the methods of a service as its operations need them: other calls are defined beside them. */
function operationMethods<Service extends ServiceDefinition>(
  definition: Service,
  client: Peer,
  dryRunWithinMs: number,
): OperationMethods<Service> {
  const methods = Object.keys(definition).map((name) => {
    const call = (client as unknown as Readonly<Record<string, Method>>)[name]!;
    return name.startsWith('dryRun')
      ? [name, (request: object) => callWithReconnect(client, (within) => call(request, within), dryRunWithinMs)]
      : [name, (request: object, deadlineMs: number) => callOnce(call(request, { deadlineMs }))];
  });
  return Object.fromEntries(methods) as OperationMethods<Service>;
}

/** Returns the wallet service over gRPC. */
export function walletService({ wallet }: Clients): WalletService {
  return {
    ...operationMethods(walletV1.WalletServiceService, wallet, DRY_RUN_WITHIN_MS),
    createWallet: async (agentId) =>
      (await callWithReconnect(wallet, (within) => wallet.createWallet({ agentId }, within))).address,
    balances: (agentId) =>
      callWithReconnect(wallet, (within) => wallet.getBalances({ agentId }, within), READ_CHAIN_WITHIN_MS),
    token: (query, agentId) =>
      callOrUndefined(wallet, (within) => wallet.getToken({ query, agentId }, within), READ_CHAIN_WITHIN_MS),
    attestation: (nonce) =>
      callWithReconnect(wallet, (within) => wallet.getAttestation({ nonce }, within), ATTEST_WITHIN_MS),
    assertReachable: () => assertReachable(wallet),
    network: async () => (await callWithReconnect(wallet, (within) => wallet.getNetwork({}, within))).network,
  };
}

/** Returns the swap service over gRPC. */
export function swapService({ swap }: Clients): SwapService {
  if (!swap) return absent('trading');
  return {
    ...operationMethods(swapV1.SwapServiceService, swap, DRY_RUN_UPSTREAM_WITHIN_MS),
    pools: (request) => callWithReconnect(swap, (within) => swap.listPools(request, within), READ_CHAIN_WITHIN_MS),
    pool: (pool) => callWithReconnect(swap, (within) => swap.getPool({ pool }, within), READ_CHAIN_WITHIN_MS),
    positions: (agentId) =>
      callWithReconnect(swap, (within) => swap.listPositions({ agentId }, within), READ_CHAIN_WITHIN_MS),
    assertReachable: () => assertReachable(swap),
  };
}

/** Orders, positions and prediction money over gRPC. */
export function predictionService({ prediction }: Clients): PredictionService {
  if (!prediction) return absent('predictions');
  return {
    ...operationMethods(predictionV1.PredictionServiceService, prediction, DRY_RUN_UPSTREAM_WITHIN_MS),
    assertReachable: () => assertReachable(prediction),
    balance: (agentId) => callWithReconnect(prediction, (within) => prediction.getBalance({ agentId }, within)),
    positions: (request) =>
      callWithReconnect(prediction, (within) => prediction.listPositions(request, within), READ_EXCHANGE_WITHIN_MS),
    orders: (request) => callWithReconnect(prediction, (within) => prediction.listOrders(request, within)),
  };
}

/** Returns the exchange's catalog over gRPC. */
export function catalogService({ catalog }: Clients): CatalogService {
  if (!catalog) return absent('predictions');
  const read =
    <Request, Response>(ask: (request: Request, within: Deadline) => Promise<Response>) =>
    (request: Request) =>
      callWithReconnect(catalog, (within) => ask(request, within), READ_EXCHANGE_WITHIN_MS);
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
    createPolicy: async (agentId, { namedOwnerId = '', mailboxId }) => {
      const request = { agentId, namedOwnerId, mailboxId };
      return required(
        (await callWithReconnect(policy, (within) => policy.createPolicy(request, within))).policy,
        'policy',
      );
    },
    policy: async (agentId) =>
      required((await callWithReconnect(policy, (within) => policy.getPolicy({ agentId }, within))).policy, 'policy'),
    update: async (change) =>
      required((await callWithReconnect(policy, (within) => policy.updatePolicy(change, within))).policy, 'policy'),
    usage: (agentId) => callWithReconnect(policy, (within) => policy.getUsage({ agentId }, within)),
    assertReachable: () => assertReachable(policy),
  };
}

/** Returns the history service over gRPC. */
export function historyService({ history }: Clients): HistoryService {
  return {
    list: (request) => callWithReconnect(history, (within) => history.listTransactions(request, within)),
    sumSpending: (request) => callWithReconnect(history, (within) => history.sumSpending(request, within)),
    async find(agentId, transactionId) {
      const answer = await callOrUndefined(history, (within) =>
        history.getTransaction({ agentId, transactionId }, within),
      );
      return answer && required(answer.transaction, 'transaction');
    },
    findChanges: (request) => callWithReconnect(history, (within) => history.findChanges(request, within)),
    followChanges: (request) => callWithReconnect(history, (within) => history.followChanges(request, within)),
    prove: (request) => callWithReconnect(history, (within) => history.getProof(request, within)),
    assertReachable: () => assertReachable(history),
  };
}

/** Returns a service of which every method refuses: no route of a part that a deployment lacks gets this far. */
function absent<Service extends object>(capability: Part): Service {
  return new Proxy({} as Service, { get: () => () => Promise.reject(capabilityUnavailable(capability)) });
}
