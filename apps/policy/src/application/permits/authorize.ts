import { intentV1, type policyV1 } from '@agent-wallet/contracts';
import { AppError, notFound } from '@agent-wallet/kernel';
import { ATTRIBUTES, count, METRICS } from '@agent-wallet/telemetry';
import type { AttemptKey } from '../../domain/attempt.js';
import type { AskingSession } from '../../domain/owners/document.js';
import type { RecoveryStore } from '../../ports/recovery-store.js';
import type { PriceRequest } from '../pricing/price-request.js';
import type { IssuePermit } from './issue-permit.js';
import type { ExplainDenial } from './explain-denial.js';
import type { SeekApproval } from './seek-approval.js';

/** Input of an authorization. */
export interface AuthorizeInput extends AttemptKey {
  readonly agentId: string;
  readonly intent: intentV1.Intent | undefined;
  readonly messageHash: Uint8Array;
  /** The hashed message, for a swap. */
  readonly message: Uint8Array | undefined;
  /** The agent's session that asks, where that is known. */
  readonly session?: AskingSession | undefined;
}

/** Reserves what an intent takes, of the sponsor too, once for an operation, and permits one message to be signed. */
export class Authorize {
  constructor(
    private readonly price: PriceRequest,
    private readonly reservations: Pick<SeekApproval, 'reserve'>,
    private readonly recoveries: Pick<RecoveryStore, 'hasLanded'>,
    private readonly answers: { readonly explain: ExplainDenial; readonly issue: IssuePermit },
  ) {}

  /**
   * Prices first, so that nothing waits for the network while the agent's policy is locked; decides and reserves in
   * the database; makes the permit only when the reservation is committed. A repeat gives a fresh permit for the same
   * reservation.
   * @throws AppError POLICY_VIOLATION with the figures, INVALID_ADDRESS, INSUFFICIENT_FUNDS with the lamports missing,
   *   PERMIT_CONFLICT, APPROVAL_REQUIRED, APPROVAL_REJECTED, APPROVAL_EXPIRED, SERVICE_UNAVAILABLE when the treasury pays out
   *   no more today and during a recovery, VALIDATION_ERROR, NOT_FOUND
   */
  async execute(input: AuthorizeInput): Promise<{ permit: policyV1.Permit; reservedUsdMicros: bigint }> {
    const priced = await this.price.execute(input.agentId, input.intent, input);
    if (input.step !== 1 && priced.kind !== 'payout') {
      throw AppError.field('step', 'must be 1 for all but payouts: an operation has one reservation');
    }
    const intent = input.intent!;
    if (await this.recoveries.hasLanded(input.agentId, input.messageHash)) {
      // Recovery has counted it. To sign the same bytes again moves nothing, and finds them on chain.
      return { permit: this.answers.issue.execute({ ...input, intent }), reservedUsdMicros: 0n };
    }
    const { operationId, step, attempt, agentId, messageHash } = input;
    const encoded = intentV1.Intent.encode(intent).finish();
    const request = { operationId, step, attempt, agentId, intent: encoded, messageHash, ...priced };
    const decision = await this.reservations.reserve(request, { intent, session: input.session });
    if (!decision) throw notFound('policy', 'The first login of the agent creates it.');
    count(METRICS.policyDecisions, { attributes: { [ATTRIBUTES.decision.name]: decision.verdict } });
    if (decision.verdict !== 'granted') throw await this.answers.explain.execute(decision, intent, priced);
    return { permit: this.answers.issue.execute({ ...input, intent }), reservedUsdMicros: decision.valueUsdMicros! };
  }
}
