import type { OperationKind, PreviewableKind } from '../application/operations/operation-kind.js';
import type { PreviewOperation } from '../application/operations/preview-operation.js';
import type { RunOperation } from '../application/operations/run-operation.js';
import type { RequestInput } from '../domain/request-hash.js';
import type { RouteContract } from './contract/route.js';
import type { Answer } from './envelope.js';
import type { FastifyReply } from './fastify-types.js';
import { idempotencyKey } from './idempotency-key.js';

/** A financial operation that a request asks for. */
export interface FinancialOrder<Kind extends OperationKind = OperationKind> {
  readonly contract: RouteContract;
  readonly kind: Kind;
  readonly agentId: string;
  readonly input: RequestInput;
}

/** Financial requests: each runs once, whatever happens to it, or is only looked at. */
export class FinancialRequests {
  constructor(
    private readonly operations: RunOperation,
    private readonly previews: PreviewOperation,
  ) {}

  /** A key of the wrong form is refused by a dry run, too; one of the right form is ignored. */
  async answer(order: FinancialOrder<PreviewableKind>, reply: FastifyReply, dryRun: boolean): Promise<Answer> {
    if (!dryRun) return this.run(order, reply);
    idempotencyKey(reply.request);
    const { kind, agentId, input } = order;
    return { message: 'Dry run: nothing was done.', data: await this.previews.preview(kind, agentId, input) };
  }

  /** Does it. */
  async run({ contract, kind, agentId, input }: FinancialOrder, reply: FastifyReply): Promise<Answer> {
    const key = idempotencyKey(reply.request);
    const { idempotency, ...answer } = await this.operations.run({
      agentId,
      requestId: reply.request.id,
      kind,
      route: `${contract.method} ${contract.path}`,
      input,
      key,
      elapsedMs: reply.elapsedTime,
    });
    return key === undefined ? answer : { ...answer, headers: { 'idempotency-status': idempotency } };
  }
}
