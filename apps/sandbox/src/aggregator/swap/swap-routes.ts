import type { JsonRoute } from '../../http/json-server.js';
import type { AggregatorContext } from '../aggregator-context.js';
import { execute } from './execute.js';
import { FeeSchedule } from './network-fees.js';
import { OrderBook } from './order-book.js';
import { giveOrder } from './orders.js';

/** Both generations of the API serve the same orders. */
const BASES = ['/swap/v2', '/ultra/v1'];

const ROUTER_NAMES = [
  { id: 'metis', name: 'Metis', icon: '' },
  { id: 'jupiterz', name: 'JupiterZ', icon: '' },
];

/** Orders, their execution, and the routers that compete for them. */
export function swapRoutes(context: AggregatorContext): JsonRoute[] {
  const { chain } = context;
  const book = new OrderBook(() => chain.clock.nowMs());
  // Begins where no order of an earlier run in this world can still be alive.
  const fees = new FeeSchedule(chain.genesis.seed, chain.clock.position().height);
  const swapping = { ...context, book, fees };
  return [
    { method: 'GET', path: '/ultra/v1/order/routers', answer: () => ({ body: ROUTER_NAMES }) },
    ...BASES.flatMap((base): JsonRoute[] => [
      { method: 'GET', path: `${base}/order`, answer: (request) => giveOrder(swapping, request) },
      { method: 'POST', path: `${base}/execute`, answer: (request) => execute(swapping, request) },
    ]),
  ];
}
