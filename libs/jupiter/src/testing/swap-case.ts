import type { intentV1 } from '@agent-wallet/contracts';

/** A swap's message and the intent under which a signature is asked for. */
export interface SwapCase {
  /** The kind of message that it is, or is forged from. */
  readonly scenario: string;
  /** Unique: the scenario, and what is wrong. */
  readonly name: string;
  readonly intent: intentV1.Intent;
  readonly message: Uint8Array;
  /** Addresses that the tables add to the message, as the signer receives them. */
  readonly resolvedAddresses: readonly Uint8Array[];
}
