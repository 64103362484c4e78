import { newId } from '@agent-wallet/kernel';
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
  readonly logger: Logger;
}

const BATCH = 20;
const LEASE_MS = 30_000;
const ASK_MS = 5_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/**
 * Brings requests that were left open to their final answer, those of a gateway that died in the middle too.
 *
 * It never starts anything: the caller may have gone on without it. What has not begun by now never will, which the
 * owning service makes certain; so a look ends every request that is not under way.
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
    const { requests, history } = this.parts;
    const { agentId, operationId } = kept;
    const kind = this.#kinds.get(kept.action);
    if (!kind) return;
    const input = JSON.parse(kept.inputJson) as RequestInput;
    const order = { operationId, agentId, input, deadlineMs: ASK_MS, onlyIfBegun: true };
    const asked = await askOperation(kind, order, false, history);
    if (asked.state === 'confirmed') await requests.finish(operationId, confirmedAnswer(asked));
    else if (asked.state === 'failed')
      await requests.finish(operationId, failedAnswer(asked.error, newId(), operationId));
    else await requests.lookAgain(operationId, Math.min(FIRST_PAUSE_MS * 2 ** kept.looks, LONGEST_PAUSE_MS));
  }
}
