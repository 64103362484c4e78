import type { intentV1 } from '@agent-wallet/contracts';
import { messagePlan } from '../checks/message-plan.js';
import { compileMessage } from './compile-message.js';
import { computeUnitsOf } from './compute-units.js';
import { planInstructions, publicKey } from './plan-instructions.js';

/** What a message is built from. */
export interface MessageRequest {
  readonly intent: intentV1.Intent;
  /** Base58; take one of commitment `confirmed`, just before signing. */
  readonly blockhash: string;
  /** Enough for the intent when omitted. */
  readonly computeUnitLimit?: number;
  /**
   * Tells messages apart that would be the same bytes, and so one transaction: added to the limit of compute units,
   * which costs nothing as long as no price is offered. An integer from 0 to 65 535; 0 when omitted.
   */
  readonly salt?: number;
  /** No price is offered when omitted or 0. */
  readonly computeUnitPriceMicroLamports?: bigint;
}

/**
 * The serialized v0 message that does what an intent says and nothing else: `checkMessage` accepts it. Its first signer,
 * the sponsor if the intent has one, pays.
 * @throws MessageRefused `intent` when the intent cannot be carried out
 */
export function buildMessage(request: MessageRequest): Uint8Array {
  const plan = messagePlan(request.intent);
  return compileMessage({
    payer: publicKey(plan.sponsor?.address ?? plan.wallet),
    blockhash: request.blockhash,
    instructions: planInstructions(plan, {
      computeUnitLimit: (request.computeUnitLimit ?? computeUnitsOf(plan)) + (request.salt ?? 0),
      computeUnitPriceMicroLamports: request.computeUnitPriceMicroLamports ?? 0n,
    }),
  });
}
