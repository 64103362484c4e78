import type { ClientResponse } from './client-response.js';
import type {
  AdditionData,
  AdditionResult,
  Balances,
  DryRun,
  Envelope,
  HistoryPage,
  OperationResult,
  Pool,
  Positions,
  RemovalData,
  RemovalResult,
  Session,
  StartedLogin,
  TokenFacts,
  TradeData,
  TradeResult,
  TransferData,
  TransferResult,
  Usage,
} from './api-bodies.js';
import { callJson } from './http-json.js';
import { type Call, PredictionClient } from './prediction-client.js';
import type { SandboxClient } from './sandbox-client.js';

/** A transfer as an agent asks for it. */
export interface TransferOrder {
  readonly to: string;
  readonly amount: number;
  readonly mint?: string;
  readonly memo?: string;
}

/** A trade as an agent asks for it. */
export interface TradeOrder {
  readonly from: string;
  readonly to: string;
  readonly amount: number;
  readonly slippageBps?: number;
  readonly allowRisky?: boolean;
  readonly maxPriceImpactPercent?: number;
  readonly allowUnpricedOutput?: boolean;
}

/** An addition of liquidity as an agent asks for it. */
export interface AddOrder {
  readonly pool: string;
  readonly token: string;
  readonly amount: number;
  readonly maxOtherAmount?: number;
  readonly slippageBps?: number;
}

/** A removal of liquidity as an agent asks for it. */
export interface RemoveOrder {
  readonly positionId: string;
  readonly percent?: number;
  readonly liquidityRaw?: string;
  readonly slippageBps?: number;
}

