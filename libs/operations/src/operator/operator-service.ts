import type { operationsV1 } from '@agent-wallet/contracts';
import { AppError, type Clock, notFound } from '@agent-wallet/kernel';
import type { Outbox } from '@agent-wallet/events';
import type { Database, ServiceName } from '@agent-wallet/platform';
import { readAttempt } from '../message/land.js';
import { type Handler, isSaga } from '../handlers/handler.js';
import type { OperationChain } from '../runtime/operation-runtime.js';
import type { OperationRecoveries } from '../runtime/recovery-gate.js';
import { operationEvent } from '../runtime/operation-event.js';
import { isDecided, isSigned, type OperationRecord, signatureOf } from '../records/operation.js';
import { type IdRange, OperationStore } from '../store/operation-store.js';
import { explain, explainSaga, explainUnreadable, type Explanation, HELD, type Look } from './explanation.js';
import { toOperation } from './operation-message.js';

/** Dependencies of the operator service. */
interface OperatorServiceDependencies {
  readonly database: Database;
  /** Whose operations these are. */
  readonly source: ServiceName;
  /** Undefined where there are only sagas. */
  readonly chain?: OperationChain;
  readonly outbox: Outbox;
  readonly clock: Clock;
  readonly handlers: readonly Handler[];
  /** Source of recoveries. */
  readonly recoveries?: OperationRecoveries;
}

/** The operator of a manual action, and the reason for it. */
export interface OperatorNote {
  readonly operator: string;
  readonly reason: string;
}

/** Operator's view of one service's operations, with the actions allowed on them. Nothing here changes an outcome. */
export class OperatorService {
  readonly #store: OperationStore;

  constructor(private readonly dependencies: OperatorServiceDependencies) {
    // Only reads: it never takes a lease.
    this.#store = new OperationStore(dependencies.database, dependencies.handlers, 0);
  }

  /** Operations without an outcome, the oldest first. */
  async open({ minAgeMs, limit }: { readonly minAgeMs: number; readonly limit: number }) {
    const records = await this.#store.listOpen(this.dependencies.clock.nowMs() - minAgeMs, limit);
    return records.map((record) => toOperation(record, this.#handlerOf(record)));
  }

  /** Lists the revisions of operations with published events, in the order of their IDs. */
  async revisions(between: IdRange): Promise<operationsV1.OperationRevision[]> {
    const records = await this.#store.listRevisions(between);
    return records.map(({ id, ...record }) => ({ operationId: id, ...record }));
  }

  /** Explains one operation in words. @throws AppError NOT_FOUND; what those throw who are asked about it */
  async explain(id: string): Promise<{ readonly operation: operationsV1.Operation } & Explanation> {
    const found = await this.#store.inspect(id);
    if (!found) throw notFound('operation', 'Check its id.');
    const { record, unreadable } = found;
    const handler = this.#handlerOf(record);
    const operation = toOperation(record, handler);
    if (unreadable) return { operation, ...explainUnreadable(unreadable) };
    if (await this.#isHeld(record)) return { operation, ...HELD };
    if (!handler || !isSaga(handler)) return { operation, ...explain(record, await this.#readChain(record)) };
    return { operation, ...((await handler.explain?.(record)) ?? explainSaga(record)) };
  }

  /** Reports whether a recovery holds the operation back. */
  async #isHeld(record: OperationRecord): Promise<boolean> {
    if (isDecided(record) || isSigned(record.attempt)) return false;
    const recovery = await this.dependencies.recoveries?.getRecovery({});
    return recovery !== undefined && (recovery.inProgress || recovery.frozenAgentIds.includes(record.agentId));
  }

  async #readChain({ attempt }: OperationRecord): Promise<Look | undefined> {
    const { chain } = this.dependencies;
    if (!chain || !isSigned(attempt)) return undefined;
    return { outcome: await readAttempt(chain, attempt), head: await chain.finalizedHead({ maxAgeMs: 1_000 }) };
  }

  /**
   * Sends the signed bytes once more, or hands on what a saga has under way, and writes down who had it done.
   * @returns the signature in base58; empty while it is not known
   * @throws AppError NOT_FOUND; VALIDATION_ERROR when there is nothing to send; what the delivery throws
   */
  async resend(id: string, { operator, reason }: OperatorNote): Promise<string> {
    const { database, outbox } = this.dependencies;
    const operation = await this.#load(id);
    if (isDecided(operation)) throw nothingToSend(`is ${operation.state}`);
    const send = this.#sending(operation);
    await database.transaction((tx) =>
      outbox.write(tx, operation.agentId, {
        $case: 'operatorActed',
        value: { operator, action: 'resend', reason, operationId: id },
      }),
    );
    return send();
  }

  /**
   * Ends an operation that a recovery holds, because the chain shows that it was carried out before; writes down who had it
   * done.
   * @throws AppError NOT_FOUND; VALIDATION_ERROR when it is not held, or is a part of others' operations
   */
  async reject(id: string, { operator, reason }: OperatorNote): Promise<void> {
    const { outbox, clock } = this.dependencies;
    const held = await this.#load(id);
    const handler = this.#handlerOf(held);
    if (!handler || isSaga(handler) || handler.emitsEvents === false)
      throw AppError.field('operationId', 'must be an operation of one step: unfreeze the agent instead');
    if (!(await this.#isHeld(held))) throw AppError.field('operationId', 'is not held by a recovery');
    // A worker that may still drive it loses its lease.
    await this.#store.release([held]);
    const fence = held.fence + 1n;
    const { attempt } = held;
    const ended: OperationRecord = {
      ...held,
      fence,
      state: 'rejected',
      revision: held.revision + 1,
      error: endedByOperator(),
      // Not signed here, and never will be: what is left is to release what was reserved.
      attempt: attempt && { ...attempt, state: 'abandoned', finalized: true },
    };
    await this.#store.change(ended, {
      event: operationEvent(ended, handler, { source: this.dependencies.source, clock }),
      next: attempt ? 'visit' : 'closed',
      write: (tx) =>
        outbox.write(tx, held.agentId, {
          $case: 'operatorActed',
          value: { operator, action: 'end_operation', reason, operationId: id },
        }),
    });
  }

  /** Returns a function that sends the operation again. @throws AppError VALIDATION_ERROR */
  #sending(operation: OperationRecord): () => Promise<string> {
    const { chain } = this.dependencies;
    const handler = this.#handlerOf(operation);
    if (handler && isSaga(handler)) {
      if (!handler.resend) throw nothingToSend('sends nothing that could be sent again');
      return () => handler.resend!(operation);
    }
    const { transaction } = operation.attempt ?? {};
    if (!transaction) throw nothingToSend('was not signed yet');
    return async () => {
      if (handler?.deliver) await handler.deliver(operation, operation.plan, transaction);
      else await chain?.send(transaction);
      return signatureOf(operation);
    };
  }

  #handlerOf({ action }: OperationRecord): Handler | undefined {
    return this.dependencies.handlers.find((handler) => handler.action === action);
  }

  async #load(id: string): Promise<OperationRecord> {
    const operation = await this.#store.load(id);
    if (!operation) throw notFound('operation', 'Check its id.');
    return operation;
  }
}

function endedByOperator(): AppError {
  return new AppError('POLICY_VIOLATION', {
    message: 'The operator has ended this after a restore: the chain shows what was carried out before.',
    data: { rule: 'frozen', suggestion: 'Look at the transactions of the wallet on chain before sending it again.' },
  });
}

const nothingToSend = (why: string) => AppError.field('operationId', `${why}: there is nothing to send`);
