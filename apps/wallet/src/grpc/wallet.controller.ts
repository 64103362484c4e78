import { walletV1 } from '@agent-wallet/contracts';
import { assertUuid } from '@agent-wallet/kernel';
import type { GrpcController } from '@agent-wallet/platform';
import { Controller, Inject } from '@nestjs/common';
import { Move, PreviewMove } from '../application/moves/move.js';
import { PreviewTransfer, Transfer } from '../application/transfers/transfer.js';
import { PreviewUnwrap, Unwrap } from '../application/unwraps/unwrap.js';
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
  toPreview,
  toTokenResponse,
  toTransferResponse,
  toUnwrapResponse,
  transferRequestOf,
  unwrapRequestOf,
} from './messages.js';

/** The wallet service's gRPC surface. */
@Controller()
export class WalletController implements GrpcController<walletV1.WalletServiceService> {
  constructor(
    @Inject(CreateWallet) private readonly creating: CreateWallet,
    @Inject(GetWallet) private readonly wallets: GetWallet,
    @Inject(GetBalances) private readonly balances: GetBalances,
    @Inject(Transfer) private readonly transfers: Transfer,
    @Inject(PreviewTransfer) private readonly transferPreviews: PreviewTransfer,
    @Inject(Unwrap) private readonly unwraps: Unwrap,
    @Inject(PreviewUnwrap) private readonly unwrapPreviews: PreviewUnwrap,
    @Inject(Move) private readonly moves: Move,
    @Inject(PreviewMove) private readonly movePreviews: PreviewMove,
    @Inject(GetTreasury) private readonly treasury: GetTreasury,
    @Inject(GetAttestation) private readonly attestations: GetAttestation,
    @Inject(GetToken) private readonly tokens: GetToken,
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
    const { operationId, agentId, waitMs, onlyIfBegun } = request;
    const call = { operationId, agentId, request: transferRequestOf(request), waitMs, onlyIfBegun };
    return toTransferResponse(await this.transfers.execute(call));
  }

  async previewTransfer(request: walletV1.PreviewTransferRequest): Promise<walletV1.PreviewTransferResponse> {
    const { plan, preview } = await this.transferPreviews.execute(request.agentId, transferRequestOf(request));
    return { transfer: toTransferResponse({ recipient: request.to, plan }), preview: toPreview(preview) };
  }

  async unwrap(request: walletV1.UnwrapRequest): Promise<walletV1.UnwrapResponse> {
    const { operationId, agentId, waitMs, onlyIfBegun } = request;
    const call = { operationId, agentId, request: unwrapRequestOf(request), waitMs, onlyIfBegun };
    return toUnwrapResponse(await this.unwraps.execute(call));
  }

  async previewUnwrap(request: walletV1.PreviewUnwrapRequest): Promise<walletV1.PreviewUnwrapResponse> {
    const { plan, preview } = await this.unwrapPreviews.execute(request.agentId, unwrapRequestOf(request));
    return { unwrap: toUnwrapResponse({ plan }), preview: toPreview(preview) };
  }

  async move(message: walletV1.MoveRequest): Promise<walletV1.MoveResponse> {
    const { operationId, step, attempt, agentId, waitMs, onlyIfBegun } = message;
    const request = { operationId, step, attempt, ...directionOf(message) };
    return toMoveResponse(await this.moves.execute({ agentId, request, waitMs, onlyIfBegun }));
  }

  async previewMove(message: walletV1.PreviewMoveRequest): Promise<walletV1.PreviewMoveResponse> {
    const { preview } = await this.movePreviews.execute(message.agentId, directionOf(message));
    return { preview: toPreview(preview) };
  }

  async getTreasury(): Promise<walletV1.GetTreasuryResponse> {
    const { finalizedSlot, ...treasury } = await this.treasury.execute();
    return { ...treasury, finalizedSlot: BigInt(finalizedSlot) };
  }

  async getAttestation({ nonce }: walletV1.GetAttestationRequest): Promise<walletV1.GetAttestationResponse> {
    const { replicas, unanswered } = await this.attestations.execute(nonce);
    return { replicas: [...replicas], unanswered };
  }

  async getToken({ query }: walletV1.GetTokenRequest): Promise<walletV1.GetTokenResponse> {
    return toTokenResponse(await this.tokens.execute(query));
  }
}
