import { type AppError, systemClock } from '@agent-wallet/kernel';
import { silent } from '@agent-wallet/platform/testing';
import { EndpointCosts } from '../src/adapters/exchange/endpoint-costs.js';
import { KalshiExchange } from '../src/adapters/exchange/kalshi-exchange.js';
import { KalshiHttp } from '../src/adapters/exchange/kalshi-http.js';
import { KalshiReader } from '../src/adapters/exchange/kalshi-reader.js';
import { OrderSender } from '../src/adapters/exchange/order-sender.js';
import type { QueuedOrder } from '../src/adapters/exchange/write-queue.js';
import { testKey } from './kalshi-server.js';

/** The exchange's adapter with a queue that a test leads. */
export interface AdapterUnderTest {
  readonly exchange: KalshiExchange;
  readonly reader: KalshiReader;
  readonly costs: EndpointCosts;
  readonly http: KalshiHttp;
  /** Buckets that were paused. */
  readonly pauses: string[];
  /** Turns that were asked for. */
  readonly turns: QueuedOrder[];
  /** How many more turns the queue gives. */
  slotsLeft: number;
  /** Called when a turn has come. */
  onSlot: () => void;
  nowMs: number;
}

export function openAdapter(baseUrl: string, timeoutMs = 10_000): AdapterUnderTest {
  const clock = { nowMs: () => test.nowMs };
  const pauses: string[] = [];
  const turns: QueuedOrder[] = [];
  const costs = new EndpointCosts();
  const http = new KalshiHttp({ baseUrl, key: testKey, clock: systemClock });
  const quota = { take: async () => undefined, pause: async () => void pauses.push('read') };
  const reader = new KalshiReader({ http, quota, costs, logger: silent });
  const queue = {
    take: async (wanted: QueuedOrder) => {
      turns.push(wanted);
      test.slotsLeft -= 1;
      test.onSlot();
      return test.slotsLeft < 0 ? undefined : { tag: String(turns.length) };
    },
    pause: async () => void pauses.push('write'),
  };
  const sender = new OrderSender({ http, queue, costs, logger: silent, timeoutMs });
  const exchange = new KalshiExchange({ reader, sender, hints: { onHint: () => undefined }, clock });
  const led = { slotsLeft: 10, onSlot: () => {}, nowMs: 1_000_000 };
  const test: AdapterUnderTest = { exchange, reader, costs, http, pauses, turns, ...led };
  return test;
}

export const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => 'none',
    (error: AppError) => error.code,
  );
