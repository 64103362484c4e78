import { type intentV1, walletV1 } from '@agent-wallet/contracts';
import { AppError, type ErrorCode, newId } from '@agent-wallet/kernel';
import { RpcFailure } from '@agent-wallet/platform';
import type { Wallet } from '../src/ports/wallet.js';
import { ScriptedApprovals } from './scripted-approvals.js';

/** What becomes of one call. */
export type CallMood =
  /** It was heard, and its answer is lost. */
  | 'lost-after'
  /** It was not heard. */
  | 'lost-before'
  /** The wallet service cannot look at its database: what it answers says nothing of the attempt. */
  | 'away'
  /** It lands; at first the caller only learns that it may. */
  | 'slow'
  /** It ends without having moved anything. */
  | `ends:${ErrorCode}`;

interface Attempt {
  state: 'submitted' | 'confirmed' | 'ended';
  readonly signature: string;
  readonly amount: bigint;
  readonly agentId: string;
  readonly direction: 'escrow' | 'payout';
  /** What it said that it pays for. */
  readonly order: intentV1.EscrowOrder | undefined;
  error?: AppError;
}

const { OperationState } = walletV1;

/** How an attempt ends with a code; `failed` with any other. */
const OUTCOMES: Partial<Record<ErrorCode, string>> = {
  ...{ POLICY_VIOLATION: 'rejected', APPROVAL_REQUIRED: 'rejected', APPROVAL_REJECTED: 'rejected' },
  ...{ TRANSACTION_EXPIRED: 'expired', APPROVAL_EXPIRED: 'expired' },
};

/** The wallet service as its promises are: an attempt once, a later one only when nothing of the one before can land. */
export class ScriptedWallet implements Wallet {
  readonly attempts = new Map<string, Attempt>();
  readonly funds = new Map<string, bigint>();
  readonly approvals = new ScriptedApprovals();
  treasury = 10_000_000_000n;
  readonly moods: Array<{ readonly direction: 'escrow' | 'payout'; readonly mood: CallMood }> = [];
  /** Called when a call has had its effect, before it is answered. */
  onEffect: (what: string) => Promise<void> = async () => {};

  /** What becomes of the next call that moves in that direction. */
  next(direction: 'escrow' | 'payout', ...moods: CallMood[]): void {
    this.moods.push(...moods.map((mood) => ({ direction, mood })));
  }

  async move(request: walletV1.MoveRequest): Promise<walletV1.MoveResponse> {
    const { $case: direction, value } = request.move!;
    const mood = this.#moodFor(direction);
    await this.onEffect(`before-${direction}`);
    if (mood === 'lost-before') throw noAnswer();
    if (mood === 'away') throw new AppError('SERVICE_UNAVAILABLE');
    const order = 'order' in value ? value.order : undefined;
    const attempt = this.#attempt(request, { direction, amount: value.amount, order, mood });
    await this.onEffect(direction);
    if (mood === 'lost-after') throw noAnswer();
    return this.#answer(attempt);
  }

