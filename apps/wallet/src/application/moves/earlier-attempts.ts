import { policyV1 } from '@agent-wallet/contracts';
import { AppError, idOf } from '@agent-wallet/kernel';
import { type AttemptRecord, isDecided, type OperationPolicy, type OperationRecord } from '@agent-wallet/operations';
import type { MovePlan, MoveRequest } from '../../domain/move.js';

/** Returns the ID of the operation that carries out one attempt. */
export function moveIdOf({
  operationId,
  step,
  attempt,
}: Pick<MoveRequest, 'operationId' | 'step' | 'attempt'>): string {
  return idOf('move', operationId, step, attempt);
}

type MoveRecord = OperationRecord<MoveRequest, MovePlan>;

/** The results of the attempts before one. */
export class EarlierAttempts {
  constructor(
    private readonly find: (id: string) => Promise<MoveRecord | undefined>,
    private readonly policy: Pick<OperationPolicy, 'settle'>,
  ) {}

  /**
   * Reports whether nothing of the attempt before one can land any more, and policy knows. An attempt that was made
   * already needs no such proof again.
   * @throws AppError VALIDATION_ERROR when that attempt was never made, or has landed
   */
  async areOver(request: MoveRequest): Promise<boolean> {
    if (request.attempt === 1 || (await this.find(moveIdOf(request)))) return true;
    const before = await this.#before(request);
    if (!before) throw AppError.field('attempt', 'must follow an earlier attempt');
    if (before.state === 'confirmed') throw AppError.field('attempt', 'must not follow an attempt that landed');
    return isDecided(before) && (before.attempt?.settled ?? true);
  }

  /**
   * Returns the number under which policy permits an attempt. It is the next after those that policy knows, because
   * policy wants its own proof that the one before is over. An attempt that policy does not know was never signed.
   * @throws AppError SERVICE_UNAVAILABLE while that is unknown, or it may still land
   */
  async permitAttemptOf(request: MoveRequest): Promise<number> {
    if (request.attempt === 1) return 1;
    const before = await this.#before(request);
    if (!before || !isDecided(before) || before.state === 'confirmed') throw notYet();
    if (!before.attempt) return this.permitAttemptOf({ ...request, attempt: request.attempt - 1 });
    const { permitAttempt } = before.plan!;
    return (await this.#isKnown(request, permitAttempt, before.attempt)) ? permitAttempt + 1 : permitAttempt;
  }

  #before(request: MoveRequest): Promise<MoveRecord | undefined> {
    return this.find(moveIdOf({ ...request, attempt: request.attempt - 1 }));
  }

  async #isKnown({ operationId, step }: MoveRequest, attempt: number, built: AttemptRecord): Promise<boolean> {
    const { OUTCOME_EXPIRED, OUTCOME_FAILED } = policyV1.Outcome;
    try {
      const message = Buffer.from(built.message);
      const signature = Buffer.from(built.signature ?? []);
      const { outcome } = await this.policy.settle({ operationId, step, attempt, message, signature });
      if (outcome !== OUTCOME_EXPIRED && outcome !== OUTCOME_FAILED) throw notYet();
      return true;
    } catch (error) {
      if (error instanceof AppError && error.code === 'NOT_FOUND') return false;
      throw error;
    }
  }
}

const notYet = () => new AppError('SERVICE_UNAVAILABLE', { cause: new Error('the attempt before may still land') });
