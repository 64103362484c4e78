import { callJson, type JsonResponse } from './http-json.js';

/** A transaction as the sandbox's chain knows it. */
export interface LandedTransaction {
  readonly signature: string;
  readonly slot: number;
  readonly err: unknown;
}

/** A token account as the sandbox's chain knows it. */
interface TokenAccount {
  readonly address: string;
  readonly mint: string;
  /** Base units. */
  readonly raw: string;
  readonly owner: string;
  readonly delegate: string | null;
  readonly closeAuthority: string | null;
}

/** A fault for the sandbox to play. */
export interface Fault {
  readonly part: 'chain' | 'aggregator' | 'liquidity' | 'exchange' | 'mail';
  readonly fault: string;
  readonly times?: number;
  readonly match?: Record<string, string>;
  readonly delayMs?: number;
}

/** A market to add to the sandbox's exchange; prices are integer cents. */
export interface NewMarket {
  readonly ticker: string;
  readonly title: string;
  readonly yesBid: number;
  readonly yesAsk: number;
  /** Contracts on either side. */
  readonly size: number;
  readonly seriesTicker?: string;
  readonly eventTicker?: string;
  readonly closeTime?: string;
}

/** Bids of the market maker: cents and contracts. */
interface Quotes {
  readonly yesBids: ReadonlyArray<readonly [number, number]>;
  readonly noBids: ReadonlyArray<readonly [number, number]>;
}

/** The operator's account at the sandbox's exchange. */
interface ExchangeAccountState {
  readonly balanceDollars: string;
  readonly positions: ReadonlyArray<{ readonly ticker: string; readonly position: number | string }>;
  readonly orders: ReadonlyArray<Readonly<Record<string, unknown>>>;
  readonly fills: ReadonlyArray<Readonly<Record<string, unknown>>>;
}

/** A pool of liquidity. */
export interface LiquidityPool {
  readonly pool: string;
  readonly lpMint: string;
  readonly vaults: readonly [string, string];
  readonly config: string;
  readonly mint0: string;
  readonly mint1: string;
  readonly reserves: readonly [string, string];
  readonly lpSupply: string;
}

/** The sandbox's admin API: control of the simulated upstreams. */
export class SandboxClient {
  constructor(readonly adminUrl: string) {}

