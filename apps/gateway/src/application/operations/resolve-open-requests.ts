import { type Clock, newId } from '@agent-wallet/kernel';
import { inRequest, type Logger } from '@agent-wallet/platform';
import type { RequestInput } from '../../domain/request-hash.js';
import type { HistoryService } from '../../ports/history-service.js';
import type { KeptRequest, RequestStore } from '../../ports/request-store.js';
import { askOperation } from './ask-operation.js';
import { confirmedAnswer, failedAnswer } from './operation-answer.js';
import type { OperationKind } from './operation-kind.js';

/** What ResolveOpenRequests works with. */
export interface ResolveOpenRequestsParts {
  readonly requests: RequestStore;
  readonly history: Pick<HistoryService, 'find'>;
  readonly kinds: readonly OperationKind[];
  readonly clock: Clock;
  readonly logger: Logger;
}

const BATCH = 20;
const LEASE_MS = 30_000;
const ASK_MS = 5_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** A claim that nobody's history knows after this long never reached anybody. */
const FORGET_AFTER_MS = 24 * 3_600_000;

/**
 * Brings requests that were left open to their final answer.
 *
 * It never starts anything. A claim whose gateway died may not have been sent, and its caller may have gone on without
 * it; it is asked for only when history proves that the owning service has it, or when the caller repeats its key.
 */
export class ResolveOpenRequests {
  readonly #kinds: ReadonlyMap<string, OperationKind>;

  constructor(private readonly parts: ResolveOpenRequestsParts) {
    this.#kinds = new Map(parts.kinds.map((kind) => [kind.action, kind]));
  }

  /** One round; true when there may be more to do. */
  async round(): Promise<boolean> {
    const open = await this.parts.requests.takeLeftOpen(BATCH, LEASE_MS);
    await Promise.all(
      open.map((kept) =>
        inRequest({ requestId: newId(), agentId: kept.agentId }, () =>
          this.#look(kept).catch(async (err: unknown) => {
            this.parts.logger.warn({ err, operationId: kept.operationId }, 'an open request could not be resolved');
          }),
        ),
      ),
    );
    return open.length === BATCH;
  }

  async #look(kept: KeptRequest): Promise<void> {
    const { requests, history, clock } = this.parts;
    const { agentId, operationId } = kept;
    if (kept.state === 'claimed') {
      if (!(await history.find(agentId, operationId))) {
        if (clock.nowMs() - kept.createdAtMs > FORGET_AFTER_MS) await requests.forget(operationId);
        else await requests.lookAgain(operationId, LONGEST_PAUSE_MS);
        return;
      }
      await requests.submitted(operationId, '');
    }
    await this.#ask(kept);
  }

  async #ask(kept: KeptRequest): Promise<void> {
    const { requests, history } = this.parts;
    const { agentId, operationId } = kept;
    const kind = this.#kinds.get(kept.action);
    if (!kind) return;
    const input = JSON.parse(kept.inputJson) as RequestInput;
    const order = { operationId, agentId, input, deadlineMs: ASK_MS };
    const asked = await askOperation(kind, order, false, history);
    if (asked.state === 'confirmed') await requests.finish(operationId, confirmedAnswer(asked));
    else if (asked.state === 'failed')
      await requests.finish(operationId, failedAnswer(asked.error, newId(), operationId));
    else await requests.lookAgain(operationId, Math.min(FIRST_PAUSE_MS * 2 ** kept.looks, LONGEST_PAUSE_MS));
  }
}
