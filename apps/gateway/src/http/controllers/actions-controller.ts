import { Controller, Inject, Res } from '@nestjs/common';
import type { FastifyReply } from '../fastify-types.js';
import type { OperationKind, PreviewableKind } from '../../application/operations/operation-kind.js';
import type { RequestInput } from '../../domain/request-hash.js';
import type { Bearer } from '../bearer-token.js';
import type { InputOf } from '../contract/route.js';
import { tradeRoute } from '../contract/trade-route.js';
import { transferRoute, unwrapRoute } from '../contract/wallet-routes.js';
import type { Answer } from '../envelope.js';
import type { FinancialRequests } from '../financial-requests.js';
import { Caller, Input, Serves } from '../serves.js';
import { TOKENS } from '../tokens.js';

/** The kinds of operation that the actions are. */
export interface ActionKinds {
  readonly transfer: PreviewableKind;
  readonly unwrap: PreviewableKind;
  readonly trade: PreviewableKind;
  readonly buy: PreviewableKind;
  readonly sell: PreviewableKind;
  readonly withdraw: OperationKind;
}

/** Moves of the wallet's money. */
@Controller()
export class ActionsController {
  constructor(
    @Inject(TOKENS.financialRequests) private readonly requests: FinancialRequests,
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
    return this.requests.answer(order, reply, query.dryRun);
  }

  @Serves(tradeRoute)
  async trade(
    @Input() { query, body }: InputOf<typeof tradeRoute>,
    @Caller() { agentId }: Bearer,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Answer> {
    const { from, to, amount, slippageBps, allowRisky } = body;
    const input = { from, to, amount, slippageBps: { numberText: String(slippageBps) }, allowRisky };
    return this.requests.answer({ contract: tradeRoute, kind: this.kinds.trade, agentId, input }, reply, query.dryRun);
  }

  @Serves(unwrapRoute)
  async unwrap(
    @Input() { query, body }: InputOf<typeof unwrapRoute>,
    @Caller() { agentId }: Bearer,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Answer> {
    const input: RequestInput = body?.amount === undefined ? {} : { amount: body.amount };
    const order = { contract: unwrapRoute, kind: this.kinds.unwrap, agentId, input };
    return this.requests.answer(order, reply, query.dryRun);
  }
}
