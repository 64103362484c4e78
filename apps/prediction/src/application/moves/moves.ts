import { walletV1 } from '@agent-wallet/contracts';
import { AppError, type ErrorCode } from '@agent-wallet/kernel';
import type { Wallet } from '../../ports/wallet.js';
import { Once } from '../once.js';

/** What one attempt of a move came to. What was not answered at all is thrown: it is asked again. */
export type Moved =
  | { readonly kind: 'confirmed'; readonly signature: string }
  /** It may have been sent. */
  | { readonly kind: 'submitted'; readonly signature: string }
  /** Nothing moved, and nothing will in this attempt. */
  | { readonly kind: 'over'; readonly error: AppError }
  /** It is not known what became of this attempt: another one is to be asked. */
  | { readonly kind: 'elsewhere'; readonly attempt: number };

/** One attempt of one step, which the wallet service carries out once. */
export interface MoveName {
  readonly operationId: string;
  readonly agentId: string;
  readonly step: number;
  readonly attempt: number;
}

/** What moves, and how it is asked for. */
export interface MoveOptions {
  readonly direction: 'escrow' | 'payout';
  readonly amountUsdMicros: bigint;
  /** Whether it is not known what became of an attempt before: only an answer that shows that this one was made tells. */
  readonly isUnclear?: boolean | undefined;
  /** Only ask: what has not begun never will. Of first attempts alone: a later one says nothing of those before it. */
  readonly onlyIfBegun?: boolean;
}

/** How an attempt that was made can end without having moved anything: nothing else answers these. */
const ENDS: ReadonlySet<ErrorCode> = new Set([
  'TRANSACTION_EXPIRED',
  'TRANSACTION_FAILED',
  'POLICY_VIOLATION',
  'INSUFFICIENT_FUNDS',
  'INVALID_ADDRESS',
  'UNSAFE_TOKEN',
  'UPSTREAM_ERROR',
  'UPSTREAM_TIMEOUT',
]);

/** So can an attempt end, too; but also a call that did not even find out whether there is one. */
const ALSO_ITS_OWN: ReadonlySet<ErrorCode> = new Set(['SERVICE_UNAVAILABLE', 'INTERNAL_ERROR']);

/** Longer than what was written needs to be acted upon, and shorter than a lease: nobody else can have called meanwhile. */
const REMEMBERED_MS = 2_000;
/** For the way there and back. */
const ANSWER_MS = 5_000;

/**
 * Moves USDC between agents' wallets and the treasury: a step once, however often it is called. The wallet service begins
 * an attempt only when nothing of the one before it can land any more; so where it is not known what became of one, the
 * next is asked, and where that has none before it or comes after one that has landed, the one before.
 */
export class Moves {
  /** Attempts that nobody has called yet. */
  readonly #uncalled = new Once(REMEMBERED_MS);

  constructor(
    private readonly wallet: Pick<Wallet, 'move'>,
    private readonly waitMs: number,
  ) {}

  /** To be called right before an attempt is written for the first time. */
  begin(name: Omit<MoveName, 'agentId'>): void {
    this.#uncalled.remember(keyOf(name));
  }

  /** Carries out an attempt, or asks for what became of it. @throws whatever says nothing at all */
  async move(name: MoveName, options: MoveOptions): Promise<Moved> {
    const { direction, amountUsdMicros, onlyIfBegun = false, isUnclear = false } = options;
    // Nobody else has called it, so what is answered is about this call.
    const isAlone = this.#uncalled.take(keyOf(name)) && !isUnclear;
    const { waitMs } = this;
    const value = { amount: amountUsdMicros };
    const move = direction === 'escrow' ? { $case: direction, value } : { $case: direction, value };
    try {
      const { state, signature } = await this.wallet.move(
        { ...name, move, waitMs, onlyIfBegun },
        { deadlineMs: waitMs + ANSWER_MS },
      );
      const isConfirmed = state === walletV1.OperationState.OPERATION_STATE_CONFIRMED;
      return { kind: isConfirmed ? 'confirmed' : 'submitted', signature };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return refused(name.attempt, error, isAlone);
    }
  }
}

function refused(attempt: number, error: AppError, isAlone: boolean): Moved {
  // It has none before it, or comes after one that has landed.
  if (error.code === 'VALIDATION_ERROR' && attempt > 1) return { kind: 'elsewhere', attempt: attempt - 1 };
  if (isAlone || ENDS.has(error.code)) return { kind: 'over', error };
  if (ALSO_ITS_OWN.has(error.code)) return { kind: 'elsewhere', attempt: attempt + 1 };
  throw error;
}

function keyOf({ operationId, step, attempt }: Omit<MoveName, 'agentId'>): string {
  return `${operationId}:${step}:${attempt}`;
}
