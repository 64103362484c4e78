import type { Token } from './amounts.js';

/** A transfer that was done. */
export interface DoneTransfer {
  readonly id: string;
  readonly to: string;
  readonly token: Token;
  readonly raw: bigint;
  readonly signature: string;
}

/** Holdings that an agent must have, by the responses it got. */
export class Ledger {
  readonly transfers: DoneTransfer[] = [];
  /** Signatures of everything that landed in its name or came from the faucet. */
  readonly signatures = new Set<string>();
  /** `id → status` of operations whose response was final. */
  readonly ended = new Map<string, 'confirmed' | 'not done'>();
  /** Micro-dollars that its limit must have counted. */
  countedMicros = 0n;
  /** Changes by trades, orders and the faucet, in base units. */
  readonly changed: Record<Token, bigint> = { SOL: 0n, USDC: 0n };
  /** Base units of liquidity tokens of its only position. */
  liquidity = 0n;
  /** The mint of these; undefined before the first. */
  lpMint: string | undefined;
  /** Answers that nothing explains. */
  readonly surprises: string[] = [];
  readonly asked = { transfers: 0, trades: 0, orders: 0, liquidity: 0, reads: 0, refused: 0, undone: 0 };

  /** Returns the amount of a token that the agent sent. */
  sent(token: Token): bigint {
    return sum(this.transfers.filter((each) => each.token === token));
  }
}

/** Returns the sum of transfers in base units. */
export function sum(transfers: readonly DoneTransfer[]): bigint {
  return transfers.reduce((total, { raw }) => total + raw, 0n);
}
