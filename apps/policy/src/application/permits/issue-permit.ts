import { type intentV1, PERMIT_LIFETIME_MS, permitSigningInput, policyV1 } from '@agent-wallet/contracts';
import { type Clock, newId } from '@agent-wallet/kernel';
import type { AttemptKey } from '../../domain/attempt.js';
import type { PermitSigner } from '../../ports/permit-signer.js';

/** The subject of a permit. */
export interface PermitSubject extends AttemptKey {
  readonly agentId: string;
  readonly intent: intentV1.Intent;
  readonly messageHash: Uint8Array;
}

/** Makes permits, good for 60 seconds. */
export class IssuePermit {
  constructor(
    private readonly permits: PermitSigner,
    private readonly clock: Clock,
  ) {}

  execute({ operationId, step, attempt, agentId, intent, messageHash }: PermitSubject): policyV1.Permit {
    const issuedAtMs = this.clock.nowMs();
    const claims = policyV1.PermitClaims.encode({
      permitId: newId(),
      operationId,
      step,
      attempt,
      agentId,
      intent,
      messageHash: Buffer.from(messageHash),
      issuedAtMs: BigInt(issuedAtMs),
      expiresAtMs: BigInt(issuedAtMs + PERMIT_LIFETIME_MS),
    }).finish();
    const { keyId, signature } = this.permits.sign(permitSigningInput(claims));
    return { claims: Buffer.from(claims), signature: Buffer.from(signature), keyId };
  }
}
