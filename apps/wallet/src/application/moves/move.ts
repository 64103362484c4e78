import { type AppError, assertUuid, newId, sleep } from '@agent-wallet/kernel';
import type { OperationEngine, OperationState } from '@agent-wallet/operations';
import { changesByMove, checkMove, type MovePlan, type MoveRequest } from '../../domain/move.js';
import type { PolicyCheck } from '../../ports/policy-check.js';
import { type DryRunPlan, dryRunOf, type SimulatingChain } from '../operations/dry-run.js';
import { type EarlierAttempts, moveIdOf } from './earlier-attempts.js';
import type { MoveHandler } from './move-handler.js';

/** A caller's request for a move. */
export interface MoveCall {
  readonly agentId: string;
  readonly request: MoveRequest;
  readonly waitMs: number;
  /** Whether an attempt that has not begun never may. */
  readonly cancelIfNotStarted?: boolean;
}

/** A move that landed or may land. */
export interface MoveResult {
  readonly isConfirmed: boolean;
  /** 64 bytes; undefined while none is known. */
  readonly signature: Uint8Array | undefined;
  /** Base units of USDC. */
  readonly amount: bigint;
}

/** Between two reads of an attempt that is not over yet. */
const POLL_INTERVAL_MS = 200;

/** Moves USDC between an agent's wallet and the treasury, as a step of another service's operation. */
export class Move {
  constructor(
    private readonly handler: MoveHandler,
    private readonly earlier: Pick<EarlierAttempts, 'areOver'>,
    private readonly engine: Pick<OperationEngine, 'run'>,
  ) {}

  /**
   * Carries out each attempt once, and a later one only when nothing of the one before can land any more; answers what is
   * known when the wait is over.
   * @throws AppError of any code: nothing moved and nothing will; only TRANSACTION_FAILED has cost a fee. With
   *   `outcome` in its data it is what every repeat of the attempt is answered; without, the attempt can be called again
   */
  async execute({ agentId, request, waitMs, cancelIfNotStarted = false }: MoveCall): Promise<MoveResult> {
    assertUuid('agentId', agentId);
    checkMove(request);
    const deadlineMs = performance.now() + waitMs;
    const { amount } = request;
    if (!cancelIfNotStarted && !(await this.#isSlot(request, deadlineMs))) {
      return { isConfirmed: false, signature: undefined, amount };
    }
    const { error, state, attempt } = await this.engine.run(this.handler, {
      id: moveIdOf(request),
      agentId,
      request,
      cancelIfNotStarted,
      waitMs: Math.max(deadlineMs - performance.now(), 0),
    });
    if (error) throw endedWith(error, state);
    return { isConfirmed: state === 'confirmed', signature: attempt?.signature, amount };
  }

  async #isSlot(request: MoveRequest, deadlineMs: number): Promise<boolean> {
    while (!(await this.earlier.areOver(request))) {
      const leftMs = deadlineMs - performance.now();
      if (leftMs <= 0) return false;
      await sleep(Math.min(POLL_INTERVAL_MS, leftMs));
    }
    return true;
  }
}

/** Says what a move would come to, and does nothing. */
export class DryRunMove {
  constructor(
    private readonly handler: MoveHandler,
    private readonly policy: PolicyCheck,
    private readonly chain: SimulatingChain,
  ) {}

  /** @throws AppError as Move would; a refusal by policy is in the answer */
  async execute(
    agentId: string,
    move: Pick<MoveRequest, 'direction' | 'amount' | 'order'>,
  ): Promise<DryRunPlan<MovePlan>> {
    assertUuid('agentId', agentId);
    const request = { operationId: newId(), step: 1, attempt: 1, ...move };
    checkMove(request);
    const { handler, policy, chain } = this;
    const tools = { handler, policy, chain, planIfStopped: { permitAttempt: 1 } };
    return dryRunOf(tools, { id: newId(), agentId, request }, (plan, fee) => changesByMove(request, plan, fee));
  }
}

/** Returns the error that ended an attempt, so that its caller can distinguish it from an error before the attempt. */
function endedWith(error: AppError, outcome: OperationState): AppError {
  return error.with({ outcome });
}
