import { assertUuid } from '@agent-wallet/kernel';
import type { OperationEngine } from '@agent-wallet/operations';
import type { Logger } from '@agent-wallet/platform';
import { signatureOfPayout } from '../../domain/orders/order-plan.js';
import { checkWithdrawal, type WithdrawRequest } from '../../domain/orders/order-request.js';
import type { AgentBalance, LedgerReader } from '../../ports/ledger-store.js';
import type { OperationCallOf } from '../operations/dependencies.js';
import type { WithdrawSaga } from './withdraw-saga.js';

/** A withdrawal that is done or under way. */
export interface WithdrawResult {
  readonly isConfirmed: boolean;
  /** Base58 signature of the payout; empty while there is none. */
  readonly signature: string;
  readonly amountUsdMicros: bigint;
  /** The withdrawable balance after it; meaningless unless it is confirmed. */
  readonly newBalanceUsdMicros: bigint;
}

/** Withdraws prediction balance. */
export class Withdraw {
  constructor(
    private readonly saga: WithdrawSaga,
    private readonly engine: Pick<OperationEngine, 'run'>,
    private readonly ledger: Pick<LedgerReader, 'balanceOf'>,
    private readonly logger: Logger,
  ) {}

  /**
   * Withdraws once for each operation id, and answers what is known when the wait is over.
   * @throws AppError nothing has moved: everything is in the prediction balance
   */
  async execute(call: OperationCallOf<WithdrawRequest>): Promise<WithdrawResult> {
    const { operationId: id, agentId, request, waitMs, cancelIfNotStarted } = call;
    assertUuid('operationId', id);
    assertUuid('agentId', agentId);
    checkWithdrawal(request);
    const { error, state, plan } = await this.engine.run(this.saga, {
      id,
      agentId,
      request,
      waitMs,
      cancelIfNotStarted,
    });
    if (error) throw error;
    const balance = state === 'confirmed' ? await this.#balanceAfter(id, agentId) : undefined;
    return {
      isConfirmed: balance !== undefined,
      signature: signatureOfPayout(plan?.payout) ?? '',
      amountUsdMicros: request.amountUsdMicros,
      newBalanceUsdMicros: balance?.availableUsdMicros ?? 0n,
    };
  }

  /**
   * Reads the balance after a withdrawal. It logs a failed read, since an error would look like the withdrawal's: a
   * repeat gets the whole response.
   */
  #balanceAfter(operation: string, agentId: string): Promise<AgentBalance | undefined> {
    return this.ledger.balanceOf(agentId).catch((err: unknown) => {
      const fields = { event: 'withdrawal.balance_read_failed', operationId: operation, err } as const;
      this.logger.warn(fields, 'Balance after the withdrawal could not be read');
      return undefined;
    });
  }
}
