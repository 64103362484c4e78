import type { components, operations, paths } from './generated/api.js';
import { type Amount, amountField, exactNumber, writeBody } from './amounts.js';
import { systemNowMs } from './clock.js';
import { type FollowOptions, follow, type StreamEvent } from './event-stream.js';
import { type FaucetOrder, faucetOf, pour, type Poured } from './faucet.js';
import { type KeyStore, MemoryStore, type PendingRequest } from './keys.js';
import { type OperationOptions, Operations } from './operations.js';
import { type Page, Pages } from './pages.js';
import { Transport, type TransportOptions } from './transport.js';

type Schemas = components['schemas'];

/** Settings of a wallet. */
export interface WalletOptions extends TransportOptions {
  /** Keeps requests until their end is known; in memory when omitted, so that a crash forgets them. */
  readonly store?: KeyStore;
  /** Clock of the age of requests, in Unix milliseconds: that of the system when omitted. */
  readonly nowMs?: () => number;
}

/** Any request of the API, by its path in openapi.json. */
export interface AnyRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: object;
  /** JSON; of a POST. */
  readonly body?: string;
}

/** Parts of a request beside its path. */
interface RequestParts {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: object | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Routes that are read. */
export type ReadPath = { [Path in keyof paths]: paths[Path]['get'] extends Answers ? Path : never }[keyof paths];

interface Answers {
  responses: { 200: { content: { 'application/json': { data: unknown } } } };
}

type DataOf<Operation> = Operation extends {
  responses: { 200: { content: { 'application/json': { data: infer Data } } } };
}
  ? Data
  : never;

/** Lets fields that may be omitted be undefined. */
type Loose<Fields> = {
  readonly [Name in keyof Fields]: Record<never, never> extends Pick<Fields, Name>
    ? Fields[Name] | undefined
    : Fields[Name];
};

type ParametersOf<Operation> = Operation extends { parameters: infer Parameters } ? Parameters : never;

/** Parts of a read beside its path: `params` for the names in braces, and its query. */
type ReadParts<Path extends ReadPath> = {
  readonly signal?: AbortSignal | undefined;
} & (ParametersOf<paths[Path]['get']> extends { path: infer Params }
  ? { readonly params: Params }
  : { readonly params?: never }) &
  (ParametersOf<paths[Path]['get']> extends { query: infer Query }
    ? { readonly query: Loose<Query> }
    : ParametersOf<paths[Path]['get']> extends { query?: infer Query }
      ? { readonly query?: Loose<NonNullable<Query>> | undefined }
      : { readonly query?: never });

type ReadArguments<Path extends ReadPath> =
  Record<never, never> extends ReadParts<Path> ? [parts?: ReadParts<Path>] : [parts: ReadParts<Path>];

type QueryOf<Id extends keyof operations> = NonNullable<operations[Id]['parameters']['query']>;

/** Replaces the amounts of a request by exact ones. */
type Exact<Request, Names extends string> = Omit<Request, Names | `${Names}Raw`>;

export type TransferOrder = Exact<Schemas['TransferRequest'], 'amount'> & { readonly amount: Amount };
export type TradeOrder = Partial<Exact<Schemas['TradeRequest'], 'amount'>> &
  Pick<Schemas['TradeRequest'], 'from' | 'to'> & { readonly amount: Amount };
export type UnwrapOrder = { readonly amount?: Amount };
export type AddOrder = Partial<Exact<Schemas['AddLiquidityRequest'], 'amount' | 'maxOtherAmount'>> &
  Pick<Schemas['AddLiquidityRequest'], 'pool' | 'token'> & {
    readonly amount: Amount;
    readonly maxOtherAmount?: Amount;
  };
/** A position, and the part of it to remove: a percentage, or liquidity tokens in base units. */
export type RemoveOrder = Pick<Schemas['RemoveLiquidityRequest'], 'positionId'> &
  Partial<Pick<Schemas['RemoveLiquidityRequest'], 'slippageBps'>> &
  (
    | { readonly percent: number; readonly liquidityRaw?: never }
    | { readonly liquidityRaw: string; readonly percent?: never }
  );
export type BuyOrder = Schemas['BuyContractsRequest'];
export type SellOrder = Schemas['SellContractsRequest'];
/** The rights and limits of a scoped token that is to be opened. */
export type TokenGrant = Schemas['TokenRequest'];

const ACTIONS = '/wallets/me/actions';
const TOKENS = '/wallets/me/tokens';

/** The wallet of one agent. Money moves once for each call, regardless of lost answers and, with a store, of crashes. */
export class AgentWallet {
  readonly #transport: Transport;
  readonly #operations: Operations;

