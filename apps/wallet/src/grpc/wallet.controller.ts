import { walletV1 } from '@agent-wallet/contracts';
import { AppError, assertUuid } from '@agent-wallet/kernel';
import { OperatorDesk } from '@agent-wallet/operations';
import { Controller, Inject } from '@nestjs/common';
import { CreateWallet } from '../application/create-wallet.js';
import { GetBalances } from '../application/get-balances.js';
import { Transfer } from '../application/transfer.js';
import { toBalancesResponse, toTransferResponse } from './messages.js';
import { toOperation } from './operation-message.js';

const OPEN_LIMIT = 100;

/** The wallet service's gRPC surface. */
@Controller()
@walletV1.WalletServiceControllerMethods()
export class WalletController implements walletV1.WalletServiceController {
  constructor(
    @Inject(CreateWallet) private readonly creation: CreateWallet,
    @Inject(GetBalances) private readonly balances: GetBalances,
    @Inject(Transfer) private readonly transfers: Transfer,
    @Inject(OperatorDesk) private readonly desk: OperatorDesk,
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

  async listOpenOperations(request: walletV1.ListOpenOperationsRequest): Promise<walletV1.ListOpenOperationsResponse> {
    const limit = Math.min(request.limit || OPEN_LIMIT, OPEN_LIMIT);
    const open = await this.desk.open({ minAgeMs: request.minAgeMs, limit });
    return { operations: open.map(toOperation) };
  }

  async explainOperation(request: walletV1.ExplainOperationRequest): Promise<walletV1.ExplainOperationResponse> {
    assertUuid('operationId', request.operationId);
    const { operation, explanation } = await this.desk.explain(request.operationId);
    return { operation: toOperation(operation), ...explanation };
  }

  async resendOperation(request: walletV1.ResendOperationRequest): Promise<walletV1.ResendOperationResponse> {
    const { operationId, operator, reason } = request;
    assertUuid('operationId', operationId);
    return { signature: await this.desk.resend(operationId, { operator, reason }) };
  }
}
