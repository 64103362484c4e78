import { AppError } from '@agent-wallet/kernel';
import { RpcFailure, toAppError } from '@agent-wallet/platform';
import type { HistoryService } from '../../ports/history-service.js';
import type { PolicyService } from '../../ports/policy-service.js';
import { OutcomeUnknown, type WalletService } from '../../ports/wallet-service.js';
import type { Clients } from './clients.js';

const CONNECT_WITHIN_MS = 1_500;

/** For reads, and writes that can be repeated: no answer is an error like any other. */
async function answered<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw toAppError(error);
  }
}

/** Waits for a connection: without one, nothing was sent. */
async function reach(client: { connected(deadlineMs: number): Promise<void> }): Promise<void> {
  try {
    await client.connected(CONNECT_WITHIN_MS);
  } catch (error) {
    throw new AppError('SERVICE_UNAVAILABLE', { cause: error });
  }
}

/** A field that a service of ours always sets. */
function present<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new AppError('INTERNAL_ERROR', { message: `an answer came without ${name}` });
  return value;
}

/** The wallet service over gRPC. */
export function walletService({ wallet }: Clients): WalletService {
  return {
    createWallet: async (agentId) => (await answered(wallet.createWallet({ agentId }))).address,
    balances: (agentId) => answered(wallet.getBalances({ agentId }, { deadlineMs: 10_000 })),
    reach: () => reach(wallet),
    async transfer(request, deadlineMs) {
      try {
        return await wallet.transfer(request, { deadlineMs });
      } catch (error) {
        throw error instanceof RpcFailure ? new OutcomeUnknown(error) : error;
      }
    },
  };
}

/** The policy service over gRPC. */
export function policyService({ policy }: Clients): PolicyService {
  return {
    createPolicy: async (agentId) => present((await answered(policy.createPolicy({ agentId }))).policy, 'policy'),
    policy: async (agentId) => present((await answered(policy.getPolicy({ agentId }))).policy, 'policy'),
    update: async (change) => present((await answered(policy.updatePolicy(change))).policy, 'policy'),
    usage: (agentId) => answered(policy.getUsage({ agentId })),
    reach: () => reach(policy),
  };
}

/** The history service over gRPC. */
export function historyService({ history }: Clients): HistoryService {
  return {
    list: (request) => answered(history.listTransactions(request)),
    async find(agentId, transactionId) {
      try {
        const { transaction } = await answered(history.getTransaction({ agentId, transactionId }));
        return present(transaction, 'transaction');
      } catch (error) {
        if (error instanceof AppError && error.code === 'NOT_FOUND') return undefined;
        throw error;
      }
    },
    reach: () => reach(history),
  };
}
