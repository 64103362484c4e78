import type { intentV1 } from '@agent-wallet/contracts';
import { transferPlan } from '../checks/transfer-plan.js';
import { compileMessage } from './compile-message.js';
import { transferComputeUnits } from './transfer-compute-units.js';
import { publicKey, transferInstructions } from './transfer-instructions.js';

/** What a transfer's message is built from. */
export interface TransferMessageRequest {
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
 * The serialized v0 message that does what a transfer's intent says and nothing else: `checkMessage` accepts it.
 * @throws MessageRefused `intent` when the intent is no transfer that can be built
 */
export function buildTransferMessage(request: TransferMessageRequest): Uint8Array {
  const plan = transferPlan(request.intent);
  return compileMessage({
    payer: publicKey(plan.wallet),
    blockhash: request.blockhash,
    instructions: transferInstructions(plan, {
      computeUnitLimit: (request.computeUnitLimit ?? transferComputeUnits(plan)) + (request.salt ?? 0),
      computeUnitPriceMicroLamports: request.computeUnitPriceMicroLamports ?? 0n,
    }),
  });
}
