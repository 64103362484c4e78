import type { Server } from 'node:http';
import { createJsonServer, type JsonReply, type JsonRoute, type RequestHead } from '../../http/json-server.js';
import { exchangeFailure } from './exchange-error.js';

export const EXCHANGE_PREFIX = '/trade-api/v2';

/** What the exchange serves. */
interface ExchangeServers {
  /** Market data, portfolio, account: paths without the API's prefix. */
  readonly routes: readonly JsonRoute[];
  /** Signatures, rate buckets and faults of the front; a reply ends the request. The head's path has the prefix. */
  readonly admit: (head: RequestHead) => JsonReply | undefined | Promise<JsonReply | undefined>;
}

/** The exchange's REST API. */
export function createExchangeServer({ routes, admit }: ExchangeServers): Server {
  return createJsonServer({
    routes: routes.map((route) => ({ ...route, path: EXCHANGE_PREFIX + route.path })),
    before: admit,
    failure: exchangeFailure,
  });
}
