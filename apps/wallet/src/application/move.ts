import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, isUuid } from '@agent-wallet/kernel';
import type { OperationEngine, OperationState } from '@agent-wallet/operations';
import type { MoveRequest } from '../domain/move.js';
import { checkMove } from './check-move.js';
import { type EarlierAttempts, moveIdOf } from './earlier-attempts.js';
import type { MoveKind } from './move-kind.js';

/** What a caller asks for. */
export interface MoveCall {
  readonly agentId: string;
  readonly request: MoveRequest;
  readonly waitMs: number;
  /** Whether an attempt that has not begun never may. */
  readonly onlyIfBegun?: boolean;
}

/** A move that landed or may land. */
export interface MoveAnswer {
  readonly isConfirmed: boolean;
  /** 64 bytes; undefined while none is known. */
  readonly signature: Uint8Array | undefined;
  /** Base units of USDC. */
  readonly amount: bigint;
}

/** Between two looks at an attempt that is not over yet. */
const LOOK_MS = 200;

/** Moves USDC between an agent's wallet and the treasury, as a step of another service's operation. */
export class Move {
  constructor(
    private readonly kind: MoveKind,
    private readonly earlier: Pick<EarlierAttempts, 'areOver'>,
    private readonly engine: Pick<OperationEngine, 'run'>,
  ) {}

  /**
   * Carries out each attempt once, and a later one only when nothing of the one before can land any more; answers what is
   * known when the wait is over.
   * @throws AppError whatever its code says, nothing moved and nothing will; only TRANSACTION_FAILED has cost a fee. With
   *   `outcome` in its data it is what every repeat of the attempt is answered; without, the attempt can be called again
   */
  async execute({ agentId, request, waitMs, onlyIfBegun = false }: MoveCall): Promise<MoveAnswer> {
    if (!isUuid(agentId)) throw new AppError('VALIDATION_ERROR');
    checkMove(request);
    const deadlineMs = performance.now() + waitMs;
    const amount = BigInt(request.amount);
    if (!onlyIfBegun && !(await this.#isTurn(request, deadlineMs))) {
      return { isConfirmed: false, signature: undefined, amount };
    }
    const { error, state, attempt } = await this.engine.run(this.kind, {
      ...{ id: moveIdOf(request), agentId, request, onlyIfBegun },
      waitMs: Math.max(deadlineMs - performance.now(), 0),
    });
    if (error) throw endedWith(error, state);
    return { isConfirmed: state === 'confirmed', signature: attempt?.signature, amount };
  }

  async #isTurn(request: MoveRequest, deadlineMs: number): Promise<boolean> {
    while (!(await this.earlier.areOver(request))) {
      const leftMs = deadlineMs - performance.now();
      if (leftMs <= 0) return false;
      await sleep(Math.min(LOOK_MS, leftMs));
    }
    return true;
  }
}

/** The error that ended an attempt, so that its caller can tell it from trouble on the way to the attempt. */
function endedWith({ code, message, details, data }: AppError, outcome: OperationState): AppError {
  return new AppError(code, { message, details, data: { ...data, outcome } });
}
