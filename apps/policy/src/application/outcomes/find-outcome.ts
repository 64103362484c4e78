import { type Clock, RecentlyUsed } from '@agent-wallet/kernel';
import { messageHash, readOutcome, signatureText } from '@agent-wallet/solana';
import { type Attempt, type Finding, lastPossibleHeight, type Settled } from '../../domain/attempt.js';
import type { LandedSignatures, PolicyChain } from '../../ports/chain.js';
import type { HeadLog } from '../../ports/head-log.js';
import { landedTransaction, landingTimeMs } from './landed-transaction.js';
import { valued } from './valued-addition.js';

const FETCHED_AT_ONCE = 8;
/**
 * Age from which the block time is read, in milliseconds. For a younger attempt the detection time is precise enough,
 * and a block time costs a call.
 */
const BLOCK_TIME_AFTER_MS = 10_000;
/** Length of a slot, and the least length of a block, in milliseconds. */
const SLOT_MS = 400;
const SOONEST_CHECK_MS = 1_000;
/** Good enough to say when to look again. */
const HEAD_MAX_AGE_MS = 1_000;
/** Two searches of the longest kind. */
const MAX_REMEMBERED = 20_000;

/** The finalized transaction of a signature. */
interface Landed {
  readonly messageHash: Uint8Array;
  readonly isFailed: boolean;
  readonly blockTimeMs: number | null;
}

/** Dependencies of the search for outcomes. */
export interface OutcomeTools {
  readonly chain: PolicyChain;
  readonly landed: LandedSignatures;
  readonly heads: HeadLog;
  readonly clock: Clock;
  /** Number of blocks that a node may lag. */
  readonly marginBlocks: number;
}

/** Reads from the chain what became of an attempt. No service's word counts, and what is not proven is open. */
export class FindOutcome {
  /** Searches that are under way: one may take long, and callers that ask for the same meanwhile share it. */
  readonly #searches = new Map<string, Promise<Finding>>();
  /** Transactions that were read, so that a search resumes where a call has failed. */
  readonly #read = new RecentlyUsed<Landed | 'not_ours'>(MAX_REMEMBERED);

  constructor(private readonly tools: OutcomeTools) {}

  /**
   * @param signature the genuine first signature of the attempt's message; without it only what landed is searched
   * @throws AppError of the chain; it proves nothing
   */
  async execute(attempt: Attempt, signature: Uint8Array | undefined): Promise<Finding> {
    const lastHeight = lastPossibleHeight(attempt, this.tools.marginBlocks);
    if (signature) {
      const found = await this.#bySignature(attempt, signature, lastHeight);
      if (found.state === 'settled')
        return valued(this.tools.chain, attempt, { signature: signatureText(signature), found });
      // A cosigner may have signed the same bytes twice: that one of the two never lands says nothing.
      if (found.state !== 'expired' || !attempt.isCosigned) return found;
    }
    return lastHeight === undefined ? { state: 'open' } : this.#searched(attempt, lastHeight);
  }