/** An agent with a session at the public API. */
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
    const started = await callJson<Envelope<StartedLogin>>(`${baseUrl}/connect/start`, { body: { email } });
    if (started.status !== 200) throw new Error(`no otp was sent: ${JSON.stringify(started.body)}`);
    const body = { email, otpId: started.body.data.otpId, otpCode: await sandbox.otp(email) };
    const done = await callJson<Envelope<Session>>(`${baseUrl}/connect/complete`, { body });
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
  openToken(
    body: object,
  ): Promise<ClientResponse<{ readonly token: { readonly id: string }; readonly sessionToken: string }>> {
    return this.#call('/wallets/me/tokens', { body });
  }

  /** Lists the live scoped tokens. */
  tokens(): Promise<
    ClientResponse<{ readonly tokens: ReadonlyArray<{ readonly id: string; readonly usedUsd: number }> }>
  > {
    return this.#call('/wallets/me/tokens');
  }

  /** Ends a scoped token. */
  endToken(id: string): Promise<ClientResponse<{ readonly ended: boolean }>> {
    return this.#call(`/wallets/me/tokens/${id}`, { method: 'DELETE' });
  }

  /** Prediction markets. */
  get predictions(): PredictionClient {
    const call: Call = (path, options) => this.#call(path, options);
    return new PredictionClient(call);
  }

  /** Gets the balances of the wallet. */
  balances(): Promise<ClientResponse<Balances>> {
    return this.#call('/wallets/me/balances');
  }

  /** Lists the newest records of an action, a hundred at most; `offset` skips records that are newer still. */
  history(action: string, offset = 0): Promise<ClientResponse<HistoryPage>> {
    return this.#call(`/wallets/me/history?action=${action}&limit=100&offset=${offset}`);
  }

  /** Lists the newest transfers, a hundred at most. */
  transfers(): Promise<ClientResponse<HistoryPage>> {
    return this.history('transfer');
  }

  /** Gets the used part of the daily limit. */
  usage(): Promise<ClientResponse<Usage>> {
    return this.#call('/wallets/me/policy/usage');
  }

  /** Sends money. */
  transfer(order: TransferOrder, idempotencyKey?: string): Promise<ClientResponse<TransferData>> {
    const headers: Record<string, string> = idempotencyKey ? { 'idempotency-key': idempotencyKey } : {};
    return this.#call('/wallets/me/actions/transfer', { body: order, headers });
  }

  /** Runs a transfer as a dry run. */
  dryTransfer(order: TransferOrder): Promise<ClientResponse<TransferResult & DryRun>> {
    return this.#call('/wallets/me/actions/transfer?dryRun=true', { body: order });
  }

  /** Trades one token for another. */
  trade(order: TradeOrder, idempotencyKey?: string): Promise<ClientResponse<TradeData>> {
    const headers: Record<string, string> = idempotencyKey ? { 'idempotency-key': idempotencyKey } : {};
    return this.#call('/wallets/me/actions/trade', { body: order, headers });
  }

  /** Runs a trade as a dry run. */
  dryTrade(order: TradeOrder): Promise<ClientResponse<TradeResult & DryRun>> {
    return this.#call('/wallets/me/actions/trade?dryRun=true', { body: order });
  }

  /** Lists pools, by query. */
  pools(query = ''): Promise<ClientResponse<{ readonly pools: readonly Pool[]; readonly cursor: string }>> {
    return this.#call(`/liquidity/pools${query}`);
  }

  /** Gets one pool. */
  pool(pool: string): Promise<ClientResponse<Pool>> {
    return this.#call(`/liquidity/pools/${pool}`);
  }

  /** Lists the agent's positions. */
  positions(): Promise<ClientResponse<Positions>> {
    return this.#call('/liquidity/positions');
  }

  /** Adds liquidity to a pool. */
  addLiquidity(order: AddOrder, idempotencyKey?: string): Promise<ClientResponse<AdditionData>> {
    const headers: Record<string, string> = idempotencyKey ? { 'idempotency-key': idempotencyKey } : {};
    return this.#call('/wallets/me/actions/liquidity/add', { body: order, headers });
  }

  /** Runs an addition as a dry run. */
  dryAddLiquidity(order: AddOrder): Promise<ClientResponse<AdditionResult & DryRun>> {
    return this.#call('/wallets/me/actions/liquidity/add?dryRun=true', { body: order });
  }

  /** Removes liquidity from a pool. */
  removeLiquidity(order: RemoveOrder, idempotencyKey?: string): Promise<ClientResponse<RemovalData>> {
    const headers: Record<string, string> = idempotencyKey ? { 'idempotency-key': idempotencyKey } : {};
    return this.#call('/wallets/me/actions/liquidity/remove', { body: order, headers });
  }

  /** Runs a removal as a dry run. */
  dryRemoveLiquidity(order: RemoveOrder): Promise<ClientResponse<RemovalResult & DryRun>> {
    return this.#call('/wallets/me/actions/liquidity/remove?dryRun=true', { body: order });
  }

  /** Makes SOL of wrapped SOL: all of it, without an amount. */
  unwrap(order: { readonly amount?: number } = {}): Promise<ClientResponse<OperationResult>> {
    return this.#call('/wallets/me/actions/unwrap-sol', { body: order });
  }

  /** Runs an unwrap as a dry run. */
  dryUnwrap(order: { readonly amount?: number } = {}): Promise<ClientResponse<OperationResult & DryRun>> {
    return this.#call('/wallets/me/actions/unwrap-sol?dryRun=true', { body: order });
  }

  /** Gets the facts about a token, by symbol or mint. */
  tokenFacts(query: string): Promise<ClientResponse<TokenFacts>> {
    return this.#call(`/tokens/${encodeURIComponent(query)}`);
  }

  /** Changes the policy. */
  patchPolicy(change: Record<string, unknown>): Promise<ClientResponse<unknown>> {
    return this.#call('/wallets/me/policy', { method: 'PATCH', body: change });
  }

  /** Ends the session. */
  logOut(): Promise<ClientResponse<unknown>> {
    return this.#call('/connect/logout', { body: {} });
  }

  #call<Data>(
    path: string,
    options: { method?: string; body?: unknown; headers?: Record<string, string> } = {},
  ): Promise<ClientResponse<Data>> {
    const headers = { ...options.headers, authorization: `Bearer ${this.token}` };
    return callJson(this.baseUrl + path, { ...options, headers });
  }
}
