import { AppError, type Clock } from '@agent-wallet/kernel';
import type { Database, Outbox } from '@agent-wallet/platform';
import { signatureText } from '@agent-wallet/solana';
import { isSigned, readAttempt } from '../engine/outcome.js';
import type { OperationKind } from '../operation-kind.js';
import type { OperationChain } from '../ports.js';
import { isDecided, type OperationRecord } from '../records/operation.js';
import { OperationStore } from '../store/operation-store.js';
import { type Explanation, explain } from './explanation.js';

/** What an operator's look at operations needs. */
export interface OperatorDeskParts {
  readonly database: Database;
  readonly chain: OperationChain;
  readonly outbox: Outbox;
  readonly clock: Clock;
  /** Those that deliver by themselves, at least. */
  readonly kinds?: readonly OperationKind[];
}

/** Who does something by hand, and why. */
export interface OperatorNote {
  readonly operator: string;
  readonly reason: string;
}

/** What an operator of the service may see and do of one service's operations. Nothing here changes an outcome. */
export class OperatorDesk {
  readonly #store: OperationStore;

  constructor(private readonly parts: OperatorDeskParts) {
    // Only reads: it never takes a lease.
    this.#store = new OperationStore(parts.database, 0);
  }

  /** Operations without an outcome, the oldest first. */
  open({ minAgeMs, limit }: { readonly minAgeMs: number; readonly limit: number }): Promise<OperationRecord[]> {
    return this.#store.listOpen(this.parts.clock.nowMs() - minAgeMs, limit);
  }

  /** One operation, in words. @throws AppError NOT_FOUND */
  async explain(id: string): Promise<{ readonly operation: OperationRecord; readonly explanation: Explanation }> {
    const operation = await this.#load(id);
    const { attempt } = operation;
    const { chain } = this.parts;
    const look = isSigned(attempt)
      ? { outcome: await readAttempt(chain, attempt), head: await chain.finalizedHead({ maxAgeMs: 1_000 }) }
      : undefined;
    return { operation, explanation: explain(operation, look) };
  }

  /**
   * Sends the signed bytes once more, or hands them over, and writes down who had it done.
   * @returns the signature in base58; empty while it is not known
   * @throws AppError NOT_FOUND; VALIDATION_ERROR when there is nothing to send; what the delivery throws
   */
  async resend(id: string, { operator, reason }: OperatorNote): Promise<string> {
    const { database, outbox, chain, kinds = [] } = this.parts;
    const operation = await this.#load(id);
    const { signature, transaction } = operation.attempt ?? {};
    if (!transaction) throw AppError.field('operationId', 'was not signed yet: there is nothing to send');
    if (isDecided(operation)) throw AppError.field('operationId', `is ${operation.state}: there is nothing to send`);
    await database.transaction((tx) =>
      outbox.write(tx, operation.agentId, {
        $case: 'operatorActed',
        value: { operator, action: 'resend', reason, operationId: id },
      }),
    );
    const kind = kinds.find(({ action }) => action === operation.action);
    if (kind?.deliver) await kind.deliver(operation, operation.plan, transaction);
    else await chain.send(transaction);
    return signature ? signatureText(signature) : '';
  }

  async #load(id: string): Promise<OperationRecord> {
    const operation = await this.#store.load(id);
    if (!operation) throw new AppError('NOT_FOUND', { message: 'There is no operation of this id.' });
    return operation;
  }
}
