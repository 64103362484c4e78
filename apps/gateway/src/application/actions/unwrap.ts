import type { walletV1 } from '@agent-wallet/contracts';
import { formatAmount, SOL_DECIMALS } from '@agent-wallet/kernel';
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
import { type ExactJson, integerNumber } from '../responses/exact-json.js';

/** An unwrap as its route checked it; without an amount, all of the wrapped SOL. */
export type UnwrapInput = { readonly amount?: string | undefined };

/** SOL out of wrapped SOL, carried out by the wallet service. */
export class Unwrap implements DryRunAction<UnwrapInput> {
  readonly name = 'unwrap_sol';

  constructor(
    private readonly wallet: WalletService,
    private readonly explorerUrl: ExplorerUrl,
  ) {}

  reach(): Promise<void> {
    return this.wallet.reach();
  }

  async perform(command: Commanded<UnwrapInput>, { deadlineMs, ...call }: OperationCall): Promise<Operation> {
    const unwrap = await this.wallet.unwrap({ ...requestOf(command), ...call }, deadlineMs);
    return operationOf(unwrap, {
      message: 'Unwrapped.',
      data: () => ({ ...landedFields(call.operationId, unwrap.signature, this.explorerUrl), ...unwrapFields(unwrap) }),
    });
  }

  async dryRun(command: Commanded<UnwrapInput>) {
    const { unwrap, dryRun } = await this.wallet.dryRunUnwrap(requestOf(command));
    return { data: unwrapFields(present(unwrap, 'unwrap')), dryRun: present(dryRun, 'dryRun') };
  }
}

/** The request to the wallet, of the real unwrap and of its dry run. */
function requestOf({ agentId, input }: Commanded<UnwrapInput>): walletV1.DryRunUnwrapRequest {
  return { agentId, amount: input.amount ?? '' };
}

/** What becomes SOL; known before it is done. */
function unwrapFields({ amount, networkFeeLamports }: walletV1.UnwrapResponse): Record<string, ExactJson> {
  return {
    amount: `${formatAmount(amount, SOL_DECIMALS)} SOL`,
    amountRaw: amount.toString(),
    networkFeeLamports: integerNumber(networkFeeLamports),
  };
}
