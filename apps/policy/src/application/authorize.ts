import { intentV1, PERMIT_LIFETIME_MS, permitSigningInput, policyV1 } from '@agent-wallet/contracts';
import { AppError, type Clock, newId } from '@agent-wallet/kernel';
import type { AttemptKey } from '../domain/attempt.js';
import { refusalOf } from '../domain/refusal.js';
import type { Ledger } from '../ports/ledger.js';
import type { PermitSigner } from '../ports/permit-signer.js';
import type { PriceTransfer } from './price-transfer.js';
import { readTransfer } from './read-transfer.js';

/** What is asked to be permitted. */
export interface AuthorizeInput extends AttemptKey {
  readonly agentId: string;
  readonly intent: intentV1.Intent | undefined;
  readonly messageHash: Uint8Array;
}

/** Reserves the value of an intent, once for an operation, and permits one message to be signed for it. */
export class Authorize {
  constructor(
    private readonly pricing: PriceTransfer,
    private readonly ledger: Ledger,
    private readonly permits: PermitSigner,
    private readonly clock: Clock,
  ) {}

  /**
   * Prices first, so that nothing waits for the network while the agent's policy is locked; decides and reserves in
   * the ledger; makes the permit only when the reservation is committed. A repeat gives a fresh permit for the same
   * reservation.
   * @throws AppError POLICY_VIOLATION with the figures, PERMIT_CONFLICT, VALIDATION_ERROR, NOT_FOUND
   */
  async execute(input: AuthorizeInput): Promise<{ permit: policyV1.Permit; reservedUsdMicros: bigint }> {
    const transfer = readTransfer(input.intent);
    // Each step but the first rides on the reservation of the first, and a transfer is something to reserve for.
    if (input.step !== 1) throw AppError.field('step', 'must be 1: a transfer has one step');
    const intent = input.intent!;
    const decision = await this.ledger.authorize({
      operationId: input.operationId,
      step: input.step,
      attempt: input.attempt,
      agentId: input.agentId,
      intent: intentV1.Intent.encode(intent).finish(),
      messageHash: input.messageHash,
      recipient: transfer.recipient,
      valueUsdMicros: await this.pricing.execute(transfer),
    });
    if (!decision) throw new AppError('NOT_FOUND', { message: 'The agent has no policy.' });
    if (decision.verdict !== 'granted') throw refusalOf(decision);
    return { permit: this.#permit(input, intent), reservedUsdMicros: decision.valueUsdMicros! };
  }

  #permit(input: AuthorizeInput, intent: intentV1.Intent): policyV1.Permit {
    const issuedAtMs = this.clock.nowMs();
    const claims = policyV1.PermitClaims.encode({
      permitId: newId(),
      operationId: input.operationId,
      step: input.step,
      attempt: input.attempt,
      agentId: input.agentId,
      intent,
      messageHash: Buffer.from(input.messageHash),
      issuedAtMs: BigInt(issuedAtMs),
      expiresAtMs: BigInt(issuedAtMs + PERMIT_LIFETIME_MS),
    }).finish();
    const { keyId, signature } = this.permits.sign(permitSigningInput(claims));
    return { claims: Buffer.from(claims), signature: Buffer.from(signature), keyId };
  }
}
