import { intentV1, type policyV1 } from '@agent-wallet/contracts';
import { AppError } from '@agent-wallet/kernel';
import { ATTRIBUTES, count, METRICS } from '@agent-wallet/telemetry';
import type { AttemptKey } from '../domain/attempt.js';
import type { Ledger } from '../ports/ledger.js';
import type { Recoveries } from '../ports/recoveries.js';
import type { Appraise } from './appraise.js';
import type { IssuePermit } from './issue-permit.js';
import type { Refuse } from './refuse.js';

/** What is asked to be permitted. */
export interface AuthorizeInput extends AttemptKey {
  readonly agentId: string;
  readonly intent: intentV1.Intent | undefined;
  readonly messageHash: Uint8Array;
  /** What is hashed, of a swap that takes addresses from lookup tables. */
  readonly message: Uint8Array | undefined;
}

/** Reserves what an intent takes, of the sponsor too, once for an operation, and permits one message to be signed. */
export class Authorize {
  constructor(
    private readonly appraise: Appraise,
    private readonly ledger: Ledger,
    private readonly recoveries: Pick<Recoveries, 'hasLanded'>,
    private readonly answers: { readonly refuse: Refuse; readonly issue: IssuePermit },
  ) {}

  /**
   * Prices first, so that nothing waits for the network while the agent's policy is locked; decides and reserves in
   * the ledger; makes the permit only when the reservation is committed. A repeat gives a fresh permit for the same
   * reservation.
   * @throws AppError POLICY_VIOLATION with the figures, INVALID_ADDRESS, INSUFFICIENT_FUNDS with the lamports missing,
   *   PERMIT_CONFLICT, SERVICE_UNAVAILABLE when the treasury pays out no more today and during a recovery, VALIDATION_ERROR, NOT_FOUND
   */
  async execute(input: AuthorizeInput): Promise<{ permit: policyV1.Permit; reservedUsdMicros: bigint }> {
    const appraisal = await this.appraise.execute(input.intent, input);
    if (input.step !== 1 && appraisal.kind !== 'payout') {
      throw AppError.field('step', 'must be 1 for all but payouts: an operation has one reservation');
    }
    const intent = input.intent!;
    if (await this.recoveries.hasLanded(input.agentId, input.messageHash)) {
      // Recovery has counted it. To sign the same bytes again moves nothing, and finds them on chain.
      return { permit: this.answers.issue.execute({ ...input, intent }), reservedUsdMicros: 0n };
    }
    const decision = await this.ledger.authorize({
      operationId: input.operationId,
      step: input.step,
      attempt: input.attempt,
      agentId: input.agentId,
      intent: intentV1.Intent.encode(intent).finish(),
      messageHash: input.messageHash,
      ...appraisal,
    });
    if (!decision) throw new AppError('NOT_FOUND', { message: 'The agent has no policy.' });
    count(METRICS.policyDecisions, { attributes: { [ATTRIBUTES.verdict.name]: decision.verdict } });
    if (decision.verdict !== 'granted') throw await this.answers.refuse.execute(decision, intent, appraisal);
    return { permit: this.answers.issue.execute({ ...input, intent }), reservedUsdMicros: decision.valueUsdMicros! };
  }
}
