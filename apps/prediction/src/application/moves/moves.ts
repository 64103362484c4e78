import { type intentV1, walletV1 } from '@agent-wallet/contracts';
import { AppError } from '@agent-wallet/kernel';
import type { Wallet } from '../../ports/wallet.js';

/** The end of an attempt that moved nothing, and never will. */
export interface MoveFailure {
  readonly state: 'failed' | 'rejected' | 'expired';
  readonly error: AppError;
}

/**
 * The outcome of one attempt of a move. An error that says nothing of the outcome is thrown: the caller retries the
 * same attempt.
 */
type Moved =
  | { readonly kind: 'confirmed'; readonly signature: string }
  /** It may have been sent. */
  | { readonly kind: 'submitted'; readonly signature: string }
  | { readonly kind: 'over'; readonly failure: MoveFailure };

/** One attempt of one step, which the wallet service carries out once. */
interface MoveName {
  readonly operationId: string;
  readonly agentId: string;
  readonly step: number;
  readonly attempt: number;
}

/** The move, and how it is requested. */
interface MoveOptions {
  readonly direction: 'escrow' | 'payout';
  readonly amountUsdMicros: bigint;
  /** The order that an escrow pays for. */
  readonly order?: intentV1.EscrowOrder;
  /** Whether to start nothing: a move that has not begun never will. */
  readonly cancelIfNotStarted?: boolean | undefined;
}

/** For the way there and back. */
const RESPONSE_MS = 5_000;

/** Moves USDC between agents' wallets and the treasury: an attempt of a step once, however often it is asked for. */
export class Moves {
  constructor(
    private readonly wallet: Pick<Wallet, 'move'>,
    private readonly waitMs: number,
  ) {}

  /** Carries out an attempt, or asks for what became of it. @throws any error that says nothing of it */
  async move(name: MoveName, options: MoveOptions): Promise<Moved> {
    const { waitMs } = this;
    const { direction, amountUsdMicros: amount, order, cancelIfNotStarted = false } = options;
    const move =
      direction === 'escrow' ? { $case: direction, value: { amount, order } } : { $case: direction, value: { amount } };
    try {
      const { state, signature } = await this.wallet.move(
        { ...name, move, waitMs, cancelIfNotStarted },
        { deadlineMs: waitMs + RESPONSE_MS },
      );
      const isConfirmed = state === walletV1.OperationState.OPERATION_STATE_CONFIRMED;
      return { kind: isConfirmed ? 'confirmed' : 'submitted', signature };
    } catch (error) {
      const failure = failureOf(error);
      if (!failure) throw error;
      return { kind: 'over', failure };
    }
  }
}

/**
 * Returns the end that the wallet reports with its outcome. An error without one did not get as far as the attempt:
 * undefined.
 */
function failureOf(error: unknown): MoveFailure | undefined {
  if (!(error instanceof AppError)) return undefined;
  const { code, message, details, data } = error;
  const { outcome, ...facts } = data;
  if (outcome !== 'failed' && outcome !== 'rejected' && outcome !== 'expired') return undefined;
  return { state: outcome, error: AppError.received(code, { message, details, data: facts, cause: error }) };
}