  constructor(options: WalletOptions, token: string) {
    this.#transport = new Transport(options, token);
    const { store = new MemoryStore(), nowMs = systemNowMs } = options;
    this.#operations = new Operations(this.#transport, { store, nowMs, holder: () => holderOf(this.token) });
  }

  /** The session token. Keep it secret: its holder is the agent. */
  get token(): string {
    return this.#transport.token ?? '';
  }

  /** Returns the agent and its wallet. */
  me(): Promise<Schemas['Wallet']> {
    return this.get('/wallets/me');
  }

  /** Returns the balances with their values. */
  balances(): Promise<Schemas['Balances']> {
    return this.get('/wallets/me/balances');
  }

  /** Gets test money in the sandbox; it is there when this resolves. @throws FaucetError on any other network */
  async faucet(order: FaucetOrder): Promise<Poured> {
    const faucet = faucetOf(await this.get('/'));
    return pour(faucet, (await this.me()).chainAddress, order, this.#transport.options);
  }

  /** Sends the native coin, or the token that `mint` names. */
  transfer(order: TransferOrder, options?: OperationOptions): Promise<Schemas['TransferResult']> {
    return this.#operations.run(`${ACTIONS}/transfer`, written(order, 'amount'), options);
  }

  /** Trades one token for another. */
  trade(order: TradeOrder, options?: OperationOptions): Promise<Schemas['TradeResult']> {
    return this.#operations.run(`${ACTIONS}/trade`, written(order, 'amount'), options);
  }

  /** Makes SOL of wrapped SOL: all of it without an amount. */
  unwrapSol(order: UnwrapOrder = {}, options?: OperationOptions): Promise<Schemas['UnwrapSolResult']> {
    return this.#operations.run(`${ACTIONS}/unwrap-sol`, written(order, 'amount'), options);
  }

  /** Pools of liquidity, and the agent's positions in them. */
  readonly liquidity = {
    pools: (query: QueryOf<'getLiquidityPools'> = {}) =>
      this.#pages('/liquidity/pools', query, ({ pools, cursor }) => ({ entries: pools, cursor })),
    pool: (pool: string) => this.get('/liquidity/pools/{pool}', { params: { pool } }),
    positions: () => this.get('/liquidity/positions'),
    add: (order: AddOrder, options?: OperationOptions): Promise<Schemas['AddLiquidityResult']> =>
      this.#operations.run(`${ACTIONS}/liquidity/add`, written(order, 'amount', 'maxOtherAmount'), options),
    remove: (order: RemoveOrder, options?: OperationOptions): Promise<Schemas['RemoveLiquidityResult']> =>
      this.#operations.run(`${ACTIONS}/liquidity/remove`, writeBody(order), options),
  };

  /** Prediction markets. */
  readonly predictions = {
    markets: (query: QueryOf<'listMarkets'> = {}) =>
      this.#pages('/predictions/markets', query, ({ markets, cursor }) => ({ entries: markets, cursor })),
    market: (ticker: string) => this.get('/predictions/markets/{ticker}', { params: { ticker } }),
    orderbook: (ticker: string) => this.get('/predictions/markets/{ticker}/orderbook', { params: { ticker } }),
    events: (query: QueryOf<'listEvents'> = {}) =>
      this.#pages('/predictions/events', query, ({ events, cursor }) => ({ entries: events, cursor })),
    positions: () => this.get('/predictions/positions'),
    orders: (query: QueryOf<'listOrders'> = {}) =>
      this.#pages('/predictions/orders', query, ({ orders, cursor }) => ({ entries: orders, cursor })),
    balance: () => this.get('/predictions/balance'),
    buy: (order: BuyOrder, options?: OperationOptions): Promise<Schemas['BuyContractsResult']> =>
      this.#operations.run('/predictions/buy', writeBody(order), options),
    sell: (order: SellOrder, options?: OperationOptions): Promise<Schemas['SellContractsResult']> =>
      this.#operations.run('/predictions/sell', writeBody(order), options),
    /** Moves dollars of the prediction balance to the wallet: `'12.50'`. */
    withdraw: (amountDollars: string, options?: OperationOptions): Promise<Schemas['WithdrawalResult']> => {
      const body = writeBody({ amountDollars: exactNumber(amountDollars, 'amountDollars') });
      return this.#operations.run('/predictions/withdraw', body, options);
    },
  };

  /** Dry runs: nothing is reserved, signed or recorded. */
  readonly dryRun = {
    transfer: (order: TransferOrder) =>
      this.#dryRun<Schemas['TransferDryRun']>(`${ACTIONS}/transfer`, written(order, 'amount')),
    trade: (order: TradeOrder) => this.#dryRun<Schemas['TradeDryRun']>(`${ACTIONS}/trade`, written(order, 'amount')),
    unwrapSol: (order: UnwrapOrder = {}) =>
      this.#dryRun<Schemas['UnwrapSolDryRun']>(`${ACTIONS}/unwrap-sol`, written(order, 'amount')),
    liquidity: {
      add: (order: AddOrder) =>
        this.#dryRun<Schemas['AddLiquidityDryRun']>(
          `${ACTIONS}/liquidity/add`,
          written(order, 'amount', 'maxOtherAmount'),
        ),
      remove: (order: RemoveOrder) =>
        this.#dryRun<Schemas['RemoveLiquidityDryRun']>(`${ACTIONS}/liquidity/remove`, writeBody(order)),
    },
    predictions: {
      buy: (order: BuyOrder) => this.#dryRun<Schemas['BuyContractsDryRun']>('/predictions/buy', writeBody(order)),
      sell: (order: SellOrder) => this.#dryRun<Schemas['SellContractsDryRun']>('/predictions/sell', writeBody(order)),
    },
  };

