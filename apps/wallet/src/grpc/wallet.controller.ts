import { walletV1 } from '@agent-wallet/contracts';
import { AppError, assertUuid } from '@agent-wallet/kernel';
import { Controller, Inject } from '@nestjs/common';
import { CreateWallet } from '../application/create-wallet.js';
import { GetBalances } from '../application/get-balances.js';
import { Transfer } from '../application/transfer.js';
import { toBalancesResponse, toTransferResponse } from './messages.js';

/** The wallet service's gRPC surface. */
@Controller()
@walletV1.WalletServiceControllerMethods()
export class WalletController implements walletV1.WalletServiceController {
  constructor(
    @Inject(CreateWallet) private readonly creation: CreateWallet,
    @Inject(GetBalances) private readonly balances: GetBalances,
    @Inject(Transfer) private readonly transfers: Transfer,
  ) {}

  async createWallet({ agentId }: walletV1.CreateWalletRequest): Promise<walletV1.CreateWalletResponse> {
    assertUuid('agentId', agentId);
    return this.creation.execute(agentId);
  }

  async getBalances({ agentId }: walletV1.GetBalancesRequest): Promise<walletV1.GetBalancesResponse> {
    assertUuid('agentId', agentId);
    return toBalancesResponse(await this.balances.execute(agentId));
  }

  async transfer(request: walletV1.TransferRequest): Promise<walletV1.TransferResponse> {
    const { operationId, agentId, to, token, amount, memo, waitMs, onlyIfBegun } = request;
    const call = { operationId, agentId, request: { to, token, amount, memo }, waitMs, onlyIfBegun };
    return toTransferResponse(await this.transfers.execute(call));
  }

  previewTransfer(): never {
    throw new AppError('SERVICE_UNAVAILABLE');
  }

  unwrap(): never {
    throw new AppError('SERVICE_UNAVAILABLE');
  }

  previewUnwrap(): never {
    throw new AppError('SERVICE_UNAVAILABLE');
  }

  getToken(): never {
    throw new AppError('SERVICE_UNAVAILABLE');
  }
}
