import { AppError } from '@agent-wallet/kernel';
import {
  type AddressSignature,
  type ChainHead,
  type LandedTransaction,
  type SendOutcome,
  type SignatureStatus,
  type SignatureStatusAtSlot,
  transactionSignature,
} from '@agent-wallet/solana';
import type { OperationChain } from '../src/index.js';

/** Where the tests' chain begins, and how many blocks their messages live. */
export const FIRST_HEIGHT = 1_000;
export const LIFE = 150;

/** A chain that does what a test says: whether what is sent lands, how, and what the node tells of it. */
export class FakeChain implements OperationChain {
  /** Finalized height; slots are heights here. */
  height = FIRST_HEIGHT;
  /** What becomes of a transaction that is sent the first time. */
  landing: 'confirmed' | 'finalized' | 'never' = 'confirmed';
  error: string | null = null;
  /** Every look-up and head fails while set. */
  isDown = false;
  /** The slot of the node that answers look-ups; by default as fresh as the head. */
  contextSlot: number | undefined;
  /** What sending answers while set; the transaction lands nevertheless. */
  sendAnswer: SendOutcome | undefined;
  readonly sent: Uint8Array[] = [];
  readonly statuses = new Map<string, SignatureStatus>();

  /** Transactions that had an effect. */
  get effects(): number {
    return [...this.statuses.values()].filter(({ error }) => error === null).length;
  }

  async send(transaction: Uint8Array): Promise<SendOutcome> {
    this.sent.push(transaction);
    const signature = transactionSignature(transaction);
    if (this.landing !== 'never' && !this.statuses.has(signature)) {
      this.statuses.set(signature, { slot: this.height, commitment: this.landing, error: this.error });
    }
    return this.sendAnswer ?? { kind: 'accepted' };
  }

  async signatureStatus(signature: string): Promise<SignatureStatusAtSlot> {
    this.#answer();
    return { contextSlot: this.contextSlot ?? this.height, status: this.statuses.get(signature) ?? null };
  }

  async finalizedHead(): Promise<ChainHead> {
    this.#answer();
    return { slot: this.height, blockHeight: this.height, epoch: 1 };
  }

  async signaturesForAddress(): Promise<readonly AddressSignature[]> {
    this.#answer();
    return [];
  }

  async transaction(): Promise<LandedTransaction | null> {
    this.#answer();
    return null;
  }

  /** Nothing can undo what has landed so far. */
  finalize(): void {
    for (const [signature, status] of this.statuses) {
      this.statuses.set(signature, { ...status, commitment: 'finalized' });
    }
  }

  #answer(): void {
    if (this.isDown) throw new AppError('UPSTREAM_ERROR');
  }
}
