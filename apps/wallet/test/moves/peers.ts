import { type intentV1, policyV1 } from '@agent-wallet/contracts';
import { AppError } from '@agent-wallet/kernel';
import type { OperationPolicy } from '@agent-wallet/operations';
import { type SolanaChain, transactionSignature } from '@agent-wallet/solana';
import type { PolicyCheck } from '../../src/ports/policy-check.js';

interface Reservation {
  readonly intent: intentV1.Intent;
  readonly hash: string;
  readonly diesAboveHeight: number;
  outcome: policyV1.Outcome;
}

type Attempt = Pick<policyV1.AuthorizeRequest, 'operationId' | 'step' | 'attempt'>;

const { OUTCOME_OPEN, OUTCOME_SETTLED, OUTCOME_FAILED, OUTCOME_EXPIRED } = policyV1.Outcome;

/** Longer than any message lives. */
const LIFE_BLOCKS = 160;

const keyOf = ({ operationId, step, attempt }: Attempt) => `${operationId}/${step}/${attempt}`;

/** Reserves once an attempt, a later one only after proof that the one before is over; reads outcomes from the chain. */
export class TestPolicy implements OperationPolicy, PolicyCheck {
  readonly reservations = new Map<string, Reservation>();
  /** What Authorize answers instead. */
  refusal: AppError | undefined;
  /** Whether Settle proves nothing for now. */
  isUnsure = false;

  /** What a freeze or a switch refuses. */
  stop: AppError | undefined;

  constructor(private readonly chain: SolanaChain) {}

  /** The attempts of a step that were permitted, and what they came to. */
  attempts(operationId: string, step: number): Array<readonly [number, policyV1.Outcome]> {
    return [1, 2, 3, 4].flatMap((attempt) => {
      const known = this.reservations.get(keyOf({ operationId, step, attempt }));
      return known ? [[attempt, known.outcome] as const] : [];
    });
  }

  /** What was permitted under a permit's claims. */
  intentOf(claims: Buffer): intentV1.Intent | undefined {
    return this.reservations.get(claims.toString())?.intent;
  }

  async checkSpending(): Promise<policyV1.CheckSpendingResponse> {
    if (this.stop) throw this.stop;
    return {};
  }

  async getUsage(): Promise<policyV1.GetUsageResponse> {
    return policyV1.GetUsageResponse.decode(Buffer.alloc(0));
  }

  async dryRunAuthorize(): Promise<policyV1.DryRunAuthorizeResponse> {
    return { allowed: true, rule: '', usage: undefined };
  }

  async authorize(request: policyV1.AuthorizeRequest): Promise<policyV1.AuthorizeResponse> {
    if (this.refusal) throw this.refusal;
    const { attempt, intent, messageHash } = request;
    const hash = messageHash.toString('hex');
    const known = this.reservations.get(keyOf(request));
    if (known && known.hash !== hash) throw new AppError('PERMIT_CONFLICT');
    const before = this.reservations.get(keyOf({ ...request, attempt: attempt - 1 }))?.outcome;
    if (attempt > 1 && before !== OUTCOME_EXPIRED && before !== OUTCOME_FAILED) throw new AppError('PERMIT_CONFLICT');
    if (!known) {
      const { blockHeight } = await this.chain.confirmedHead();
      const diesAboveHeight = blockHeight + LIFE_BLOCKS;
      this.reservations.set(keyOf(request), { intent: intent!, hash, diesAboveHeight, outcome: OUTCOME_OPEN });
    }
    const claims = Buffer.from(keyOf(request));
    return { permit: { claims, signature: messageHash, keyId: 'test' }, reservedUsdMicros: 1n };
  }

  async settle(request: policyV1.SettleRequest): Promise<policyV1.SettleResponse> {
    const known = this.reservations.get(keyOf(request));
    if (!known) throw new AppError('NOT_FOUND', { data: { resource: 'thing' } });
    if (known.outcome === OUTCOME_OPEN && !this.isUnsure) known.outcome = await this.#read(request, known);
    return { outcome: known.outcome };
  }

  async #read({ signature }: policyV1.SettleRequest, { diesAboveHeight }: Reservation): Promise<policyV1.Outcome> {
    if (signature.length > 0) {
      const text = transactionSignature(Buffer.concat([Buffer.of(1), signature]));
      const { status } = await this.chain.signatureStatus(text, { searchHistory: true });
      if (status) return status.error === null ? OUTCOME_SETTLED : OUTCOME_FAILED;
    }
    return (await this.chain.finalizedHead()).blockHeight > diesAboveHeight ? OUTCOME_EXPIRED : OUTCOME_OPEN;
  }
}
