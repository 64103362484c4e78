import type { ClientResponse } from './client-response.js';
import type { DryRun } from './api-bodies.js';
import type {
  BookLevel,
  BuyResult,
  ListedMarket,
  MarketDetail,
  PastOrder,
  Positions,
  PredictionBalance,
  Repeated,
  SellResult,
  WithdrawResult,
} from './prediction-bodies.js';

/** Options of an agent's request. */
interface RequestOptions {
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

/** Makes a request in an agent's name. */
export type Call = <Data>(path: string, options?: RequestOptions) => Promise<ClientResponse<Data>>;

/** Contracts as an agent asks for them. */
export interface ContractOrder {
  readonly ticker: string;
  readonly side: 'yes' | 'no';
  readonly count: number;
  readonly maxPriceCents?: number;
  readonly minPriceCents?: number;
}

/** An agent's calls to prediction markets. */
export class PredictionClient {
  constructor(private readonly call: Call) {}

  /** Reads any listing: `categories`, `events?limit=2` … */
  read<Data = Record<string, unknown>>(path: string): Promise<ClientResponse<Data>> {
    return this.call(`/predictions/${path}`);
  }

  /** Lists a page of markets. */
  markets(query = ''): Promise<ClientResponse<{ readonly markets: readonly ListedMarket[]; readonly cursor: string }>> {
    return this.read(`markets${query}`);
  }

  /** Gets one market. */
  market(ticker: string): Promise<ClientResponse<{ readonly market: MarketDetail }>> {
    return this.read(`markets/${ticker}`);
  }

  /** Gets the order book of a market. */
  orderbook(
    ticker: string,
    query = '',
  ): Promise<ClientResponse<{ readonly yes: readonly BookLevel[]; readonly no: readonly BookLevel[] }>> {
    return this.read(`markets/${ticker}/orderbook${query}`);
  }

  /** Buys contracts. */
  buy(order: ContractOrder, idempotencyKey?: string): Promise<ClientResponse<Repeated<BuyResult>>> {
    return this.call('/predictions/buy', { body: order, headers: keyed(idempotencyKey) });
  }

  /** Runs a purchase as a dry run. */
  dryBuy(order: ContractOrder): Promise<ClientResponse<BuyResult & DryRun>> {
    return this.call('/predictions/buy?dryRun=true', { body: order });
  }

  /** Sells contracts. */
  sell(order: ContractOrder, idempotencyKey?: string): Promise<ClientResponse<Repeated<SellResult>>> {
    return this.call('/predictions/sell', { body: order, headers: keyed(idempotencyKey) });
  }

  /** Runs a sale as a dry run. */
  drySell(order: ContractOrder): Promise<ClientResponse<SellResult & DryRun>> {
    return this.call('/predictions/sell?dryRun=true', { body: order });
  }

  /** Moves prediction balance to the wallet. */
  withdraw(amountDollars: number, idempotencyKey?: string): Promise<ClientResponse<Repeated<WithdrawResult>>> {
    return this.call('/predictions/withdraw', { body: { amountDollars }, headers: keyed(idempotencyKey) });
  }

  /** Gets the prediction balance. */
  balance(): Promise<ClientResponse<PredictionBalance>> {
    return this.read('balance');
  }

  /** Lists the agent's present and past positions. */
  positions(query = ''): Promise<ClientResponse<Positions>> {
    return this.read(`positions${query}`);
  }

  /** Lists past orders. */
  orders(query = ''): Promise<ClientResponse<{ readonly orders: readonly PastOrder[]; readonly cursor: string }>> {
    return this.read(`orders${query}`);
  }
}

function keyed(idempotencyKey: string | undefined): Record<string, string> {
  return idempotencyKey ? { 'idempotency-key': idempotencyKey } : {};
}
