import { callJson } from './http-json.js';
import type { ClientResponse, Envelope, HistoryPage, Repeated, Schemas } from './responses.js';
import type { SandboxClient } from './sandbox-client.js';

/** Fields of a request: those with a default may be left out. */
type Order<Request, Required extends keyof Request> = Partial<Request> & Pick<Request, Required>;

export type TransferOrder = Order<Schemas['TransferRequest'], 'to' | 'amount'>;
export type TradeOrder = Order<Schemas['TradeRequest'], 'from' | 'to' | 'amount'>;
export type AddOrder = Order<Schemas['AddLiquidityRequest'], 'pool' | 'token' | 'amount'>;
export type RemoveOrder = Order<Schemas['RemoveLiquidityRequest'], 'positionId'>;

/** Options of an agent's request. */
interface RequestOptions {
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

type Answer<Data> = Promise<ClientResponse<Data>>;
type Result<Name extends keyof Schemas> = Answer<Repeated<Schemas[Name]>>;
type Dry<Name extends keyof Schemas> = Answer<Schemas[Name]>;

/** An agent with a session at the public API. Its calls return every status as it is: `@agent-wallet/sdk` repeats and throws. */
export class AgentClient {
  private constructor(
    readonly baseUrl: string,
    readonly email: string,
    readonly token: string,
    /** The agent's wallet. */
    readonly address: string,
  ) {}

  /** Logs in by a login code, read from the sandbox's inbox. */
  static async logIn(baseUrl: string, sandbox: SandboxClient, email: string): Promise<AgentClient> {
    const started = await callJson<Envelope<Schemas['StartedLogin']>>(`${baseUrl}/connect/start`, { body: { email } });
    if (started.status !== 200) throw new Error(`no otp was sent: ${JSON.stringify(started.body)}`);
    const body = { email, otpId: started.body.data.otpId, otpCode: await sandbox.otp(email) };
    const done = await callJson<Envelope<Schemas['CompletedLogin']>>(`${baseUrl}/connect/complete`, { body });
    if (done.status !== 200) throw new Error(`the login failed: ${JSON.stringify(done.body)}`);
    return new AgentClient(baseUrl, email, done.body.data.sessionToken, done.body.data.chainAddress);
  }

  /** Creates a client with the same session at another copy of the gateway. */
  at(baseUrl: string): AgentClient {
    return new AgentClient(baseUrl, this.email, this.token, this.address);
  }

  /** Creates a client of the same agent with another token. */
  as(token: string): AgentClient {
    return new AgentClient(this.baseUrl, this.email, token, this.address);
  }

  /** Opens a scoped token. */
  openToken(body: object): Dry<'OpenedToken'> {
    return this.#call('/wallets/me/tokens', { body });
  }

  /** Lists the live scoped tokens. */
  tokens(): Dry<'TokenList'> {
    return this.#call('/wallets/me/tokens');
  }

  /** Ends a scoped token. */
  endToken(id: string): Dry<'EndedToken'> {
    return this.#call(`/wallets/me/tokens/${id}`, { method: 'DELETE' });
  }

  /** Gets the balances of the wallet. */
  balances(): Dry<'Balances'> {
    return this.#call('/wallets/me/balances');
  }

  /** Lists the newest records of an action, a hundred at most; `offset` skips records that are newer still. */
  history(action: string, offset = 0): Answer<HistoryPage> {
    return this.#call(`/wallets/me/history?action=${action}&limit=100&offset=${offset}`);
  }

  /** Lists the newest transfers, a hundred at most. */
  transfers(): Answer<HistoryPage> {
    return this.history('transfer');
  }

  /** Gets the used part of the daily limit. */
  usage(): Dry<'PolicyUsage'> {
    return this.#call('/wallets/me/policy/usage');
  }

  /** Sends money. */
  transfer(order: TransferOrder, key?: string): Result<'TransferResult'> {
    return this.#act('/wallets/me/actions/transfer', order, key);
  }

  /** Runs a transfer as a dry run. */
  dryTransfer(order: TransferOrder): Dry<'TransferDryRun'> {
    return this.#act('/wallets/me/actions/transfer?dryRun=true', order);
  }

  /** Trades one token for another. */
  trade(order: TradeOrder, key?: string): Result<'TradeResult'> {
    return this.#act('/wallets/me/actions/trade', order, key);
  }

  /** Runs a trade as a dry run. */
  dryTrade(order: TradeOrder): Dry<'TradeDryRun'> {
    return this.#act('/wallets/me/actions/trade?dryRun=true', order);
  }

  /** Lists pools, by query. */
  pools(query = ''): Dry<'PoolPage'> {
    return this.#call(`/liquidity/pools${query}`);
  }

