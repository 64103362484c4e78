import { createPrivateKey, type KeyObject } from 'node:crypto';
import type { Clock, Secret } from '@agent-wallet/kernel';
import { type Database, type Logger, stopInOrder } from '@agent-wallet/platform';
import type { CatalogSource } from '../../ports/catalog.js';
import type { Exchange } from '../../ports/exchange.js';
import { EndpointCosts } from './endpoint-costs.js';
import { HintSocket } from './hint-socket.js';
import { KalshiCatalog } from './kalshi-catalog.js';
import { KalshiExchange } from './kalshi-exchange.js';
import { KalshiHttp } from './kalshi-http.js';
import { KalshiReader } from './kalshi-reader.js';
import { OrderSender } from './order-sender.js';
import { startQuotaRefresh } from './quota-refresh.js';
import { ReadQuota } from './read-quota.js';
import { PostgresExchangeQuota } from './postgres-exchange-quota.js';
import { WriteQueue } from './write-queue.js';

/** Settings of the exchange to open. */
interface ExchangeOptions {
  /** With the API's prefix: `https://…/trade-api/v2`. */
  readonly baseUrl: string;
  /** The stream's; derived from the base URL when omitted. */
  readonly wsUrl?: string | undefined;
  readonly apiKeyId: string;
  /** The RSA key as PEM. */
  readonly privateKey: Secret<string>;
  /** The migrated schema, in which all copies share the quota. */
  readonly database: Pick<Database, 'pool'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The exchange, opened. */
export interface OpenExchange {
  readonly exchange: Exchange;
  readonly catalog: CatalogSource;
  /** Gives back turns, and breaks off what is under way: an order then is `unknown`. */
  close(): Promise<void>;
}

/** Start of the real exchange's REST host name; its stream has a host of its own. */
const REST_HOST = /^external-api\./;
const STREAM_PATH = '/trade-api/ws/v2';

/** Opens the exchange; asks it for our quota in the background. @throws TypeError for a bad address or key */
export function openExchange(options: ExchangeOptions): OpenExchange {
  const { baseUrl, clock, logger } = options;
  const key = { id: options.apiKeyId, privateKey: rsaKey(options.privateKey) };
  const http = new KalshiHttp({ baseUrl, key, clock });
  const costs = new EndpointCosts();
  const quota = new PostgresExchangeQuota(options.database.pool);
  const queue = new WriteQueue({ quota, logger });
  const reader = new KalshiReader({ http, quota: new ReadQuota(quota), costs, logger });
  const sender = new OrderSender({ http, queue, costs, logger });
  const refresh = startQuotaRefresh({ reader, quota, costs, logger });
  const hints = new HintSocket({ url: options.wsUrl ?? streamOf(baseUrl), key, clock, logger });
  return {
    exchange: new KalshiExchange({ reader, sender, hints, clock }),
    catalog: new KalshiCatalog({ reader, clock }),
    close: () =>
      stopInOrder(
        () => hints.close(),
        () => queue.close(),
        () => http.close(),
        () => refresh.stop(),
      ),
  };
}

/** Returns the stream's address that goes with an API address. */
export function streamOf(baseUrl: string): string {
  const url = new URL(baseUrl);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  url.hostname = url.hostname.replace(REST_HOST, 'external-api-ws.');
  url.pathname = STREAM_PATH;
  url.search = '';
  return url.toString();
}

function rsaKey(pem: Secret<string>): KeyObject {
  const key = createPrivateKey(pem.reveal());
  if (key.asymmetricKeyType !== 'rsa') throw new TypeError('the key of the exchange must be an RSA key');
  return key;
}
