import { walletV1 } from '@agent-wallet/contracts';
import { assertUuid } from '@agent-wallet/kernel';
import type { GrpcController } from '@agent-wallet/platform';
import { Controller, Inject } from '@nestjs/common';
import { WALLET_USE_CASES, type WalletUseCases } from '../application/use-cases.js';
import {
  directionOf,
  toBalancesResponse,
  toMoveResponse,
  toPreview,
  toTokenResponse,
  toTransferResponse,
  toUnwrapResponse,
} from './messages.js';

/** The wallet service's gRPC surface. */
@Controller()
export class WalletController implements GrpcController<walletV1.WalletServiceService> {
  constructor(@Inject(WALLET_USE_CASES) private readonly useCases: WalletUseCases) {}

  async createWallet({ agentId }: walletV1.CreateWalletRequest): Promise<walletV1.CreateWalletResponse> {
    assertUuid('agentId', agentId);
    return this.useCases.createWallet.execute(agentId);
  }

  async getWallet({ agentId }: walletV1.GetWalletRequest): Promise<walletV1.GetWalletResponse> {
    assertUuid('agentId', agentId);
    return this.useCases.getWallet.execute(agentId);
  }

  async getBalances({ agentId }: walletV1.GetBalancesRequest): Promise<walletV1.GetBalancesResponse> {
    assertUuid('agentId', agentId);
    return toBalancesResponse(await this.useCases.getBalances.execute(agentId));
  }

  async transfer(request: walletV1.TransferRequest): Promise<walletV1.TransferResponse> {
    const { operationId, agentId, to, token, amount, memo, waitMs, onlyIfBegun } = request;
    const call = { operationId, agentId, request: { to, token, amount, memo }, waitMs, onlyIfBegun };
    return toTransferResponse(await this.useCases.transfer.execute(call));
  }

  async previewTransfer(request: walletV1.PreviewTransferRequest): Promise<walletV1.PreviewTransferResponse> {
    const { agentId, to, token, amount, memo } = request;
    const { plan, preview } = await this.useCases.previewTransfer.execute(agentId, { to, token, amount, memo });
    return { transfer: toTransferResponse({ recipient: to, plan }), preview: toPreview(preview) };
  }

  async unwrap(request: walletV1.UnwrapRequest): Promise<walletV1.UnwrapResponse> {
    const { operationId, agentId, amount, waitMs, onlyIfBegun } = request;
    const call = { operationId, agentId, request: { amount }, waitMs, onlyIfBegun };
    return toUnwrapResponse(await this.useCases.unwrap.execute(call));
  }

  async previewUnwrap({ agentId, amount }: walletV1.PreviewUnwrapRequest): Promise<walletV1.PreviewUnwrapResponse> {
    const { plan, preview } = await this.useCases.previewUnwrap.execute(agentId, { amount });
    return { unwrap: toUnwrapResponse({ plan }), preview: toPreview(preview) };
  }

  async move(message: walletV1.MoveRequest): Promise<walletV1.MoveResponse> {
    const { operationId, step, attempt, agentId, waitMs, onlyIfBegun } = message;
    const request = { operationId, step, attempt, ...directionOf(message) };
    return toMoveResponse(await this.useCases.move.execute({ agentId, request, waitMs, onlyIfBegun }));
  }

  async previewMove(message: walletV1.PreviewMoveRequest): Promise<walletV1.PreviewMoveResponse> {
    const { preview } = await this.useCases.previewMove.execute(message.agentId, directionOf(message));
    return { preview: toPreview(preview) };
  }

  async getTreasury(): Promise<walletV1.GetTreasuryResponse> {
    const { finalizedSlot, ...treasury } = await this.useCases.getTreasury.execute();
    return { ...treasury, finalizedSlot: BigInt(finalizedSlot) };
  }

  async getAttestation({ nonce }: walletV1.GetAttestationRequest): Promise<walletV1.GetAttestationResponse> {
    const { replicas, unanswered } = await this.useCases.getAttestation.execute(nonce);
    return { replicas: [...replicas], unanswered };
  }

  async getToken({ query }: walletV1.GetTokenRequest): Promise<walletV1.GetTokenResponse> {
    return toTokenResponse(await this.useCases.getToken.execute(query));
  }
}
