import type { Commitment, LandedTransaction, SolanaChain } from '../chain/solana-chain.js';
import { isUnreadable, isUnsupportedVersion } from '../chain/unreadable-transaction.js';
import type { LandingOutcome } from './read-outcome.js';

/**
 * A transaction that a cosigner signs after us, as its first signer: its id, the first signature, is not known before
 * it has landed.
 */
export interface CosignedTransaction {
  /** Base58 address of our signer, which the message names itself. */
  readonly wallet: string;
  /** Base58: our own signature. */
  readonly ownSignature: string;
  /** Base58: the id, where it was found before. */
  readonly signature?: string | undefined;
  /** A slot that had passed before we signed: it cannot have landed before. */
  readonly sinceSlot: number;
  /** The bound of the message's life: a block height, not a slot. */
  readonly lastValidBlockHeight: number;
}

/** Outcome of a cosigned transaction; a landing contains the ID. */
export type CosignedOutcome =
  | Exclude<LandingOutcome, { kind: 'landed' }>
  | (Extract<LandingOutcome, { kind: 'landed' }> & { readonly signature: string });

/** The calls that are made to the chain. */
type CosignedChain = Pick<SolanaChain, 'signatureStatus' | 'finalizedHead' | 'signaturesForAddress' | 'transaction'>;

/**
 * Maximum age of the finalized head for the check of the bound, in milliseconds. An older head only keeps the
 * transaction open longer.
 */
const HEAD_MAX_AGE_MS = 1_000;
const PAGE_COUNT = 1_000;
/** Further back is not looked. */
const MAX_PAGES = 10;

const OPEN: CosignedOutcome = { kind: 'open' };
const EXPIRED: CosignedOutcome = { kind: 'expired' };

/**
 * Reads what became of a transaction by looking for our own signature among all that the wallet has landed. Dead needs
 * a *finalized* block above the last valid height, and **afterwards** the whole list of the wallet's finalized
 * transactions since it was built, from a node that has finalized that block, without ours. An id that was found before
 * proves a landing, but its absence proves nothing: the other signer may have signed twice.
 * @param others ids that are known to be other transactions; is added to, so that a later look need not read them
 * @throws AppError of the chain; it proves nothing
 */
export async function readCosignedOutcome(
  chain: CosignedChain,
  awaited: CosignedTransaction,
  others: Set<string> = new Set(),
): Promise<CosignedOutcome> {
  const recent = await statusOf(chain, awaited.signature, { searchHistory: false });
  if (recent) return recent;
  const head = await chain.finalizedHead({ maxAgeMs: HEAD_MAX_AGE_MS });
  if (head.blockHeight <= awaited.lastValidBlockHeight) {
    const { found } = await search(chain, awaited, { commitment: 'confirmed' }, others);
    return found ?? OPEN;
  }
  // After an outage, nodes have forgotten the status: one call for the history spares pages of the wallet's list.
  const known = await statusOf(chain, awaited.signature, { searchHistory: true });
  if (known) return known;
  const { found, isComplete } = await search(
    chain,
    awaited,
    { commitment: 'finalized', minContextSlot: head.slot },
    others,
  );
  return found ?? (isComplete ? EXPIRED : OPEN);
}

async function statusOf(
  chain: CosignedChain,
  signature: string | undefined,
  where: { readonly searchHistory: boolean },
): Promise<CosignedOutcome | undefined> {
  if (signature === undefined) return undefined;
  const { status } = await chain.signatureStatus(signature, where);
  if (!status || status.commitment === 'processed') return undefined;
  return { kind: 'landed', signature, commitment: status.commitment, slot: status.slot, error: status.error };
}

/**
 * Returns null for a transaction that the node does not show or that cannot be decoded, `not_ours` for a version that is
 * never signed here. Anyone can name the wallet in either, which must not hide the one that is awaited.
 */
async function readOrSkip(
  chain: CosignedChain,
  signature: string,
  commitment: Commitment,
): Promise<LandedTransaction | 'not_ours' | null> {
  try {
    return await chain.transaction(signature, commitment);
  } catch (error) {
    if (isUnsupportedVersion(error)) return 'not_ours';
    if (isUnreadable(error)) return null;
    throw error;
  }
}

interface Search {
  readonly found?: CosignedOutcome;
  /** Whether everything that can be ours was looked at. */
  readonly isComplete: boolean;
}

async function search(
  chain: CosignedChain,
  { wallet, ownSignature, sinceSlot }: CosignedTransaction,
  at: { readonly commitment: Commitment; readonly minContextSlot?: number },
  others: Set<string>,
): Promise<Search> {
  let isComplete = true;
  let before: string | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const page = await chain.signaturesForAddress(wallet, { ...at, limit: PAGE_COUNT, ...(before ? { before } : {}) });
    const recent = page.filter(({ slot }) => slot >= sinceSlot);
    for (const { signature, commitment } of recent.filter((entry) => !others.has(entry.signature))) {
      const transaction = await readOrSkip(chain, signature, at.commitment);
      if (transaction === 'not_ours') {
        others.add(signature);
        continue;
      }
      if (transaction?.signatures.includes(ownSignature)) {
        const { slot, error } = transaction;
        const sure = at.commitment === 'finalized' ? at.commitment : (commitment ?? at.commitment);
        return { found: { kind: 'landed', signature, commitment: sure, slot, error }, isComplete };
      }
      if (transaction) others.add(signature);
      else isComplete = false;
    }
    if (recent.length < page.length || page.length < PAGE_COUNT) return { isComplete };
    before = page.at(-1)!.signature;
  }
  return { isComplete: false };
}