  /** The agent's limits and switches, and their use. */
  readonly policy = {
    get: () => this.get('/wallets/me/policy'),
    usage: () => this.get('/wallets/me/policy/usage'),
    /** Changes the fields given; with `version`, only of that version. */
    update: (change: Schemas['PolicyUpdateRequest'], { version }: { readonly version?: number } = {}) =>
      this.#send<Schemas['PolicyResult']>('PATCH', '/wallets/me/policy', {
        body: change,
        ...(version === undefined ? {} : { headers: { 'if-match': `"${version}"` } }),
      }),
    /** Asks the owner for a change that only the owner can make. */
    propose: (changes: Schemas['PolicyChanges'], note?: string) =>
      this.#send<Schemas['ApprovalResult']>('POST', '/wallets/me/policy/proposals', { body: { changes, note } }),
  };

  /** Requests to the owner. */
  readonly approvals = {
    list: (query: QueryOf<'listApprovals'> = {}) =>
      this.#pages('/wallets/me/approvals', query, ({ approvals, nextCursor }) => ({
        entries: approvals,
        cursor: nextCursor,
      })),
    get: (approvalId: string) => this.get('/wallets/me/approvals/{approvalId}', { params: { approvalId } }),
    withdraw: (approvalId: string) =>
      this.#send<Schemas['ApprovalResult']>(
        'POST',
        pathOf('/wallets/me/approvals/{approvalId}/withdraw', { approvalId }),
      ),
  };

  /** The sessions of the agent. */
  readonly sessions = {
    list: () => this.get('/connect/sessions'),
    end: (sessionId: string) =>
      this.#send<Schemas['EndedSession']>('DELETE', pathOf('/connect/sessions/{sessionId}', { sessionId })),
    /** Exchanges the token for a new one, which this wallet then uses. */
    refresh: async (): Promise<Schemas['RefreshedSession']> => {
      const session = await this.#send<Schemas['RefreshedSession']>('POST', '/connect/refresh');
      this.#transport.token = session.sessionToken;
      return session;
    },
    logOut: () => this.#send<Schemas['EndedSession']>('POST', '/connect/logout'),
  };

  /** Scoped tokens, for hosts and programs that should do a part of what the agent may. */
  readonly tokens = {
    /**
     * Opens a token. Its secret, `sessionToken`, is shown this once. A lost answer is a NoAnswerError, and is not asked for
     * again: an opening has no key, so that a repeated one may be a second token. The first may be open: find it with
     * `list`, and end it.
     */
    open: (grant: TokenGrant) => this.#send<Schemas['OpenedToken']>('POST', TOKENS, { body: grant }),
    /** Lists the live tokens, the oldest first. */
    list: () => this.get(TOKENS),
    /** Ends a token at once, and with it what of it waits for the owner. */
    end: (tokenId: string) => this.#send<Schemas['EndedToken']>('DELETE', pathOf(`${TOKENS}/{tokenId}`, { tokenId })),
  };

  /** Lists the records of history, the newest first. */
  history(query: QueryOf<'listTransactions'> = {}): Pages<Schemas['Transaction']> {
    return this.#pages('/wallets/me/history', query, ({ transactions, nextCursor }) => ({
      entries: transactions,
      cursor: nextCursor,
    }));
  }

  /** Returns what the wallet spent, in groups: of the last 30 days by day, unless the query says otherwise. */
  spending(query: QueryOf<'getSpending'> = {}): Promise<Schemas['Spending']> {
    return this.get('/wallets/me/spending', { query });
  }

  /** Returns a record of history. */
  async transaction(transactionId: string): Promise<Schemas['Transaction']> {
    return (await this.get('/wallets/me/history/{transactionId}', { params: { transactionId } })).transaction;
  }

  /** Follows the changes of the wallet, without gaps. */
  events(options?: FollowOptions): AsyncGenerator<StreamEvent, void, undefined> {
    return follow(this.#transport, options);
  }

  /** Returns the requests of this agent whose end was not seen: those of an earlier process, with a store. */
  pending(): Promise<readonly PendingRequest[]> {
    return this.#operations.pending();
  }

  /** Goes on with a request of `pending` to its end. */
  resume<Result = unknown>(request: PendingRequest, options?: Omit<OperationOptions, 'key'>): Promise<Result> {
    return this.#operations.resume(request, options);
  }

  /** Forgets a request of `pending`, once you know from history what became of it. */
  forget(request: PendingRequest): Promise<void> {
    return this.#operations.forget(request);
  }

  /** Reads any route of the API by its path in openapi.json. */
  async get<Path extends ReadPath>(path: Path, ...[parts]: ReadArguments<Path>) {
    const { params = {}, query, signal } = (parts ?? {}) as RequestParts;
    const call = { method: 'GET', path: pathOf(path, params) + searchOf(query), repeatable: true, signal } as const;
    return (await this.#transport.request(call)).data as DataOf<paths[Path]['get']>;
  }

  /** Makes a request that moves no money: a read, a dry run, a proposal. */
  async call({ method, path, params, query, body }: AnyRequest): Promise<unknown> {
    const to = pathOf(path, params) + searchOf(query);
    const repeatable = method === 'GET' || to.endsWith('dryRun=true');
    return (await this.#transport.request({ method, path: to, body, repeatable })).data;
  }

  /** Makes a request that moves money, to its end. */
  act({ path, params, body = '{}' }: AnyRequest, options?: OperationOptions): Promise<unknown> {
    return this.#operations.run(pathOf(path, params), body, options);
  }

  #pages<Path extends ReadPath, Entry>(
    path: Path,
    query: object,
    entriesOf: (data: DataOf<paths[Path]['get']>) => {
      readonly entries: readonly Entry[];
      readonly cursor: string | null;
    },
  ): Pages<Entry> {
    return new Pages(async (cursor): Promise<Page<Entry>> => {
      const parts = { query: { ...query, ...(cursor === undefined ? {} : { cursor }) } };
      const data = await this.get(path, ...([parts] as unknown as ReadArguments<Path>));
      const { entries, cursor: next } = entriesOf(data);
      return { entries, nextCursor: next || undefined };
    });
  }

  async #dryRun<Data>(path: string, body: string): Promise<Data> {
    const call = { method: 'POST', path: `${path}?dryRun=true`, body, repeatable: true } as const;
    return (await this.#transport.request(call)).data as Data;
  }

  async #send<Data>(
    method: 'POST' | 'PATCH' | 'DELETE',
    path: string,
    { body, headers = {} }: { readonly body?: object; readonly headers?: Record<string, string> } = {},
  ): Promise<Data> {
    const text = body === undefined ? undefined : writeBody(body);
    const call = { method, path, headers, body: text, repeatable: false };
    return (await this.#transport.request(call)).data as Data;
  }
}

/** Writes an order as a request's body, with its amounts exact. */
function written(order: object, ...amounts: readonly string[]): string {
  const rest = Object.entries(order).filter(([name]) => !amounts.includes(name));
  const exact = amounts.map((name) => amountField(name, (order as Record<string, Amount | undefined>)[name]));
  return writeBody(Object.assign(Object.fromEntries(rest), ...exact));
}

/** Fills in a path. @throws TypeError for a part that would lead elsewhere */
export function pathOf(path: string, params: Readonly<Record<string, string>> = {}): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name];
    if (typeof value !== 'string' || /^\.{0,2}$/.test(value)) throw new TypeError(`${name} is missing in ${path}`);
    if (/\p{Surrogate}/u.test(value)) throw new TypeError(`${name} has half of a character.`);
    return encodeURIComponent(value);
  });
}

function searchOf(query: object = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const search = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]));
  return given.length === 0 ? '' : `?${search.toString()}`;
}

/**
 * Reads who holds a token: the agent, which it names as `sub`, and for a scoped token that one's id, `tid`. Keys belong to the
 * holder: a token goes on with no request of another.
 */
function holderOf(token: string): string {
  const [, claims = ''] = token.split('.');
  try {
    const text = atob(claims.replaceAll('-', '+').replaceAll('_', '/'));
    const { sub, tid } = JSON.parse(text) as { readonly sub?: unknown; readonly tid?: unknown };
    if (typeof sub === 'string') return typeof tid === 'string' ? `${sub} ${tid}` : sub;
  } catch {
    // Not a JWT.
  }
  throw new TypeError('This is not a session token.');
}
