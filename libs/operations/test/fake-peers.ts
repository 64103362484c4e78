import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { policyV1, type signerV1 } from '@agent-wallet/contracts';
import { AppError, newId } from '@agent-wallet/kernel';
import { addressOf, assembleTransaction, requiredSigners, signatureText, splitTransaction } from '@agent-wallet/solana';
import type { OperationApprovals, OperationPolicy, OperationSigner } from '../src/index.js';
import { type FakeChain, FIRST_HEIGHT, LIFE } from './fake-chain.js';

/** Messages of the tests are built at the first height. */
const EXPIRED_ABOVE = FIRST_HEIGHT + LIFE;

/** What a peer does at its next calls, before or instead of its work; afterwards it behaves. */
export type Mood = 'fail' | 'lose the answer' | AppError;

const keyOf = ({ operationId, step, attempt }: { operationId: string; step: number; attempt: number }) =>
  `${operationId}/${step}/${attempt}`;

async function inMood<T>(moods: Mood[], work: () => T): Promise<T> {
  const mood = moods.shift();
  if (mood instanceof AppError) throw mood;
  if (mood === 'fail') throw new Error('no connection');
  const result = work();
  if (mood === 'lose the answer') throw new Error('connection reset');
  return result;
}

/** Reserves once an attempt, for one hash, and reads outcomes from the chain itself. */
export class FakePolicy implements OperationPolicy {
  readonly moods: Mood[] = [];
  readonly settleMoods: Mood[] = [];
  readonly reservations = new Map<string, { hash: string; state: 'open' | 'over' }>();
  /** Settles at once, or only what is finalized. */
  settlesAt: 'confirmed' | 'finalized' = 'confirmed';
  authorized = 0;

  /** What a freeze or a switch refuses. */
  stop: AppError | undefined;

  constructor(private readonly chain: FakeChain) {}

  get open(): number {
    return [...this.reservations.values()].filter(({ state }) => state === 'open').length;
  }

  authorize(request: policyV1.AuthorizeRequest): Promise<policyV1.AuthorizeResponse> {
    this.authorized += 1;
    return inMood(this.moods, () => {
      const hash = request.messageHash.toString('hex');
      const known = this.reservations.get(keyOf(request));
      if (known && (known.hash !== hash || known.state === 'over')) throw new AppError('PERMIT_CONFLICT');
      this.reservations.set(keyOf(request), { hash, state: 'open' });
      const permit = { claims: request.messageHash, signature: Buffer.alloc(64), keyId: 'test' };
      return { permit, reservedUsdMicros: 1n };
    });
  }

  async checkSpending(): Promise<policyV1.CheckSpendingResponse> {
    if (this.stop) throw this.stop;
    return {};
  }

  settle(request: policyV1.SettleRequest): Promise<policyV1.SettleResponse> {
    return inMood(this.settleMoods, () => {
      const known = this.reservations.get(keyOf(request));
      if (!known) throw new AppError('NOT_FOUND', { data: { resource: 'thing' } });
      const outcome = this.#outcomeOf(request);
      if (outcome !== policyV1.Outcome.OUTCOME_OPEN) known.state = 'over';
      return { outcome };
    });
  }

  #outcomeOf({ signature, message }: policyV1.SettleRequest): policyV1.Outcome {
    const isNamed = signature.length > 0;
    const status = isNamed ? this.chain.statuses.get(signatureText(signature)) : this.chain.statusOf(message);
    if (!status)
      return this.chain.height > EXPIRED_ABOVE ? policyV1.Outcome.OUTCOME_EXPIRED : policyV1.Outcome.OUTCOME_OPEN;
    if (status.error !== null) return policyV1.Outcome.OUTCOME_FAILED;
    const isSure = this.settlesAt === 'confirmed' || status.commitment === 'finalized';
    return isSure ? policyV1.Outcome.OUTCOME_SETTLED : policyV1.Outcome.OUTCOME_OPEN;
  }
}

const { ApprovalState } = policyV1;

/** What an owner says of operations, as policy keeps it. */
export class FakeApprovals implements OperationApprovals {
  /** By approval. */
  readonly states = new Map<string, policyV1.ApprovalState>();
  /** Calls, and approvals that they were about. */
  asked: number[] = [];
  readonly moods: Mood[] = [];

  /** A question to an owner, as policy answers it to an operation; put it into the moods of the policy. */
  request(): { readonly approvalId: string; readonly error: AppError } {
    const approvalId = newId();
    this.states.set(approvalId, ApprovalState.APPROVAL_STATE_PENDING);
    const data = { approvalId, expiresAtMs: 1_000, reasons: ['above_amount'] };
    return { approvalId, error: new AppError('APPROVAL_REQUIRED', { data }) };
  }

  getApprovalStates({ approvalIds }: policyV1.GetApprovalStatesRequest): Promise<policyV1.GetApprovalStatesResponse> {
    this.asked.push(approvalIds.length);
    return inMood(this.moods, () => {
      const known = approvalIds.filter((id) => this.states.has(id));
      return {
        approvals: known.map((approvalId) => ({
          approvalId,
          state: this.states.get(approvalId)!,
          expiresAtMs: 1_000n,
        })),
      };
    });
  }
}

/** A market maker: signs every message in front of the wallet. */
export class FakeMaker {
  readonly #key = newKey();
  readonly address = this.#key.address;
  /** Makes another signature over the same bytes next time, as no honest maker does. */
  isMoody = false;

  /** The transaction with the maker's signature at its place. */
  complete(transaction: Uint8Array): Uint8Array {
    const { signatures, message } = splitTransaction(transaction);
    const own = this.isMoody ? randomBytes(64) : sign(null, message, this.#key.key);
    return assembleTransaction(message, [own, ...signatures.slice(1)]);
  }
}

/** A new key, and its address. */
function newKey(): { key: KeyObject; address: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return { key: privateKey, address: addressOf(publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)) };
}

/** Signs what a permit was made for, with one real key, or with two when the message wants a second signature. */
export class FakeSigner implements OperationSigner {
  readonly moods: Mood[] = [];
  /** Hashes of every message that was signed. */
  readonly signed = new Set<string>();
  /** The addresses from lookup tables that were shown with each. */
  readonly resolved: Buffer[][] = [];
  /** Answers instead of the right signatures. */
  lie: ((signatures: signerV1.SignResponse) => signerV1.SignResponse) | undefined;
  readonly #wallet = newKey();
  readonly #sponsor = newKey();
  readonly wallet = this.#wallet.address;
  readonly sponsor = this.#sponsor.address;

  sign({ message, permit, resolvedAddresses }: signerV1.SignRequest): Promise<signerV1.SignResponse> {
    return inMood(this.moods, () => {
      const hash = createHash('sha256').update(message).digest();
      if (!permit?.claims.equals(hash)) throw new AppError('SIGNING_REFUSED');
      this.signed.add(hash.toString('hex'));
      this.resolved.push(resolvedAddresses);
      const signature = sign(null, message, this.#wallet.key);
      const isSponsored = requiredSigners(message).length > 1;
      const right = isSponsored
        ? { signature, sponsorSignature: sign(null, message, this.#sponsor.key) }
        : { signature };
      return this.lie?.(right) ?? right;
    });
  }
}
