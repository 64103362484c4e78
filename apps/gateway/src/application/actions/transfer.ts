import type { walletV1 } from '@agent-wallet/contracts';
import { formatAmount } from '@agent-wallet/kernel';
import { present, type WalletService } from '../../ports/services.js';
import {
  type Commanded,
  type DryRunAction,
  type ExplorerUrl,
  type Operation,
  type OperationCall,
  landedFields,
  operationOf,
} from '../operations/operation.js';
import { amountNumber, type ExactJson, integerNumber } from '../responses/exact-json.js';

/** A transfer as its route checked it. Without `mint`, or with `SOL`, the native coin is sent. */
export type TransferInput = {
  readonly to: string;
  readonly amount: string;
  readonly mint?: string | undefined;
  readonly memo?: string | undefined;
};

/** Transfers of the native coin and of tokens, carried out by the wallet service. */
export class Transfer implements DryRunAction<TransferInput> {
  readonly name = 'transfer';

  constructor(
    private readonly wallet: WalletService,
    private readonly explorerUrl: ExplorerUrl,
  ) {}

  reach(): Promise<void> {
    return this.wallet.reach();
  }

  async perform(command: Commanded<TransferInput>, { deadlineMs, ...call }: OperationCall): Promise<Operation> {
    const transfer = await this.wallet.transfer({ ...requestOf(command), ...call }, deadlineMs);
    return operationOf(transfer, {
      message: 'Transfer confirmed.',
      data: () => ({
        ...landedFields(call.operationId, transfer.signature, this.explorerUrl),
        ...transferFields(transfer),
      }),
    });
  }

  async dryRun(command: Commanded<TransferInput>) {
    const { transfer, dryRun } = await this.wallet.dryRunTransfer(requestOf(command));
    return { data: transferFields(present(transfer, 'transfer')), dryRun: present(dryRun, 'dryRun') };
  }
}

/** The request to the wallet, of the real transfer and of its dry run. */
function requestOf({ agentId, input }: Commanded<TransferInput>): walletV1.DryRunTransferRequest {
  const { to, amount, mint = '', memo = '' } = input;
  return { agentId, to, token: mint, amount, memo };
}

/** What a transfer moves, as specification 2.2 shows it; known before it is done. */
function transferFields(transfer: walletV1.TransferResponse): Record<string, ExactJson> {
  const { decimals, symbol } = transfer;
  return {
    amount: `${formatAmount(transfer.amount, decimals)} ${symbol}`,
    amountRaw: transfer.amount.toString(),
    mint: transfer.mint || null,
    amountSent: amountNumber(transfer.amountSent, decimals),
    amountSentRaw: transfer.amountSent.toString(),
    fee: amountNumber(transfer.fee, decimals),
    feeRaw: transfer.fee.toString(),
    feeMode: transfer.feeDeducted ? 'deducted' : 'added',
    totalDeducted: amountNumber(transfer.totalDeducted, decimals),
    totalDeductedRaw: transfer.totalDeducted.toString(),
    rentLamports: integerNumber(transfer.rentLamports),
    networkFeeLamports: integerNumber(transfer.networkFeeLamports),
    recipient: transfer.recipient,
  };
}
