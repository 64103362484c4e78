import { Controller, Inject, Res } from '@nestjs/common';
import type { FastifyReply } from '../fastify-types.js';
import type { OperationKind } from '../../application/operations/operation-kind.js';
import type { PreviewOperation } from '../../application/operations/preview-operation.js';
import type { RunOperation } from '../../application/operations/run-operation.js';
import type { RequestInput } from '../../domain/request-hash.js';
import type { Bearer } from '../bearer-token.js';
import type { InputOf, RouteContract } from '../contract/route.js';
import { tradeRoute } from '../contract/trade-route.js';
import { transferRoute, unwrapRoute } from '../contract/wallet-routes.js';
import type { Answer } from '../envelope.js';
import { idempotencyKey } from '../idempotency-key.js';
import { Caller, Input, Serves } from '../serves.js';
import { TOKENS } from '../tokens.js';

/** The kinds of operation that the actions are. */
export interface ActionKinds {
  readonly transfer: OperationKind;
  readonly unwrap: OperationKind;
  readonly trade: OperationKind;
}

/** A financial operation that a request asks for. */
interface Order {
  readonly contract: RouteContract;
  readonly kind: OperationKind;
  readonly agentId: string;
  readonly input: RequestInput;
}

/** Financial operations: each runs once, whatever happens to its request, or is only looked at. */
@Controller()
export class ActionsController {
  constructor(
    @Inject(TOKENS.runOperation) private readonly operations: RunOperation,
    @Inject(TOKENS.previewOperation) private readonly previews: PreviewOperation,
    @Inject(TOKENS.kinds) private readonly kinds: ActionKinds,
  ) {}

  @Serves(transferRoute)
  async transfer(
    @Input() { query, body }: InputOf<typeof transferRoute>,
    @Caller() { agentId }: Bearer,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Answer> {
    const { to, amount, mint, memo } = body;
    const input = { to, amount, ...(mint === undefined ? {} : { mint }), ...(memo === undefined ? {} : { memo }) };
    const order = { contract: transferRoute, kind: this.kinds.transfer, agentId, input };
    return this.#answer(order, reply, query.dryRun);
  }

  @Serves(tradeRoute)
  async trade(
    @Input() { query, body }: InputOf<typeof tradeRoute>,
    @Caller() { agentId }: Bearer,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Answer> {
    const { from, to, amount, slippageBps, allowRisky } = body;
    const input = { from, to, amount, slippageBps: { numberText: String(slippageBps) }, allowRisky };
    return this.#answer({ contract: tradeRoute, kind: this.kinds.trade, agentId, input }, reply, query.dryRun);
  }

  @Serves(unwrapRoute)
  async unwrap(
    @Input() { query, body }: InputOf<typeof unwrapRoute>,
    @Caller() { agentId }: Bearer,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Answer> {
    const input: RequestInput = body?.amount === undefined ? {} : { amount: body.amount };
    const order = { contract: unwrapRoute, kind: this.kinds.unwrap, agentId, input };
    return this.#answer(order, reply, query.dryRun);
  }

  /** A key of the wrong form is refused by a dry run, too; one of the right form is ignored. */
  #answer(order: Order, reply: FastifyReply, dryRun: boolean | undefined): Promise<Answer> {
    const key = idempotencyKey(reply.request);
    return dryRun ? this.#look(order) : this.#run(order, reply, key);
  }

  async #run({ contract, kind, agentId, input }: Order, reply: FastifyReply, key?: string): Promise<Answer> {
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

  async #look({ kind, agentId, input }: Order): Promise<Answer> {
    return { message: 'Dry run: nothing was done.', data: await this.previews.preview(kind, agentId, input) };
  }
}
