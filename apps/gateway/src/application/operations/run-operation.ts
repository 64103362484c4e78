import { AppError, type ErrorCode, newId } from '@agent-wallet/kernel';
import type { Logger } from '@agent-wallet/platform';
import { type RequestInput, requestHash } from '../../domain/request-hash.js';
import type { HistoryService } from '../../ports/history-service.js';
import type { Claim, FinalAnswer, KeptRequest, RequestStore } from '../../ports/request-store.js';
import { askOperation, type AskedOperation } from './ask-operation.js';
import {
  confirmedAnswer,
  failedAnswer,
  type OperationAnswer,
  replayedAnswer,
  submittedAnswer,
} from './operation-answer.js';
import type { OperationKind } from './operation-kind.js';

/** A financial request. */
export interface RunOrder {
  readonly agentId: string;
  readonly requestId: string;
  readonly kind: OperationKind;
  /** Method and path: a key belongs to one route. */
  readonly route: string;
  readonly input: RequestInput;
  readonly key?: string | undefined;
  /** How long this request has taken already. */
  readonly elapsedMs: number;
}

/** What RunOperation works with. */
export interface RunOperationParts {
  readonly requests: RequestStore;
  readonly history: Pick<HistoryService, 'find'>;
  readonly logger: Logger;
  readonly explorerUrl: (signature: string) => string;
}

/** The gateway answers within 25 s; this is what the owning service may take of it. */
const ANSWER_WITHIN_MS = 23_000;
/** How long an answer waits for being kept. It is right without it, too. */
const KEEP_WITHIN_MS = 1_500;
const REPEAT_ASKS_MS = 2_500;

/** Refusals that come before the operation exists: the key stays free for the corrected request. */
const LEAVES_KEY_FREE: ReadonlySet<ErrorCode> = new Set(['VALIDATION_ERROR', 'UNKNOWN_TOKEN', 'INVALID_ADDRESS']);

/**
 * Runs a financial request once, whatever happens to it: its key fixes an operation id, and everything that may be
 * tried again is tried under that id. A 5xx is answered only when nothing was sent or the owning service says that it
 * failed; otherwise what is not known is `submitted`.
 */
export class RunOperation {
  constructor(private readonly parts: RunOperationParts) {}

  async run(order: RunOrder): Promise<OperationAnswer> {
    const endsAtMs = performance.now() + ANSWER_WITHIN_MS - order.elapsedMs;
    const hash = requestHash(order.route, order.input);
    const answered = order.key === undefined ? undefined : await this.parts.requests.answered(order.agentId, order.key);
    if (answered) {
      refuseMismatch(hash, answered);
      return replayedAnswer(answered.answer);
    }
    const found = await this.parts.requests.claim({
      operationId: newId(),
      agentId: order.agentId,
      key: order.key,
      hash,
      action: order.kind.action,
      inputJson: JSON.stringify(order.input),
    });
    if ('fence' in found) return this.#drive(order, found, endsAtMs);
    refuseMismatch(hash, found);
    return this.#repeat(order, found);
  }

  /** The request is ours to run. */
  async #drive(order: RunOrder, claim: Claim, endsAtMs: number): Promise<OperationAnswer> {
    const firstTime = claim.fence === 1;
    try {
      await order.kind.reach();
    } catch (error) {
      if (firstTime && (await this.#release(claim))) throw error;
      return this.#open(order.kind, claim.operationId, '', 'fresh');
    }
    const asked = await this.#ask(order, claim.operationId, endsAtMs - performance.now(), firstTime);
    if (asked.state === 'failed' && LEAVES_KEY_FREE.has(asked.error.code)) {
      await this.#release(claim);
      throw asked.error;
    }
    return this.#settle(order, claim.operationId, asked, 'fresh');
  }

  /** Somebody else has or had the request. */
  async #repeat(order: RunOrder, kept: KeptRequest): Promise<OperationAnswer> {
    if (kept.answer) return replayedAnswer(kept.answer);
    if (kept.state === 'claimed') throw new AppError('IDEMPOTENCY_IN_PROGRESS');
    const asked = await this.#ask(order, kept.operationId, REPEAT_ASKS_MS, false);
    const known = asked.state === 'submitted' && !asked.signature ? { ...asked, signature: kept.signature } : asked;
    return this.#settle(order, kept.operationId, known, 'cached');
  }

  /** From here on something may have moved: nothing that goes wrong with us may look like "nothing happened". */
  async #ask(order: RunOrder, operationId: string, withinMs: number, firstTime: boolean): Promise<AskedOperation> {
    const { agentId, input, kind } = order;
    try {
      const asked = { operationId, agentId, input, deadlineMs: withinMs, onlyIfBegun: false };
      return await askOperation(kind, asked, firstTime, this.parts.history);
    } catch (err) {
      this.parts.logger.error({ err, operationId }, 'asking for an operation failed; its outcome is open');
      return { state: 'submitted', signature: '' };
    }
  }

  async #settle(
    order: RunOrder,
    operationId: string,
    asked: AskedOperation,
    idempotency: 'fresh' | 'cached',
  ): Promise<OperationAnswer> {
    if (asked.state === 'submitted') return this.#open(order.kind, operationId, asked.signature, idempotency);
    const answer: FinalAnswer =
      asked.state === 'confirmed' ? confirmedAnswer(asked) : failedAnswer(asked.error, order.requestId, operationId);
    if (asked.state === 'failed' && answer.statusCode >= 500) {
      this.parts.logger.warn({ err: asked.error, operationId }, 'an operation failed');
    }
    await this.#keep(this.parts.requests.finish(operationId, answer), operationId);
    return idempotency === 'fresh' ? { ...answer, idempotency } : replayedAnswer(answer);
  }

  async #open(
    kind: OperationKind,
    operationId: string,
    signature: string,
    idempotency: 'fresh' | 'cached',
  ): Promise<OperationAnswer> {
    await this.#keep(this.parts.requests.submitted(operationId, signature), operationId);
    return { ...submittedAnswer(kind, operationId, signature, this.parts.explorerUrl), idempotency };
  }

  async #release(claim: Claim): Promise<boolean> {
    try {
      return await this.parts.requests.release(claim);
    } catch (err) {
      // Nobody runs a claim on its own: it stays until the same key comes again, or the resolver ends it.
      this.parts.logger.warn({ err, operationId: claim.operationId }, 'a claim could not be released');
      return true;
    }
  }

  /** A row that could not be written is brought up to date by the resolver or by the next repeat. */
  async #keep(written: Promise<void>, operationId: string): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, KEEP_WITHIN_MS);
    });
    const kept = written.catch((err: unknown) =>
      this.parts.logger.warn({ err, operationId }, 'an answer could not be kept'),
    );
    await Promise.race([kept, late]);
    clearTimeout(timer);
  }
}

function refuseMismatch(hash: Buffer, kept: Pick<KeptRequest, 'hash'>): void {
  if (!hash.equals(kept.hash)) throw new AppError('IDEMPOTENCY_MISMATCH');
}