  /** Sends money of the faucet to an address, confirmed when this resolves. */
  async faucet(address: string, token: string, amount: number): Promise<string> {
    return (await this.#post<{ signature: string }>('/faucet', { address, token, amount })).signature;
  }

  /** Returns the newest login code mailed to an address. */
  async otp(email: string): Promise<string> {
    const { messages } = await this.#get<Inbox>(`/inbox?to=${encodeURIComponent(email)}`);
    const code = /\b\d{6}\b/.exec(messages[0]?.text ?? '')?.[0];
    if (!code) throw new Error(`no otp was mailed to ${email}`);
    return code;
  }

  /** Returns the texts of the notices mailed to an address, newest first. */
  async notices(email: string): Promise<string[]> {
    const { messages } = await this.#get<Inbox>(`/inbox?to=${encodeURIComponent(email)}&automatic=true`);
    return messages.map(({ text }) => text);
  }

  /** Returns every transaction that an address takes part in, failed ones too, newest first. */
  async transactions(address: string): Promise<LandedTransaction[]> {
    const path = `/chain/transactions?address=${address}`;
    return (await this.#get<{ transactions: LandedTransaction[] }>(path)).transactions;
  }

  /** Reads a balance in base units, straight from the chain's accounts. */
  async balanceRaw(address: string, token: string): Promise<bigint> {
    return BigInt((await this.#get<{ raw: string }>(`/chain/balance?address=${address}&token=${token}`)).raw);
  }

  /** Reads the token accounts of an owner, straight from the chain. */
  async accounts(owner: string): Promise<TokenAccount[]> {
    return (await this.#get<{ accounts: TokenAccount[] }>(`/chain/accounts?owner=${owner}`)).accounts;
  }

  /** Sets the price of a compute unit in each slot, in micro-lamports; 0 for a quiet market. */
  async setFeeMarket(market: {
    readonly priceMicroLamports: number;
    readonly spreadPercent?: number;
    readonly seed?: number;
  }): Promise<void> {
    await this.#post('/fee-market', market);
  }

  /** Moves the chain's clock. */
  async advanceClock(advanceSeconds: number): Promise<void> {
    await this.#post('/clock', { advanceSeconds });
  }

  /** Changes the rate of the rent. @returns the rent of an empty account */
  async setRent(lamportsPerByteYear: number): Promise<bigint> {
    const changed = await this.#post<{ emptyAccountLamports: number }>('/rent', { lamportsPerByteYear });
    return BigInt(changed.emptyAccountLamports);
  }

  /** Sets, removes, ages or freezes prices. */
  async setPrice(price: Record<string, unknown>): Promise<void> {
    await this.#post('/prices', price);
  }

  /** Arms a fault. */
  async arm(fault: Fault): Promise<void> {
    await this.#post('/faults', fault);
  }

  /** Counts how often the armed faults have acted. */
  async faultsUsed(): Promise<number> {
    const { faults } = await this.#get<{ faults: ReadonlyArray<{ used: number }> }>('/faults');
    return faults.reduce((sum, { used }) => sum + used, 0);
  }

  /** Disarms every fault. */
  async disarm(): Promise<void> {
    expectDone<unknown>(await callJson(`${this.adminUrl}/faults`, { method: 'DELETE' }));
  }

  /** Makes a new token. */
  async createMint(mint: Record<string, unknown>): Promise<string> {
    return (await this.#post<{ mint: string }>('/mints', mint)).mint;
  }

  /** Adds a market with resting liquidity. */
  async addMarket(market: NewMarket): Promise<void> {
    await this.#post('/markets', market);
  }

  /** Replaces what the market maker bids. */
  async setBook(ticker: string, quotes: Quotes): Promise<void> {
    await this.#post(`/markets/${ticker}/book`, quotes);
  }

  /** Opens, pauses or closes a market. */
  async setMarketStatus(ticker: string, status: 'open' | 'paused' | 'closed'): Promise<void> {
    await this.#post(`/markets/${ticker}/status`, { status });
  }

  /** Closes, determines and finalises a market. */
  async settle(ticker: string, result: 'yes' | 'no' | 'void' | 'scalar', valueCents?: number): Promise<void> {
    await this.#post(`/markets/${ticker}/settle`, { result, ...(valueCents === undefined ? {} : { valueCents }) });
  }

  /** Returns the operator's account at the exchange. */
  async exchangeAccount(): Promise<ExchangeAccountState> {
    return this.#get('/exchange/account');
  }

  /** Puts dollars into the operator's account at the exchange, or takes them out. */
  async addExchangeCash(addUsd: number): Promise<void> {
    await this.#post('/exchange/account', { addUsd });
  }

  /** Lands what the chain took on and holds back. @returns how many transactions waited */
  async landWaiting(): Promise<number> {
    return (await this.#post<{ landed: number }>('/chain/land', {})).landed;
  }

  /** Lists every pool of liquidity, straight from the chain. */
  async pools(): Promise<readonly LiquidityPool[]> {
    return (await this.#get<{ pools: readonly LiquidityPool[] }>('/liquidity/pools')).pools;
  }

  /** Makes a pool. */
  async createPool(pool: Record<string, unknown>): Promise<LiquidityPool> {
    return this.#post('/liquidity/pools', pool);
  }

  /** Pauses, skews or feeds a pool, at once. */
  async changePool(pool: string, change: Record<string, unknown>): Promise<void> {
    const url = `${this.adminUrl}/liquidity/pools/${pool}`;
    expectDone<unknown>(await callJson(url, { method: 'PATCH', body: change }));
  }

  /** Has the market maker swap in a pool. */
  async swapInPool(pool: string, mint: string, amountRaw: string): Promise<void> {
    await this.#post(`/liquidity/pools/${pool}/swaps`, { mint, amountRaw });
  }

  async #get<Body>(path: string): Promise<Body> {
    return expectDone<Body>(await callJson(this.adminUrl + path));
  }

  async #post<Body>(path: string, body: unknown): Promise<Body> {
    return expectDone<Body>(await callJson(this.adminUrl + path, { body }));
  }
}

interface Inbox {
  readonly messages: ReadonlyArray<{ readonly text: string }>;
}

function expectDone<Body>({ status, body }: JsonResponse<unknown>): Body {
  if (status >= 400) throw new Error(`the sandbox said ${status}: ${JSON.stringify(body)}`);
  return body as Body;
}
