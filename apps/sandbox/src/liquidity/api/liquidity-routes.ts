import { type Key, parseKey } from '../../encoding/keys.js';
import type { FaultBoard } from '../../faults/fault-board.js';
import { BadRequest, type JsonReply, type JsonRequest, type JsonRoute } from '../../http/json-server.js';
import type { TokenRegistry } from '../../tokens/registry.js';
import { FEE_TIERS } from '../fee-tiers.js';
import type { LiquidityVenue } from '../liquidity-venue.js';
import { LIQUIDITY_PREFIX, liquidityFailure, liquidityReply } from './liquidity-gate.js';
import { type Lies, listedPools, trades } from './listing.js';
import { type ListedPool, poolInfo, poolKeys, tierJson } from './pool-json.js';

const MOST_POOLS = 1_000;
const USUAL_POOLS = 100;
const MOST_IDS = 100;
const POOL_TYPES = ['all', 'standard', 'concentrated'];

/** Dependencies of the API's routes. */
interface LiquidityApiContext {
  readonly liquidity: LiquidityVenue;
  readonly tokens: TokenRegistry;
  readonly faults: FaultBoard;
}

/** A part of a list. */
interface Page {
  readonly size: number;
  readonly from: number;
}

/** Raydium's API, as far as it is about constant-product pools. Each read lets the pools follow the price board. */
export function liquidityApiRoutes(context: LiquidityApiContext): JsonRoute[] {
  const { tokens } = context;
  const info = (pool: ListedPool) => poolInfo(pool, tokens);
  const byId = ({ id }: ListedPool) => id;
  const get = (path: string, answer: (request: JsonRequest) => unknown): JsonRoute => ({
    method: 'GET',
    path: LIQUIDITY_PREFIX + path,
    answer: (request) => refusing(() => liquidityReply(answer(request))),
  });
  return [
    get('/pools/info/list-v2', (request) => {
      const from = readCount(request.query, 'nextPageId', 0, Number.MAX_SAFE_INTEGER);
      const page = { size: readCount(request.query, 'size', USUAL_POOLS, MOST_POOLS), from };
      const { next, ...list } = poolPage(context, request, page);
      return { ...list, ...(next !== undefined && { nextPageId: String(next) }) };
    }),
    get('/pools/info/mint', (request) => {
      if (readMint(request.query, 'mint1') === undefined) throw new BadRequest('mint1 is required');
      const size = readCount(request.query, 'pageSize', USUAL_POOLS, MOST_POOLS);
      const page = readCount(request.query, 'page', 1, Number.MAX_SAFE_INTEGER);
      const { next: _, ...list } = poolPage(context, request, { size, from: (page - 1) * size });
      return list;
    }),
    get('/pools/info/ids', (request) => found(context, request, { name: 'ids', keyOf: byId }, info)),
    get('/pools/info/lps', (request) => {
      return found(context, request, { name: 'lps', keyOf: ({ state }) => state.lpMint }, info);
    }),
    get('/pools/key/ids', (request) => {
      return found(context, request, { name: 'ids', keyOf: byId }, (pool) => poolKeys(pool, tokens));
    }),
    get('/main/cpmm-config', () => FEE_TIERS.map(tierJson)),
  ];
}

function refusing(answer: () => JsonReply): JsonReply {
  try {
    return answer();
  } catch (error) {
    if (error instanceof BadRequest) return liquidityFailure(error.status, error.message);
    throw error;
  }
}

function poolPage(context: LiquidityApiContext, request: JsonRequest, { size, from }: Page) {
  const { query } = request;
  const mints = [readMint(query, 'mint1'), readMint(query, 'mint2')];
  const type = (query.get('poolType') ?? 'all').toLowerCase();
  if (!POOL_TYPES.includes(type)) throw new BadRequest(`poolType must be one of ${POOL_TYPES.join(', ')}`);
  const sorted = type === 'concentrated' ? [] : pools(context, request).filter((pool) => trades(pool, mints));
  if (query.get('sortType') === 'asc') sorted.reverse();
  const data = sorted.slice(from, from + size).map((pool) => poolInfo(pool, context.tokens));
  const hasNextPage = from + size < sorted.length;
  return { count: sorted.length, data, hasNextPage, next: hasNextPage ? from + size : undefined };
}

/** Returns what was asked for in the order asked, null where there is none. */
function found(
  context: LiquidityApiContext,
  request: JsonRequest,
  { name, keyOf }: { readonly name: string; readonly keyOf: (pool: ListedPool) => Key },
  toJson: (pool: ListedPool) => unknown,
): unknown[] {
  const texts = (request.query.get(name) ?? '').split(',').filter((text) => text !== '');
  if (texts.length === 0 || texts.length > MOST_IDS) throw new BadRequest(`${name}: 1 to ${MOST_IDS} are required`);
  const listed = pools(context, request);
  return texts.map((text) => {
    const key = parseKey(text);
    if (key === undefined) throw new BadRequest(`${name}: not an address: ${text}`);
    const pool = listed.find((one) => keyOf(one) === key);
    return pool ? toJson(pool) : null;
  });
}

function pools({ liquidity, faults }: LiquidityApiContext, { path }: JsonRequest): ListedPool[] {
  const isTold = (lie: keyof Lies): boolean =>
    faults.take('liquidity', lie, { byDefault: true, method: 'GET', path }) !== undefined;
  const lies = { fakePool: isTold('fakePool'), wrongKeys: isTold('wrongKeys'), lyingTvl: isTold('lyingTvl') };
  return listedPools(liquidity, lies);
}

function readMint(query: URLSearchParams, name: string): Key | undefined {
  const text = query.get(name);
  if (!text) return undefined;
  const mint = parseKey(text);
  if (mint === undefined) throw new BadRequest(`${name} must be a mint`);
  return mint;
}

function readCount(query: URLSearchParams, name: string, usual: number, most: number): number {
  const text = query.get(name);
  if (!text) return usual;
  const count = /^\d{1,16}$/.test(text) ? Number(text) : NaN;
  const least = name === 'nextPageId' ? 0 : 1;
  if (!(count >= least && count <= most)) throw new BadRequest(`${name} must be an integer from ${least} to ${most}`);
  return count;
}
