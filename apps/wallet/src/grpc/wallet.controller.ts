import type { walletV1 } from '@agent-wallet/contracts';
import { assertUuid, type SolanaNetwork } from '@agent-wallet/kernel';
import type { GrpcController } from '@agent-wallet/platform';
import { Controller, Inject } from '@nestjs/common';
import { Move, DryRunMove } from '../application/moves/move.js';
import { transferFacts } from '../application/transfers/transfer-facts.js';
import { DryRunTransfer, Transfer } from '../application/transfers/transfer.js';
import { unwrapFacts } from '../application/unwraps/unwrap-handler.js';
import { DryRunUnwrap, Unwrap } from '../application/unwraps/unwrap.js';
import { CreateWallet } from '../application/wallets/create-wallet.js';
import { GetAttestation } from '../application/wallets/get-attestation.js';
import { GetBalances } from '../application/wallets/get-balances.js';
import { GetToken } from '../application/wallets/get-token.js';
import { GetTreasury } from '../application/wallets/get-treasury.js';
import { GetWallet } from '../application/wallets/get-wallet.js';
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

/** Injects the network that the service works on. */
export const NETWORK = Symbol('network');

/** The wallet service's gRPC surface. */
@Controller()
export class WalletController implements GrpcController<walletV1.WalletServiceService> {
  constructor(
    @Inject(CreateWallet) private readonly creating: CreateWallet,
    @Inject(GetWallet) private readonly wallets: GetWallet,
    @Inject(GetBalances) private readonly balances: GetBalances,
    @Inject(Transfer) private readonly transfers: Transfer,
    @Inject(DryRunTransfer) private readonly transferDryRuns: DryRunTransfer,
    @Inject(Unwrap) private readonly unwraps: Unwrap,
    @Inject(DryRunUnwrap) private readonly unwrapDryRuns: DryRunUnwrap,
    @Inject(Move) private readonly moves: Move,
    @Inject(DryRunMove) private readonly moveDryRuns: DryRunMove,
    @Inject(GetTreasury) private readonly treasury: GetTreasury,
    @Inject(GetAttestation) private readonly attestations: GetAttestation,
    @Inject(GetToken) private readonly tokens: GetToken,
    @Inject(NETWORK) private readonly network: SolanaNetwork,
  ) {}

  async createWallet({ agentId }: walletV1.CreateWalletRequest): Promise<walletV1.CreateWalletResponse> {
    assertUuid('agentId', agentId);
    return this.creating.execute(agentId);
  }

  async getWallet({ agentId }: walletV1.GetWalletRequest): Promise<walletV1.GetWalletResponse> {
    assertUuid('agentId', agentId);
    return this.wallets.execute(agentId);
  }

  async getBalances({ agentId }: walletV1.GetBalancesRequest): Promise<walletV1.GetBalancesResponse> {
    assertUuid('agentId', agentId);
    return toBalancesResponse(await this.balances.execute(agentId));
  }

  async transfer(request: walletV1.TransferRequest): Promise<walletV1.TransferResponse> {
    const { operationId, agentId, waitMs, cancelIfNotStarted } = request;
    const call = { operationId, agentId, request: transferRequestOf(request), waitMs, cancelIfNotStarted };
    return toTransferResponse(await this.transfers.execute(call));
  }

  async dryRunTransfer(request: walletV1.DryRunTransferRequest): Promise<walletV1.DryRunTransferResponse> {
    const asked = transferRequestOf(request);
    const { plan, dryRun } = await this.transferDryRuns.execute(request.agentId, asked);
    const { networkFeeLamports } = dryRun;
    const transfer = toTransferResponse({ facts: transferFacts(asked, plan), networkFeeLamports });
    return { transfer, dryRun: toDryRun(dryRun) };
  }

  async unwrap(request: walletV1.UnwrapRequest): Promise<walletV1.UnwrapResponse> {
    const { operationId, agentId, waitMs, cancelIfNotStarted } = request;
    const call = { operationId, agentId, request: unwrapRequestOf(request), waitMs, cancelIfNotStarted };
    return toUnwrapResponse(await this.unwraps.execute(call));
  }

  async dryRunUnwrap(request: walletV1.DryRunUnwrapRequest): Promise<walletV1.DryRunUnwrapResponse> {
    const asked = unwrapRequestOf(request);
    const { plan, dryRun } = await this.unwrapDryRuns.execute(request.agentId, asked);
    const { networkFeeLamports } = dryRun;
    const unwrap = toUnwrapResponse({ facts: unwrapFacts(asked, plan), networkFeeLamports });
    return { unwrap, dryRun: toDryRun(dryRun) };
  }

  async move(message: walletV1.MoveRequest): Promise<walletV1.MoveResponse> {
    const { operationId, step, attempt, agentId, waitMs, cancelIfNotStarted } = message;
    const request = { operationId, step, attempt, ...directionOf(message) };
    return toMoveResponse(await this.moves.execute({ agentId, request, waitMs, cancelIfNotStarted }));
  }

  async dryRunMove(message: walletV1.DryRunMoveRequest): Promise<walletV1.DryRunMoveResponse> {
    const { dryRun } = await this.moveDryRuns.execute(message.agentId, directionOf(message));
    return { dryRun: toDryRun(dryRun) };
  }

  async getTreasury(): Promise<walletV1.GetTreasuryResponse> {
    const { finalizedSlot, ...treasury } = await this.treasury.execute();
    return { ...treasury, finalizedSlot: BigInt(finalizedSlot) };
  }

  async getAttestation({ nonce }: walletV1.GetAttestationRequest): Promise<walletV1.GetAttestationResponse> {
    const { replicas, unanswered } = await this.attestations.execute(nonce);
    return { replicas: [...replicas], unanswered };
  }

  async getNetwork(): Promise<walletV1.GetNetworkResponse> {
    return { network: this.network };
  }

  async getToken({ query, agentId }: walletV1.GetTokenRequest): Promise<walletV1.GetTokenResponse> {
    return toTokenResponse(await this.tokens.execute(query, agentId));
  }
}