  #attempt(
    { operationId, step, attempt, agentId, cancelIfNotStarted }: walletV1.MoveRequest,
    { mood, ...moved }: Pick<Attempt, 'direction' | 'amount' | 'order'> & { mood: CallMood | undefined },
  ): Attempt {
    const { direction, amount } = moved;
    const key = `${operationId}:${step}:${attempt}`;
    const found = this.attempts.get(key);
    if (found) {
      if (found.amount !== amount || found.agentId !== agentId) throw new AppError('IDEMPOTENCY_MISMATCH');
      if (found.state === 'submitted') this.#land(found);
      return found;
    }
    const made: Attempt = { state: 'submitted', signature: newId(), agentId, ...moved };
    if (cancelIfNotStarted) {
      this.attempts.set(key, made);
      return this.#end(made, new AppError('TRANSACTION_EXPIRED'));
    }
    if (attempt > 1) this.#assertTurn(this.attempts.get(`${operationId}:${step}:${attempt - 1}`));
    this.attempts.set(key, made);
    if (mood?.startsWith('ends:')) {
      const code = mood.slice('ends:'.length) as ErrorCode;
      // Of a transaction that landed with an error, the wallet says which one and what it cost.
      const data = code === 'TRANSACTION_FAILED' ? { signature: made.signature, networkFeeLamports: '5000' } : {};
      return this.#end(made, AppError.received(code, { data }));
    }
    const refusal = moved.order && this.approvals.refusalOf(operationId, agentId, moved.order);
    if (refusal) return this.#end(made, refusal);
    if (direction === 'escrow' && this.fundsOf(agentId) < amount) {
      return this.#end(made, new AppError('INSUFFICIENT_FUNDS'));
    }
    if (direction === 'payout' && this.treasury < amount) return this.#end(made, new AppError('SERVICE_UNAVAILABLE'));
    if (mood !== 'slow' && mood !== 'lost-after') this.#land(made);
    return made;
  }

  async dryRunMove(request: walletV1.DryRunMoveRequest): Promise<walletV1.DryRunMoveResponse> {
    const { value } = request.move!;
    const decision = { allowed: true, rule: '', usage: undefined };
    const change = {
      mint: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
      symbol: 'USDC',
      decimals: 6,
      amount: value.amount,
    };
    return {
      dryRun: {
        ...{ decision, networkFeeLamports: 5_000n, sponsored: false },
        balanceChanges: [
          { ...change, isDebit: request.move!.$case === 'escrow' },
          { mint: '', symbol: 'SOL', decimals: 9, amount: 5_000n, isDebit: true },
        ],
      },
    };
  }

  async getTreasury(): Promise<walletV1.GetTreasuryResponse> {
    const { treasury } = this;
    return {
      ...{ address: 'T', finalizedAmount: treasury, confirmedAmount: treasury, lamports: 1n, finalizedSlot: 1n },
    };
  }

  fundsOf(agentId: string): bigint {
    return this.funds.get(agentId) ?? 0n;
  }

  /** Attempts of an operation's step that have moved something. */
  landed(operationId: string, step: number): Attempt[] {
    return [...this.attempts]
      .filter(([key, { state }]) => key.startsWith(`${operationId}:${step}:`) && state === 'confirmed')
      .map(([, attempt]) => attempt);
  }

  #moodFor(direction: 'escrow' | 'payout'): CallMood | undefined {
    const at = this.moods.findIndex((each) => each.direction === direction);
    return at < 0 ? undefined : this.moods.splice(at, 1)[0]!.mood;
  }

  #assertTurn(before: Attempt | undefined): void {
    if (!before) throw new AppError('VALIDATION_ERROR', { message: 'attempt must follow an earlier attempt' });
    // What may land does so before anything is said of it.
    if (before.state === 'submitted') this.#land(before);
    if (before.state === 'confirmed')
      throw new AppError('VALIDATION_ERROR', { message: 'comes after one that landed' });
  }

  #land(attempt: Attempt): void {
    const { agentId, amount, direction } = attempt;
    const signed = direction === 'escrow' ? -amount : amount;
    this.funds.set(agentId, this.fundsOf(agentId) + signed);
    this.treasury -= signed;
    attempt.state = 'confirmed';
  }

  #end(attempt: Attempt, { code, data }: AppError): Attempt {
    const outcome = OUTCOMES[code] ?? 'failed';
    attempt.state = 'ended';
    attempt.error = AppError.received(code, { data: { ...data, outcome } });
    return attempt;
  }

  #answer({ state, signature, amount, error }: Attempt): walletV1.MoveResponse {
    if (error) throw error;
    const isConfirmed = state === 'confirmed';
    return {
      state: isConfirmed ? OperationState.OPERATION_STATE_CONFIRMED : OperationState.OPERATION_STATE_SUBMITTED,
      ...{ signature, amount },
    };
  }
}

function noAnswer(): RpcFailure {
  return new RpcFailure('move', 14, new Error('the connection is gone'));
}