  #searched(attempt: Attempt, lastHeight: number): Promise<Finding> {
    const name = `${attempt.operationId}/${attempt.step}/${attempt.attempt}`;
    const search =
      this.#searches.get(name) ?? this.#amongLanded(attempt, lastHeight).finally(() => this.#searches.delete(name));
    this.#searches.set(name, search);
    return search;
  }

  async #bySignature(
    { countsWhenFinal, ageMs }: Attempt,
    signature: Uint8Array,
    lastHeight: number | undefined,
  ): Promise<Finding> {
    const outcome = await readOutcome(this.tools.chain, {
      signature: signatureText(signature),
      lastValidBlockHeight: lastHeight ?? Number.MAX_SAFE_INTEGER,
    });
    if (outcome.kind === 'expired') return { state: 'expired' };
    if (outcome.kind === 'open') return lastHeight === undefined ? { state: 'open' } : this.#openUntil({ lastHeight });
    // A success that is rolled back after all stays counted: the limit errs on the safe side. A failure that is
    // rolled back could land again and succeed, so it must be final; so must money that came back, which is spent again.
    const isFinal = outcome.commitment === 'finalized';
    const counts = isFinal || (outcome.error === null && !countsWhenFinal);
    if (!counts) return this.#openUntil({ slot: outcome.slot });
    if (outcome.error !== null) return { state: 'failed' };
    if (ageMs < BLOCK_TIME_AFTER_MS) return { state: 'settled' };
    // The landing is proven. Without its time it counts from now, which errs on the safe side.
    return this.#settledAt(await this.tools.chain.blockTimeMs(outcome.slot).catch(() => null));
  }

  /**
   * Returns an open finding until a slot is finalized, or the finalized height passes a height. The head only says when
   * to check again.
   */
  async #openUntil(awaited: { readonly slot: number } | { readonly lastHeight: number }): Promise<Finding> {
    const head = await this.tools.chain.finalizedHead({ maxAgeMs: HEAD_MAX_AGE_MS }).catch(() => undefined);
    if (!head) return { state: 'open' };
    const slotsLeft = 'slot' in awaited ? awaited.slot - head.slot : awaited.lastHeight + 1 - head.blockHeight;
    // The proof is overdue: another node may lag, so the usual pauses apply.
    if (slotsLeft <= 0) return { state: 'open' };
    return { state: 'open', provableInMs: Math.max(slotsLeft * SLOT_MS, SOONEST_CHECK_MS) };
  }

  /**
   * Finds the outcome of a message whose signature is unknown or may not be the only one. Once it can no longer land,
   * it is among the transactions that landed in its time and name the same address, or it expired.
   */
  async #amongLanded(attempt: Attempt, lastHeight: number): Promise<Finding> {
    const head = await this.tools.chain.finalizedHead();
    if (head.blockHeight <= lastHeight) return this.#openUntil({ lastHeight });
    const [sinceSlot, untilSlot] = await Promise.all([
      this.tools.heads.slotBefore(attempt),
      this.tools.heads.slotAfter(lastHeight),
    ]);
    const slots = { sinceSlot, untilSlot, atSlot: head.slot };
    const signatures = await this.tools.landed.naming(attempt.namedAddress, slots);
    if (!signatures) return { state: 'open' };
    for (let from = 0; from < signatures.length; from += FETCHED_AT_ONCE) {
      const found = await this.#among(attempt, signatures.slice(from, from + FETCHED_AT_ONCE));
      if (found) return found;
    }
    return { state: 'expired' };
  }

  /** Looks for the attempt's message among these signatures; undefined when none has it. */
  async #among(attempt: Attempt, signatures: readonly string[]): Promise<Finding | undefined> {
    const all = await Promise.all(signatures.map((signature) => this.#landed(signature)));
    for (const [i, landed] of all.entries()) {
      if (!landed) return { state: 'open' };
      if (landed === 'not_ours') continue;
      if (Buffer.compare(landed.messageHash, attempt.messageHash) !== 0) continue;
      if (landed.isFailed) return { state: 'failed' };
      const found = this.#settledAt(landed.blockTimeMs);
      return valued(this.tools.chain, attempt, { signature: signatures[i]!, found });
    }
    return undefined;
  }

  async #landed(signature: string): Promise<Landed | 'not_ours' | null> {
    const known = this.#read.use(signature);
    if (known) return known;
    const transaction = await landedTransaction(this.tools.chain, signature);
    if (!transaction) return null;
    const landed: Landed | 'not_ours' =
      transaction === 'not_ours'
        ? transaction
        : {
            messageHash: messageHash(transaction.message),
            isFailed: transaction.error !== null,
            blockTimeMs: transaction.blockTimeMs,
          };
    this.#read.keep(signature, landed);
    return landed;
  }

  #settledAt(blockTimeMs: number | null): Settled {
    const landedAtMs = landingTimeMs(blockTimeMs, this.tools.clock.nowMs());
    return landedAtMs === null ? { state: 'settled' } : { state: 'settled', landedAtMs };
  }
}
