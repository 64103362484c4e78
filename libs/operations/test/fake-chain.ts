import { AppError } from '@agent-wallet/kernel';
import {
  type AddressSignature,
  type AddressSignaturesPage,
  type ChainHead,
  type Commitment,
  type LandedTransaction,
  type SendOutcome,
  type SignatureStatus,
  type SignatureStatusAtSlot,
  signatureText,
  splitTransaction,
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
  /** Ids that the node lists and cannot show. */
  readonly hidden = new Set<string>();
  /** Ids of the transactions that were read. */
  readonly read: string[] = [];
  readonly sent: Uint8Array[] = [];
  readonly statuses = new Map<string, SignatureStatus>();
  readonly #landed = new Map<string, Uint8Array>();

  /** Transactions that had an effect. */
  get effects(): number {
    return [...this.statuses.values()].filter(({ error }) => error === null).length;
  }

  async send(transaction: Uint8Array): Promise<SendOutcome> {
    this.sent.push(transaction);
    this.take(transaction);
    return this.sendAnswer ?? { kind: 'accepted' };
  }

  /** What a third party brings to the chain. One message lands once, however many signatures of it there are. */
  take(transaction: Uint8Array): void {
    const signature = transactionSignature(transaction);
    if (this.landing === 'never' || this.statusOf(splitTransaction(transaction).message)) return;
    this.#landed.set(signature, transaction);
    this.statuses.set(signature, { slot: this.height, commitment: this.landing, error: this.error });
  }

  /** What became of a message, under any id. */
  statusOf(message: Uint8Array): SignatureStatus | undefined {
    const same = [...this.#landed].find(([, each]) => Buffer.compare(splitTransaction(each).message, message) === 0);
    return same && this.statuses.get(same[0]);
  }

  async signatureStatus(signature: string): Promise<SignatureStatusAtSlot> {
    this.#answer();
    return { contextSlot: this.#contextSlot, status: this.statuses.get(signature) ?? null };
  }

  async finalizedHead(): Promise<ChainHead> {
    this.#answer();
    return { slot: this.height, blockHeight: this.height, epoch: 1 };
  }

  async signaturesForAddress(
    _: string,
    { commitment, minContextSlot = 0 }: AddressSignaturesPage,
  ): Promise<readonly AddressSignature[]> {
    this.#answer();
    if (minContextSlot > this.#contextSlot) throw new AppError('UPSTREAM_ERROR');
    return [...this.statuses]
      .filter(([, status]) => isAt(status, commitment))
      .map(([signature, { slot, error }]) => ({ signature, slot, error, blockTimeMs: null }))
      .reverse();
  }

  async transaction(signature: string, commitment: Commitment): Promise<LandedTransaction | null> {
    this.#answer();
    this.read.push(signature);
    const [status, bytes] = [this.statuses.get(signature), this.#landed.get(signature)];
    if (!status || !bytes || !isAt(status, commitment) || this.hidden.has(signature)) return null;
    const { signatures, message } = splitTransaction(bytes);
    return {
      ...{ slot: status.slot, blockTimeMs: null, error: status.error, feeLamports: 5_000n, message },
      signatures: signatures.map(signatureText),
      ...{ addresses: [], preBalances: [], postBalances: [], preTokenBalances: [], postTokenBalances: [] },
    };
  }

  /** Nothing can undo what has landed so far. */
  finalize(): void {
    for (const [signature, status] of this.statuses) {
      this.statuses.set(signature, { ...status, commitment: 'finalized' });
    }
  }

  /** Undoes everything that landed. */
  rollBack(): void {
    this.statuses.clear();
    this.#landed.clear();
  }

  get #contextSlot(): number {
    return this.contextSlot ?? this.height;
  }

  #answer(): void {
    if (this.isDown) throw new AppError('UPSTREAM_ERROR');
  }
}

function isAt(status: SignatureStatus, commitment: Commitment): boolean {
  return status.commitment === 'finalized' || commitment === 'confirmed';
}
