import { RecentlyUsed } from '@agent-wallet/kernel';
import { messageHash, readOutcome, signatureText } from '@agent-wallet/solana';
import { type Attempt, type AttemptState, lastPossibleHeight } from '../../domain/attempt.js';
import type { LandedSignatures, PolicyChain } from '../../ports/chain.js';
import type { HeadLog } from '../../ports/head-log.js';
import { landedTransaction } from './landed-transaction.js';

const FETCHED_AT_ONCE = 8;
/** Two searches of the longest kind. */
const MAX_REMEMBERED = 20_000;

/** What landed under a signature, for good. */
interface Landed {
  readonly messageHash: Uint8Array;
  readonly isFailed: boolean;
}

/** Reads from the chain what became of an attempt. No service's word counts, and what is not proven is open. */
export class FindOutcome {
  /** Searches that are under way: one may take long, and callers that ask for the same meanwhile share it. */
  readonly #searches = new Map<string, Promise<AttemptState>>();
  /** What was read, so that a search goes on where a call has failed. */
  readonly #read = new RecentlyUsed<Landed | 'not_ours'>(MAX_REMEMBERED);

  constructor(
    private readonly chain: PolicyChain,
    private readonly landed: LandedSignatures,
    private readonly heads: HeadLog,
    private readonly marginBlocks: number,
  ) {}

  /**
   * @param signature the genuine first signature of the attempt's message; without it only what landed is searched
   * @throws AppError of the chain; it proves nothing
   */
  async execute(attempt: Attempt, signature: Uint8Array | undefined): Promise<AttemptState> {
    const lastHeight = lastPossibleHeight(attempt, this.marginBlocks);
    if (signature) {
      const outcome = await this.#bySignature(attempt, signature, lastHeight);
      // A cosigner may have signed the same bytes twice: that one of the two never lands says nothing.
      if (outcome !== 'expired' || !attempt.isCosigned) return outcome;
    }
    return lastHeight === undefined ? 'open' : this.#searched(attempt, lastHeight);
  }

  #searched(attempt: Attempt, lastHeight: number): Promise<AttemptState> {
    const name = `${attempt.operationId}/${attempt.step}/${attempt.attempt}`;
    const search =
      this.#searches.get(name) ?? this.#amongLanded(attempt, lastHeight).finally(() => this.#searches.delete(name));
    this.#searches.set(name, search);
    return search;
  }

  async #bySignature(
    { countsWhenFinal }: Attempt,
    signature: Uint8Array,
    lastHeight = Number.MAX_SAFE_INTEGER,
  ): Promise<AttemptState> {
    const outcome = await readOutcome(this.chain, {
      signature: signatureText(signature),
      lastValidBlockHeight: lastHeight,
    });
    if (outcome.kind !== 'landed') return outcome.kind;
    // A success that is rolled back after all stays counted: the limit errs on the safe side. A failure that is
    // rolled back could land again and succeed, so it must be final; so must money that came back, which is spent again.
    const isFinal = outcome.commitment === 'finalized';
    if (outcome.error === null) return isFinal || !countsWhenFinal ? 'settled' : 'open';
    return isFinal ? 'failed' : 'open';
  }

  /**
   * A message whose signature is not known, or may have others beside it: it can no longer land, so it is either among
   * what landed while it could and names the same address, or dead.
   */
  async #amongLanded(attempt: Attempt, lastHeight: number): Promise<AttemptState> {
    const head = await this.chain.finalizedHead();
    if (head.blockHeight <= lastHeight) return 'open';
    const [sinceSlot, untilSlot] = await Promise.all([
      this.heads.slotBefore(attempt),
      this.heads.slotAfter(lastHeight),
    ]);
    const slots = { sinceSlot, untilSlot, atSlot: head.slot };
    const signatures = await this.landed.naming(attempt.namedAddress, slots);
    if (!signatures) return 'open';
    for (let from = 0; from < signatures.length; from += FETCHED_AT_ONCE) {
      const outcome = await this.#among(attempt, signatures.slice(from, from + FETCHED_AT_ONCE));
      if (outcome) return outcome;
    }
    return 'expired';
  }

  /** Undefined when the attempt's message is none of these. */
  async #among({ messageHash: own }: Attempt, signatures: readonly string[]): Promise<AttemptState | undefined> {
    const all = await Promise.all(signatures.map((signature) => this.#landed(signature)));
    for (const landed of all) {
      if (!landed) return 'open';
      if (landed === 'not_ours') continue;
      if (Buffer.compare(landed.messageHash, own) === 0) return landed.isFailed ? 'failed' : 'settled';
    }
    return undefined;
  }

  async #landed(signature: string): Promise<Landed | 'not_ours' | null> {
    const known = this.#read.use(signature);
    if (known) return known;
    const transaction = await landedTransaction(this.chain, signature);
    if (!transaction) return null;
    const landed: Landed | 'not_ours' =
      transaction === 'not_ours'
        ? transaction
        : { messageHash: messageHash(transaction.message), isFailed: transaction.error !== null };
    this.#read.keep(signature, landed);
    return landed;
  }
}
