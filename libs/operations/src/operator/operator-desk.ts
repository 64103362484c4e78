import { AppError, type Clock } from '@agent-wallet/kernel';
import type { Database, Outbox } from '@agent-wallet/platform';
import { readOutcome, signatureText } from '@agent-wallet/solana';
import type { OperationChain } from '../ports.js';
import { isDecided, type OperationRecord } from '../records/operation.js';
import { COLUMNS, JOIN_ATTEMPT, type OperationRow, toRecord } from '../store/rows.js';
import { type Explanation, explain } from './explanation.js';

/** What an operator's look at operations needs. */
export interface OperatorDeskParts {
  readonly database: Database;
  readonly chain: OperationChain;
  readonly outbox: Outbox;
  readonly clock: Clock;
}

/** Who does something by hand, and why. */
export interface OperatorNote {
  readonly operator: string;
  readonly reason: string;
}

/** What an operator of the service may see and do of one service's operations. Nothing here changes an outcome. */
export class OperatorDesk {
  constructor(private readonly parts: OperatorDeskParts) {}

  /** Operations without an outcome, the oldest first. */
  async open({ minAgeMs, limit }: { readonly minAgeMs: number; readonly limit: number }): Promise<OperationRecord[]> {
    const { database, clock } = this.parts;
    const { rows } = await database.pool.query<OperationRow>({
      name: 'operator-open',
      text: `select ${COLUMNS} from operations o ${JOIN_ATTEMPT}
             where o.due_at is not null and o.state in ('pending', 'submitted') and o.created_at_ms <= $1
             order by o.created_at_ms limit $2`,
      values: [clock.nowMs() - minAgeMs, limit],
    });
    return rows.map(toRecord);
  }

  /** One operation, in words. @throws AppError NOT_FOUND */
  async explain(id: string): Promise<{ readonly operation: OperationRecord; readonly explanation: Explanation }> {
    const operation = await this.#load(id);
    const { attempt } = operation;
    const landing = attempt?.signature && {
      outcome: await readOutcome(this.parts.chain, {
        signature: signatureText(attempt.signature),
        lastValidBlockHeight: attempt.lastValidBlockHeight,
      }),
      head: await this.parts.chain.finalizedHead({ maxAgeMs: 1_000 }),
    };
    return { operation, explanation: explain(operation, landing) };
  }

  /**
   * Sends the signed bytes once more, and writes down who had it done.
   * @returns the signature in base58
   * @throws AppError NOT_FOUND; VALIDATION_ERROR when there is nothing to send
   */
  async resend(id: string, { operator, reason }: OperatorNote): Promise<string> {
    const { database, outbox, chain } = this.parts;
    const operation = await this.#load(id);
    const { signature, transaction } = operation.attempt ?? {};
    if (!signature || !transaction) throw AppError.field('operationId', 'was not signed yet: there is nothing to send');
    if (isDecided(operation)) throw AppError.field('operationId', `is ${operation.state}: there is nothing to send`);
    await database.transaction((tx) =>
      outbox.write(tx, operation.agentId, {
        $case: 'operatorActed',
        value: { operator, action: 'resend', reason, operationId: id },
      }),
    );
    await chain.send(transaction);
    return signatureText(signature);
  }

  async #load(id: string): Promise<OperationRecord> {
    const { rows } = await this.parts.database.pool.query<OperationRow>({
      name: 'operation-load',
      text: `select ${COLUMNS} from operations o ${JOIN_ATTEMPT} where o.id = $1`,
      values: [id],
    });
    if (!rows[0]) throw new AppError('NOT_FOUND', { message: 'There is no operation of this id.' });
    return toRecord(rows[0]);
  }
}
