import { AppError, insufficientFunds } from '@agent-wallet/kernel';
import type {
  OperationDescription,
  Saga,
  SagaExplanation,
  SagaInput,
  SagaStep,
  SpendingCheck,
} from '@agent-wallet/operations';
import type { In, WithdrawPlan } from '../../domain/orders/order-plan.js';
import { checkLeastWithdrawal, type WithdrawRequest } from '../../domain/orders/order-request.js';
import { unlessStopped } from '../access/policy-stops.js';
import type { MoveFailure } from '../moves/moves.js';
import { firstPayout, type Payouts } from '../moves/payouts.js';
import { describeWithdrawal } from '../orders/order-facts.js';
import { explainPayout, NOT_BEGUN } from '../orders/explain-order.js';
import { withdrawCodec } from '../orders/order-codecs.js';
import type { OperatorsMoney } from '../orders/operators-money.js';
import type { OperationDependencies } from '../operations/dependencies.js';
import { alreadyDone, prepared, refused } from '../operations/prepare.js';
import { USDC } from '../orders/usdc-price.js';

type Input = SagaInput<WithdrawRequest, WithdrawPlan>;
type Step = SagaStep<WithdrawPlan>;

/** With what a withdrawal is carried out. */
interface WithdrawTools extends Pick<OperationDependencies, 'ledger' | 'clock' | 'timing' | 'minWithdrawalUsdMicros'> {
  readonly policies: SpendingCheck;
  readonly money: OperatorsMoney;
  readonly payouts: Payouts;
}

const STEP = 1;

/** Moves prediction balance to the wallet: it is set aside with the first step that is written. */
export class WithdrawSaga implements Saga<WithdrawRequest, WithdrawPlan> {
  readonly action = 'prediction_withdrawal';
  readonly codec = withdrawCodec;

  constructor(private readonly tools: WithdrawTools) {}

  describe(request: WithdrawRequest, plan: WithdrawPlan | undefined): OperationDescription {
    return describeWithdrawal(request, plan);
  }

  async explain({ plan }: Input): Promise<SagaExplanation> {
    return plan ? explainPayout(plan.payout) : NOT_BEGUN;
  }

  async advance(operation: Input, signal: AbortSignal): Promise<Step> {
    const { plan } = operation;
    switch (plan?.state) {
      case undefined:
        return prepared(() => this.#prepare(operation), signal);
      case 'paying':
        return this.#pay(operation, plan, signal);
      case 'done':
        throw alreadyDone(operation);
    }
  }

  async #prepare({ id, agentId, request }: Input): Promise<Step> {
    const { ledger, clock, money, policies, minWithdrawalUsdMicros: minUsdMicros } = this.tools;
    const { amountUsdMicros: amount } = request;
    await unlessStopped(policies, agentId, async () => {
      // First: only an agent with that much learns what the treasury holds.
      const { availableUsdMicros } = await ledger.balanceOf(agentId);
      const shortfall = shortfallOf(availableUsdMicros, amount);
      if (shortfall) throw shortfall;
      checkLeastWithdrawal(request, { availableUsdMicros, minUsdMicros });
      await money.assertTreasuryCovers(amount);
    });
    return {
      kind: 'on',
      plan: { state: 'paying', payout: firstPayout(amount, clock.nowMs()) },
      at: 'set-aside',
      write: (tx) => ledger.startPayout(tx, { operationId: id, agentId }, STEP, amount),
      // Another withdrawal was faster.
      otherwise: async (error) =>
        error.code === 'INSUFFICIENT_FUNDS' ? refused((await this.#shortfall(agentId, amount)) ?? error) : undefined,
    };
  }

  async #shortfall(agentId: string, amount: bigint): Promise<AppError | undefined> {
    const { availableUsdMicros } = await this.tools.ledger.balanceOf(agentId);
    return shortfallOf(availableUsdMicros, amount);
  }

  async #pay(
    { id, agentId, state }: Input,
    { payout }: In<WithdrawPlan, 'paying'>,
    signal: AbortSignal,
  ): Promise<Step> {
    const { clock, timing, payouts } = this.tools;
    const cancelIfNotStarted = clock.nowMs() - payout.sinceMs > timing.timeoutMs;
    const terms = { operationId: id, agentId, step: STEP, maxAttempts: 1, cancelIfNotStarted };
    const step = await payouts.step(terms, payout, signal);
    if (step.kind === 'wait') return step;
    if (step.kind === 'on') {
      const plan = { state: 'paying', payout: step.payout } as const;
      const isSigned = step.payout.signature !== undefined;
      if (!isSigned) return { kind: 'on', plan, publishesEvent: false, at: 'paying' };
      return { kind: 'on', state: 'submitted', plan, publishesEvent: state === 'pending', at: 'paying' };
    }
    const { write, failure } = step;
    const plan = { state: 'done', payout: step.payout } as const;
    if (!failure) return { kind: 'done', state: 'confirmed', plan, write };
    const isForbidden = cancelIfNotStarted && payout.signature === undefined;
    return { kind: 'done', plan, ...endOf(failure, isForbidden), write };
  }
}

/** Returns INSUFFICIENT_FUNDS, or undefined when what is available of the prediction balance covers the amount. */
function shortfallOf(available: bigint, amount: bigint): AppError | undefined {
  return available < amount ? insufficientFunds({ ...USDC, available }, amount, 'the prediction balance') : undefined;
}

/**
 * Returns the end of a withdrawal that failed. Everything is in the prediction balance again, so a failure that may
 * pass becomes SERVICE_UNAVAILABLE, which the caller may repeat.
 * The transaction that moved nothing is the operator's, and would look like the withdrawal's.
 */
function endOf({ state, error }: MoveFailure, isForbidden: boolean): MoveFailure {
  const mayPass = error.code === 'TRANSACTION_FAILED' || (state === 'expired' && isForbidden);
  if (!mayPass) return { state, error };
  return { state: 'failed', error: new AppError('SERVICE_UNAVAILABLE', { cause: error }) };
}
