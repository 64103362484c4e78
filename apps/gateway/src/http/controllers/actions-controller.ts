import { Controller, Inject, Res } from '@nestjs/common';
import type { FastifyReply } from '../fastify-types.js';
import type { OperationKind } from '../../application/operations/operation-kind.js';
import type { RunOperation } from '../../application/operations/run-operation.js';
import type { Bearer } from '../bearer-token.js';
import type { InputOf } from '../contract/route.js';
import { transferRoute } from '../contract/wallet-routes.js';
import type { Answer } from '../envelope.js';
import { idempotencyKey } from '../idempotency-key.js';
import { Caller, Input, Serves } from '../serves.js';
import { TOKENS } from '../tokens.js';

/** Financial operations: each runs once, whatever happens to its request. */
@Controller()
export class ActionsController {
  constructor(
    @Inject(TOKENS.runOperation) private readonly operations: RunOperation,
    @Inject(TOKENS.transfers) private readonly transfers: OperationKind,
  ) {}

  @Serves(transferRoute)
  async transfer(
    @Input() { body }: InputOf<typeof transferRoute>,
    @Caller() { agentId }: Bearer,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Answer> {
    const key = idempotencyKey(reply.request);
    const { to, amount, mint, memo } = body;
    const { idempotency, ...answer } = await this.operations.run({
      agentId,
      requestId: reply.request.id,
      kind: this.transfers,
      route: `${transferRoute.method} ${transferRoute.path}`,
      input: { to, amount, ...(mint === undefined ? {} : { mint }), ...(memo === undefined ? {} : { memo }) },
      key,
      elapsedMs: reply.elapsedTime,
    });
    return key === undefined ? answer : { ...answer, headers: { 'idempotency-status': idempotency } };
  }
}
