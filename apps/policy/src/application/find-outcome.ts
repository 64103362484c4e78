import { messageHash, readOutcome, signatureText } from '@agent-wallet/solana';
import { type Attempt, type AttemptState, lastPossibleHeight } from '../domain/attempt.js';
import type { LandedSignatures, PolicyChain } from '../ports/chain.js';
import type { HeadLog } from '../ports/ledger.js';

/** Reads from the chain what became of an attempt. Nobody's word counts, and what is not proven is open. */
export class FindOutcome {
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
      // Somebody else may have signed the same bytes twice: that one of the two never lands says nothing.
      if (outcome !== 'dead' || !attempt.isCosigned) return outcome;
    }
    return lastHeight === undefined ? 'open' : this.#amongLanded(attempt, lastHeight);
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
   * what has landed since and names the same address, or dead.
   */
  async #amongLanded(attempt: Attempt, lastHeight: number): Promise<AttemptState> {
    const head = await this.chain.finalizedHead();
    if (head.blockHeight <= lastHeight) return 'open';
    const sinceSlot = await this.heads.slotBefore(attempt);
    const signatures = await this.landed.naming(attempt.namedAddress, { sinceSlot, atSlot: head.slot });
    if (!signatures) return 'open';
    for (const signature of signatures) {
      const transaction = await this.chain.transaction(signature, 'finalized');
      if (!transaction) return 'open';
      if (Buffer.compare(messageHash(transaction.message), attempt.messageHash) === 0) {
        return transaction.error === null ? 'settled' : 'failed';
      }
    }
    return 'dead';
  }
}
