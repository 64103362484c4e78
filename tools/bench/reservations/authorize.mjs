// Reservations as policy makes them.
import { intentV1 } from '@agent-wallet/contracts';
import { newId } from '@agent-wallet/kernel';
import { createHash } from 'node:crypto';
// Not part of policy's public face: the store is what its Authorize calls, with the batches it makes of one agent.
import { PostgresReservationStore } from '../../../apps/policy/dist/adapters/postgres-reservation-store.js';

export const VALUE_USD_MICROS = 1_000n;

const WALLET = '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T';
const RECIPIENT = '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin';
const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';

const TRANSFER = {
  recipient: RECIPIENT,
  mint: USDC,
  tokenProgram: TOKEN_PROGRAM,
  amount: 1_000n,
  decimals: 6,
  createsRecipientAccount: false,
  memo: '',
};
const INTENT = intentV1.Intent.encode({ wallet: WALLET, action: { $case: 'transfer', value: TRANSFER } }).finish();

/** The row of a new operation, as far as its agent does not matter. */
export function newReservation() {
  const operationId = newId();
  return {
    operationId,
    step: 1,
    attempt: 1,
    intent: INTENT,
    messageHash: createHash('sha256').update(operationId).digest(),
    kind: 'payment',
    recipient: RECIPIENT,
    valueUsdMicros: VALUE_USD_MICROS,
  };
}

/** One policy process; it counts what it was answered. */
export class PolicyProcess {
  /** `Map(agent → how many were granted)`. */
  granted = new Map();
  refused = 0;
  #store;

  constructor(database) {
    this.#store = new PostgresReservationStore(database);
  }

  async authorize(agentId) {
    const decision = await this.#store.reserve({ ...newReservation(), agentId });
    if (decision?.verdict === 'granted') this.granted.set(agentId, (this.granted.get(agentId) ?? 0) + 1);
    else this.refused += 1;
  }
}
