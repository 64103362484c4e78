import { Controller, Inject } from '@nestjs/common';
import { orderResponse } from '../../application/responses/order-response.js';
import { positionsResponse, predictionBalanceResponse } from '../../application/responses/position-response.js';
import { PredictionService } from '../../ports/services.js';
import type { Bearer } from '../bearer-token.js';
import { ordersRoute, positionsRoute, predictionBalanceRoute } from '../contract/prediction-routes.js';
import type { InputOf } from '../contract/route.js';
import type { HandlerResponse } from '../envelope.js';
import { Caller, Input, Serves } from '../serves.js';

/** An agent's orders, positions and prediction money. */
@Controller()
export class PredictionsController {
  constructor(@Inject(PredictionService) private readonly prediction: PredictionService) {}

  @Serves(positionsRoute)
  async positions(
    @Input() { query }: InputOf<typeof positionsRoute>,
    @Caller() { agentId }: Bearer,
  ): Promise<HandlerResponse> {
    const positions = await this.prediction.positions({ agentId, settled: query.settled });
    return { message: 'Positions.', data: positionsResponse(positions) };
  }

  @Serves(ordersRoute)
  async orders(
    @Input() { query }: InputOf<typeof ordersRoute>,
    @Caller() { agentId }: Bearer,
  ): Promise<HandlerResponse> {
    const { orders, cursor } = await this.prediction.orders({ agentId, ...query });
    return { message: 'Orders.', data: { orders: orders.map(orderResponse), cursor } };
  }

  @Serves(predictionBalanceRoute)
  async balance(@Caller() { agentId }: Bearer): Promise<HandlerResponse> {
    return { message: 'Prediction balance.', data: predictionBalanceResponse(await this.prediction.balance(agentId)) };
  }
}
