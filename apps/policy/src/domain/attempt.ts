/** Names one attempt of one step of an operation. */
export interface AttemptKey {
  readonly operationId: string;
  readonly step: number;
  readonly attempt: number;
}

/** Outcome of an attempt, as far as policy knows it. */
export type AttemptState =
  /** It may land; its value counts in full. */
  | 'open'
  /** Landed without error; its value counts for 24 hours from then on. */
  | 'settled'
  /** Landed with an error, finalized; nothing counts. */
  | 'failed'
  /** Proven never to land; nothing counts. */
  | 'expired';

/** Outcome of an attempt, as policy has read it. */
export type Finding =
  /** Nothing is proven. A proof may be there in so many milliseconds, as blocks go now; absent when that is not known. */
  { readonly state: 'open'; readonly provableInMs?: number } | Settled | { readonly state: 'failed' | 'expired' };

/** A landing without an error. */
export interface Settled {
  readonly state: 'settled';
  /** Unix milliseconds of its block; absent where the time of the finding is as good, or no block time is known. */
  readonly landedAtMs?: number;
  /** Value that left by an addition of liquidity, in micro-dollars; absent for all that was reserved. */
  readonly valueUsdMicros?: bigint;
}

/** An addition of liquidity, as far as its value depends on what leaves. */
export interface Addition {
  /** Base58 addresses of the accounts that the two tokens go to. */
  readonly vaults: readonly [string, string];
  /** Base units: the most that may leave of each. */
  readonly maxima: readonly [bigint, bigint];
  /** Values of the maxima, in micro-dollars. */
  readonly usdMicros: readonly [bigint, bigint];
}

/** A finding that ends an attempt. */
export type FinalFinding = Exclude<Finding, { readonly state: 'open' }>;

/** A message and its first signature: enough to find the transaction. */
export interface Evidence {
  readonly message: Uint8Array;
  readonly signature: Uint8Array;
}

/** An attempt that was permitted. */
export interface Attempt extends AttemptKey {
  readonly agentId: string;
  /** Base58 address that the message names: the wallet that pays, or of a payout the account that is paid to. */
  readonly namedAddress: string;
  /** Base58, of a payment: known once it is settled. */
  readonly recipient: string | undefined;
  /** Whether to have landed is not enough, and it must be final: money that comes back lets more be spent. */
  readonly countsWhenFinal: boolean;
  /** Undefined for all other spending. */
  readonly addition: Addition | undefined;
  /** Whether a cosigner signs too, as the first signer. */
  readonly isCosigned: boolean;
  readonly messageHash: Uint8Array;
  /** Value reserved for it, before anything came back. */
  readonly reservedUsdMicros: bigint;
  readonly state: AttemptState;
  /** Evidence that the owner of the operation has shown so far. */
  readonly evidence: Evidence | undefined;
  /** Milliseconds since it was permitted, by the database's clock when the attempt was read. */
  readonly ageMs: number;
  /** A block height that policy read after the attempt was permitted; undefined until it has. */
  readonly laterHeight: number | undefined;
}

/** Blocks for which a blockhash is good. */
const BLOCKHASH_LIFE_BLOCKS = 150;

/**
 * Returns the last block height at which an attempt's message can land, without trusting any service. The message's
 * hash was given before `laterHeight` was read, so its blockhash is at most that old. The margin covers a node that
 * lags.
 */
export function lastPossibleHeight({ laterHeight }: Attempt, marginBlocks: number): number | undefined {
  return laterHeight === undefined ? undefined : lastHeightOf(laterHeight, marginBlocks);
}

/** Returns the last block height at which a message can land whose blockhash was given before a height was read. */
export function lastHeightOf(laterHeight: number, marginBlocks: number): number {
  return laterHeight + BLOCKHASH_LIFE_BLOCKS + marginBlocks;
}
