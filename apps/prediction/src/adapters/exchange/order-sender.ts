import { countText, createOrderResponse, type CreateOrderBody, priceText, readKalshiError } from '@agent-wallet/kalshi';
import type { Logger } from '@agent-wallet/platform';
import type { NewOrder, Placement, SlotRequest } from '../../ports/exchange.js';
import type { EndpointCosts } from './endpoint-costs.js';
import { type KalshiResponse, type KalshiHttp, NoResponse } from './kalshi-http.js';
import type { WriteQueue } from './write-queue.js';

/** Dependencies of the order sender. */
interface OrderSenderDependencies {
  readonly http: Pick<KalshiHttp, 'call'>;
  readonly queue: Pick<WriteQueue, 'take' | 'pause'>;
  readonly costs: Pick<EndpointCosts, 'of'>;
  readonly logger: Logger;
  /** Time limit of a response; 10 s when omitted. */
  readonly timeoutMs?: number;
}

const PATH = '/portfolio/events/orders';
const DEFAULT_TIMEOUT_MS = 10_000;
const ALREADY_EXISTS = 'order_already_exists';
const REQUEST_TIMEOUT = 408;
const TOO_MANY_REQUESTS = 429;

/** Sends orders, each when its turn comes. */
export class OrderSender {
  constructor(private readonly dependencies: OrderSenderDependencies) {}

  /** Sends an order, as the port's `placeOrder` describes. */
  async send(order: NewOrder, slot: SlotRequest): Promise<Placement> {
    const { queue, costs } = this.dependencies;
    const body = JSON.stringify(bodyOf(order));
    let tag: string | undefined;
    for (;;) {
      const wanted = { ...slot, cost: costs.of('POST', PATH), ...(tag === undefined ? {} : { tag }) };
      const given = await queue.take(wanted);
      // A replica that was held up since may have lost the operation: another one goes on with it.
      if (!given || slot.signal.aborted) return { kind: 'unsent' };
      const answer = await this.#post(body);
      if ('kind' in answer) return answer;
      if (answer.status !== TOO_MANY_REQUESTS) return this.#placement(order, answer);
      // It was not let in: the same order again, in its old place, once all of us have been quiet for a moment.
      await queue
        .pause()
        .catch((err: unknown) =>
          this.dependencies.logger.warn({ event: 'exchange_queue.pause_failed', err }, 'Order queue not paused'),
        );
      tag = given.tag;
    }
  }

  async #post(body: string): Promise<KalshiResponse | Placement> {
    const { http, timeoutMs = DEFAULT_TIMEOUT_MS } = this.dependencies;
    try {
      return await http.call({ path: PATH, body, isSigned: true, timeoutMs });
    } catch (cause) {
      return cause instanceof NoResponse && cause.isUnsent ? { kind: 'unsent' } : { kind: 'unknown', cause };
    }
  }

  #placement(order: NewOrder, { status, body }: KalshiResponse): Placement {
    if (status === 200 || status === 201) return accepted(order, body);
    const upstreamError = readKalshiError(body);
    this.dependencies.logger.warn({ event: 'order.rejected', status, upstreamError }, 'Exchange rejected the order');
    if (status === 409 && upstreamError.code === ALREADY_EXISTS) return { kind: 'exists' };
    if (status >= 400 && status < 500 && status !== REQUEST_TIMEOUT) {
      return { kind: 'rejected', code: upstreamError.code || `http_${status}`, status };
    }
    return { kind: 'unknown', cause: new Error(`the exchange answered an order with HTTP status ${status}`) };
  }
}

/** Reads a successful response. One about another order proves nothing about this one. */
function accepted({ clientOrderId, count }: NewOrder, body: unknown): Placement {
  const { success, data, error } = createOrderResponse.safeParse(body);
  if (!success) return { kind: 'unknown', cause: error };
  const isOurs = data.clientOrderId === '' || data.clientOrderId === clientOrderId;
  if (isOurs && data.filled <= count) return { kind: 'accepted', orderId: data.orderId, filled: data.filled };
  return { kind: 'unknown', cause: new Error('the exchange answered an order with what was not ordered') };
}

function bodyOf({ ticker, exchangeIndex, side, count, priceUsdMicros, clientOrderId }: NewOrder): CreateOrderBody {
  return {
    ticker,
    side,
    count: countText(count),
    price: priceText(priceUsdMicros),
    time_in_force: 'immediate_or_cancel',
    self_trade_prevention_type: 'taker_at_cross',
    client_order_id: clientOrderId,
    exchange_index: exchangeIndex,
  };
}
