import { Controller, Inject, Res } from '@nestjs/common';
import { orderAnswer } from '../../application/answers/order-answer.js';
import { positionsAnswer, predictionBalanceAnswer } from '../../application/answers/position-answer.js';
import type { NumberText } from '../../domain/request-hash.js';
import type { PredictionService } from '../../ports/prediction-service.js';
import type { Bearer } from '../bearer-token.js';
import {
  buyRoute,
  ordersRoute,
  positionsRoute,
  predictionBalanceRoute,
  sellRoute,
  withdrawRoute,
} from '../contract/prediction-routes.js';
import type { InputOf } from '../contract/route.js';
import type { Answer } from '../envelope.js';
import type { FastifyReply } from '../fastify-types.js';
import type { FinancialRequests } from '../financial-requests.js';
import { Caller, Input, Serves } from '../serves.js';
import { TOKENS } from '../tokens.js';
import type { ActionKinds } from './actions-controller.js';

/** An agent's orders, positions and prediction money. */
@Controller()
export class PredictionsController {
  constructor(
    @Inject(TOKENS.prediction) private readonly prediction: PredictionService,
    @Inject(TOKENS.financialRequests) private readonly requests: FinancialRequests,
    @Inject(TOKENS.kinds) private readonly kinds: ActionKinds,
  ) {}

  @Serves(buyRoute)
  buy(
    @Input() { query, body }: InputOf<typeof buyRoute>,
    @Caller() { agentId }: Bearer,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Answer> {
    const { ticker, side, count, maxPriceCents } = body;
    const input = { ticker, side, count: numberText(count), ...given('maxPriceCents', maxPriceCents) };
    return this.requests.answer({ contract: buyRoute, kind: this.kinds.buy, agentId, input }, reply, query.dryRun);
  }

  @Serves(sellRoute)
  sell(
    @Input() { query, body }: InputOf<typeof sellRoute>,
    @Caller() { agentId }: Bearer,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Answer> {
    const { ticker, side, count, minPriceCents } = body;
    const input = { ticker, side, count: numberText(count), ...given('minPriceCents', minPriceCents) };
    return this.requests.answer({ contract: sellRoute, kind: this.kinds.sell, agentId, input }, reply, query.dryRun);
  }

  @Serves(withdrawRoute)
  withdraw(
    @Input() { body }: InputOf<typeof withdrawRoute>,
    @Caller() { agentId }: Bearer,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Answer> {
    const input = { amountDollars: body.amountDollars };
    return this.requests.run({ contract: withdrawRoute, kind: this.kinds.withdraw, agentId, input }, reply);
  }

  @Serves(positionsRoute)
  async positions(@Input() { query }: InputOf<typeof positionsRoute>, @Caller() { agentId }: Bearer): Promise<Answer> {
    const positions = await this.prediction.positions({ agentId, settled: query.settled });
    return { message: 'Positions.', data: positionsAnswer(positions) };
  }

  @Serves(ordersRoute)
  async orders(@Input() { query }: InputOf<typeof ordersRoute>, @Caller() { agentId }: Bearer): Promise<Answer> {
    const { orders, cursor } = await this.prediction.orders({ agentId, ...query });
    return { message: 'Orders.', data: { orders: orders.map(orderAnswer), cursor } };
  }

  @Serves(predictionBalanceRoute)
  async balance(
    @Input() _input: InputOf<typeof predictionBalanceRoute>,
    @Caller() { agentId }: Bearer,
  ): Promise<Answer> {
    return { message: 'Prediction balance.', data: predictionBalanceAnswer(await this.prediction.balance(agentId)) };
  }
}

function numberText(value: number): NumberText {
  return { numberText: String(value) };
}

/** A field that the caller may have left out. */
function given(name: string, value: number | undefined): Record<string, NumberText> {
  return value === undefined ? {} : { [name]: numberText(value) };
}
