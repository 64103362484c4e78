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

/** How a request of an agent is made. */
export interface RequestOptions {
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

/** What an agent does with prediction markets. */
export class PredictionClient {
  constructor(private readonly call: Call) {}

  /** Anything that is listed: `categories`, `events?limit=2` … */
  read<Data = Record<string, unknown>>(path: string): Promise<ClientResponse<Data>> {
    return this.call(`/predictions/${path}`);
  }

  /** A page of markets. */
  markets(query = ''): Promise<ClientResponse<{ readonly markets: readonly ListedMarket[]; readonly cursor: string }>> {
    return this.read(`markets${query}`);
  }

  /** One market. */
  market(ticker: string): Promise<ClientResponse<{ readonly market: MarketDetail }>> {
    return this.read(`markets/${ticker}`);
  }

  /** What is bid in a market. */
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

  /** What a purchase would come to. */
  dryBuy(order: ContractOrder): Promise<ClientResponse<BuyResult & DryRun>> {
    return this.call('/predictions/buy?dryRun=true', { body: order });
  }

  /** Sells contracts. */
  sell(order: ContractOrder, idempotencyKey?: string): Promise<ClientResponse<Repeated<SellResult>>> {
    return this.call('/predictions/sell', { body: order, headers: keyed(idempotencyKey) });
  }

  /** What a sale would come to. */
  drySell(order: ContractOrder): Promise<ClientResponse<SellResult & DryRun>> {
    return this.call('/predictions/sell?dryRun=true', { body: order });
  }

  /** Moves prediction balance to the wallet. */
  withdraw(amountDollars: number, idempotencyKey?: string): Promise<ClientResponse<Repeated<WithdrawResult>>> {
    return this.call('/predictions/withdraw', { body: { amountDollars }, headers: keyed(idempotencyKey) });
  }

  /** The prediction balance. */
  balance(): Promise<ClientResponse<PredictionBalance>> {
    return this.read('balance');
  }

  /** What the agent holds and held. */
  positions(query = ''): Promise<ClientResponse<Positions>> {
    return this.read(`positions${query}`);
  }

  /** Past orders. */
  orders(query = ''): Promise<ClientResponse<{ readonly orders: readonly PastOrder[]; readonly cursor: string }>> {
    return this.read(`orders${query}`);
  }
}

function keyed(idempotencyKey: string | undefined): Record<string, string> {
  return idempotencyKey ? { 'idempotency-key': idempotencyKey } : {};
}
