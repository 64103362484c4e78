import type { Commitment, SignatureStatus, SolanaChain } from '../chain/solana-chain.js';

/** A transaction whose end is asked for. */
export interface AwaitedTransaction {
  /** Base58. */
  readonly signature: string;
  /** The bound that came with the message's blockhash: a block height, not a slot. */
  readonly lastValidBlockHeight: number;
}

/** Outcome of a transaction, as far as the chain proves it. */
export type LandingOutcome =
  /** It may land, or have landed where the node does not look yet. */
  | { readonly kind: 'open' }
  /** It is in a block. An `error` means that nothing but the fee moved; only `finalized` is for ever. */
  | {
      readonly kind: 'landed';
      readonly commitment: Commitment;
      readonly slot: number;
      /** Null for success; else the node's error as JSON text. */
      readonly error: string | null;
    }
  /** It never landed and never will. */
  | { readonly kind: 'expired' };

/**
 * Maximum age of the finalized head for the check of the bound, in milliseconds. An older head only keeps the
 * transaction open longer.
 */
const HEAD_MAX_AGE_MS = 1_000;

const OPEN: LandingOutcome = { kind: 'open' };
const EXPIRED: LandingOutcome = { kind: 'expired' };

/**
 * Reads what became of a transaction. Dead needs both, in this order: a *finalized* block above the last valid
 * height, and **afterwards** a search of the whole history that finds nothing, by a node that has seen at least the
 * slot of that block. A node that lags, or one address with several nodes behind it, can give either half wrongly by
 * itself; so anything less stays open.
 * @throws AppError of the chain; it proves nothing
 */
export async function readOutcome(
  chain: Pick<SolanaChain, 'signatureStatus' | 'finalizedHead'>,
  { signature, lastValidBlockHeight }: AwaitedTransaction,
): Promise<LandingOutcome> {
  const recent = await chain.signatureStatus(signature, { searchHistory: false });
  if (recent.status) return outcomeOf(recent.status);
  const head = await chain.finalizedHead({ maxAgeMs: HEAD_MAX_AGE_MS });
  if (head.blockHeight <= lastValidBlockHeight) return OPEN;
  const searched = await chain.signatureStatus(signature, { searchHistory: true });
  if (searched.status) return outcomeOf(searched.status);
  return searched.contextSlot >= head.slot ? EXPIRED : OPEN;
}

function outcomeOf({ commitment, slot, error }: SignatureStatus): LandingOutcome {
  // A processed block may still be rolled back by an ordinary fork.
  return commitment === 'processed' ? OPEN : { kind: 'landed', commitment, slot, error };
}
