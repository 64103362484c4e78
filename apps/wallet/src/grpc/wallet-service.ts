import type { walletV1 } from '@agent-wallet/contracts';
import { assertUuid } from '@agent-wallet/kernel';
import type { GrpcController } from '@agent-wallet/platform';
import { walletAddressOf } from '../application/operations/preparation.js';
import { transferFacts } from '../application/transfers/transfer-facts.js';
import { unwrapFacts } from '../application/unwraps/unwrap-handler.js';
import type { WalletUseCases } from '../dependencies.js';
import {
  directionOf,
  toBalancesResponse,
  toMoveResponse,
  toDryRun,
  toTokenResponse,
  toTransferResponse,
  toUnwrapResponse,
  transferRequestOf,
  unwrapRequestOf,
} from './messages.js';

type Handlers = GrpcController<walletV1.WalletServiceService>;

/** Handles the wallet service's gRPC methods. */
export function walletService(useCases: WalletUseCases): Handlers {
  return { ...readMethods(useCases), ...operationMethods(useCases) };
}

type OperationMethod = 'transfer' | 'dryRunTransfer' | 'unwrap' | 'dryRunUnwrap' | 'move' | 'dryRunMove';

function readMethods(useCases: WalletUseCases): Omit<Handlers, OperationMethod> {
  const { network, wallets, operator, creation, balances, treasury, attestations, tokens } = useCases;
  return {
    createWallet: async ({ agentId }) => {
      assertUuid('agentId', agentId);
      return creation.execute(agentId);
    },
    getWallet: async ({ agentId }) => {
      assertUuid('agentId', agentId);
      return { address: await walletAddressOf(wallets, agentId), sponsorAddress: operator.sponsor };
    },
    getBalances: async ({ agentId }) => {
      assertUuid('agentId', agentId);
      return toBalancesResponse(await balances.execute(agentId));
    },
    getTreasury: async () => {
      const { finalizedSlot, ...read } = await treasury.execute();
      return { ...read, finalizedSlot: BigInt(finalizedSlot) };
    },
    getAttestation: async ({ nonce }) => {
      const { replicas, unanswered } = await attestations.execute(nonce);
      return { replicas: [...replicas], unanswered };
    },
    getNetwork: () => ({ network }),
    getToken: async ({ query, agentId }) => toTokenResponse(await tokens.execute(query, agentId)),
  };
}

function operationMethods(useCases: WalletUseCases): Pick<Handlers, OperationMethod> {
  const { transfers, transferDryRuns, unwraps, unwrapDryRuns, moves, moveDryRuns } = useCases;
  return {
    transfer: async (message) => {
      const { operationId, agentId, waitMs, cancelIfNotStarted } = message;
      const call = { operationId, agentId, request: transferRequestOf(message), waitMs, cancelIfNotStarted };
      return toTransferResponse(await transfers.execute(call));
    },
    dryRunTransfer: async (message) => {
      const asked = transferRequestOf(message);
      const { plan, dryRun } = await transferDryRuns.execute(message.agentId, asked);
      const { networkFeeLamports } = dryRun;
      const transfer = toTransferResponse({ facts: transferFacts(asked, plan), networkFeeLamports });
      return { transfer, dryRun: toDryRun(dryRun) };
    },
    unwrap: async (message) => {
      const { operationId, agentId, waitMs, cancelIfNotStarted } = message;
      const call = { operationId, agentId, request: unwrapRequestOf(message), waitMs, cancelIfNotStarted };
      return toUnwrapResponse(await unwraps.execute(call));
    },
    dryRunUnwrap: async (message) => {
      const asked = unwrapRequestOf(message);
      const { plan, dryRun } = await unwrapDryRuns.execute(message.agentId, asked);
      const { networkFeeLamports } = dryRun;
      const unwrap = toUnwrapResponse({ facts: unwrapFacts(asked, plan), networkFeeLamports });
      return { unwrap, dryRun: toDryRun(dryRun) };
    },
    move: async (message) => {
      const { operationId, step, attempt, agentId, waitMs, cancelIfNotStarted } = message;
      const request = { operationId, step, attempt, ...directionOf(message) };
      return toMoveResponse(await moves.execute({ agentId, request, waitMs, cancelIfNotStarted }));
    },
    dryRunMove: async (message) => {
      const { dryRun } = await moveDryRuns.execute(message.agentId, directionOf(message));
      return { dryRun: toDryRun(dryRun) };
    },
  };
}
