import { sign } from 'node:crypto';
import type { policyV1 } from '@agent-wallet/contracts';
import type { Clock } from '@agent-wallet/kernel';
import { checkMessage, type MessageLimits, MessageRefused } from '@agent-wallet/solana/checks';
import type { PermitKeys } from '../ports/permit-keys.js';
import type { OpenedKeys } from './opened-keys.js';
import { signingRefused } from './signing-refused.js';
import { verifyPermit, type VerifiedPermit } from './verify-permit.js';

/**
 * Signs one message under one permit. It reads the bytes itself and believes nobody: not the caller, not the chain, and
 * policy only as far as its signature goes.
 */
export class Sign {
  constructor(
    private readonly opened: OpenedKeys,
    private readonly permitKeys: PermitKeys,
    private readonly limits: MessageLimits,
    private readonly clock: Clock,
  ) {}

  /**
   * The agent's Ed25519 signature over the message, 64 bytes; the same for the same message.
   * @throws AppError SIGNING_REFUSED with `data.reason`, SERVICE_UNAVAILABLE; SealBroken
   */
  async execute(message: Uint8Array, permit: policyV1.Permit | undefined): Promise<Buffer> {
    const claims = verifyPermit(permit, message, this.permitKeys, this.clock.nowMs());
    const key = await this.opened.get(claims.agentId);
    if (!key) throw signingRefused('wallet_unknown', 'The agent of the permit has no key.');
    if (claims.intent.wallet !== key.address) {
      throw signingRefused('wallet_mismatch', "The intent's wallet is not the agent's.");
    }
    this.#checkMessage(message, claims);
    return sign(null, message, key.privateKey);
  }

  #checkMessage(message: Uint8Array, { intent }: VerifiedPermit): void {
    try {
      checkMessage(message, intent, this.limits);
    } catch (error) {
      if (error instanceof MessageRefused) {
        throw signingRefused(`message_${error.reason}`, error.message, error.cause);
      }
      throw error;
    }
  }
}