  /** Gets one pool. */
  pool(pool: string): Dry<'Pool'> {
    return this.#call(`/liquidity/pools/${pool}`);
  }

  /** Lists the agent's positions. */
  positions(): Dry<'LiquidityPositions'> {
    return this.#call('/liquidity/positions');
  }

  /** Adds liquidity to a pool. */
  addLiquidity(order: AddOrder, key?: string): Result<'AddLiquidityResult'> {
    return this.#act('/wallets/me/actions/liquidity/add', order, key);
  }

  /** Runs an addition as a dry run. */
  dryAddLiquidity(order: AddOrder): Dry<'AddLiquidityDryRun'> {
    return this.#act('/wallets/me/actions/liquidity/add?dryRun=true', order);
  }

  /** Removes liquidity from a pool. */
  removeLiquidity(order: RemoveOrder, key?: string): Result<'RemoveLiquidityResult'> {
    return this.#act('/wallets/me/actions/liquidity/remove', order, key);
  }

  /** Runs a removal as a dry run. */
  dryRemoveLiquidity(order: RemoveOrder): Dry<'RemoveLiquidityDryRun'> {
    return this.#act('/wallets/me/actions/liquidity/remove?dryRun=true', order);
  }

  /** Makes SOL of wrapped SOL: all of it, without an amount. */
  unwrap(order: Schemas['UnwrapSolRequest'] = {}): Result<'UnwrapSolResult'> {
    return this.#act('/wallets/me/actions/unwrap-sol', order);
  }

  /** Runs an unwrap as a dry run. */
  dryUnwrap(order: Schemas['UnwrapSolRequest'] = {}): Dry<'UnwrapSolDryRun'> {
    return this.#act('/wallets/me/actions/unwrap-sol?dryRun=true', order);
  }

  /** Gets the facts about a token, by symbol or mint. */
  tokenFacts(query: string): Dry<'Token'> {
    return this.#call(`/tokens/${encodeURIComponent(query)}`);
  }

  /** Gets the policy in force. */
  policy(): Dry<'PolicyResult'> {
    return this.#call('/wallets/me/policy');
  }

  /** Changes the policy. */
  patchPolicy(change: Record<string, unknown>): Answer<unknown> {
    return this.#call('/wallets/me/policy', { method: 'PATCH', body: change });
  }

  /** Ends the session. */
  logOut(): Answer<unknown> {
    return this.#call('/connect/logout', { body: {} });
  }

  /** Prediction markets. */
  readonly predictions = {
    /** Reads any listing: `categories`, `events?limit=2` … */
    read: <Data = Record<string, unknown>>(path: string): Answer<Data> => this.#call(`/predictions/${path}`),
    markets: (query = ''): Dry<'MarketPage'> => this.#call(`/predictions/markets${query}`),
    market: (ticker: string): Dry<'MarketResult'> => this.#call(`/predictions/markets/${ticker}`),
    orderbook: (ticker: string, query = ''): Dry<'Orderbook'> =>
      this.#call(`/predictions/markets/${ticker}/orderbook${query}`),
    buy: (order: Schemas['BuyContractsRequest'], key?: string): Result<'BuyContractsResult'> =>
      this.#act('/predictions/buy', order, key),
    dryBuy: (order: Schemas['BuyContractsRequest']): Dry<'BuyContractsDryRun'> =>
      this.#act('/predictions/buy?dryRun=true', order),
    sell: (order: Schemas['SellContractsRequest'], key?: string): Result<'SellContractsResult'> =>
      this.#act('/predictions/sell', order, key),
    drySell: (order: Schemas['SellContractsRequest']): Dry<'SellContractsDryRun'> =>
      this.#act('/predictions/sell?dryRun=true', order),
    withdraw: (amountDollars: number, key?: string): Result<'WithdrawalResult'> =>
      this.#act('/predictions/withdraw', { amountDollars }, key),
    balance: (): Dry<'PredictionBalance'> => this.#call('/predictions/balance'),
    positions: (query = ''): Dry<'PositionsResult'> => this.#call(`/predictions/positions${query}`),
    orders: (query = ''): Dry<'OrderPage'> => this.#call(`/predictions/orders${query}`),
  };

  #act<Data>(path: string, body: object, key?: string): Answer<Data> {
    return this.#call(path, { body, headers: key ? { 'idempotency-key': key } : {} });
  }

  #call<Data>(path: string, options: RequestOptions = {}): Answer<Data> {
    const headers = { ...options.headers, authorization: `Bearer ${this.token}` };
    return callJson(this.baseUrl + path, { ...options, headers });
  }
}
