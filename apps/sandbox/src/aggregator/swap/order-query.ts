import { MAX_BASE_UNITS } from '@agent-wallet/kernel';
import { type Key, parseKey } from '../../encoding/keys.js';
import { BadRequest } from '../../http/json-server.js';

/** What routes an order may take. */
const ROUTERS = ['metis', 'jupiterz', 'dflow', 'okx'] as const;

/** Fees above this are a mistake, or an attack by the author of the query. */
const MOST_NETWORK_LAMPORTS = 100_000_000n;

const MOST_BPS = 10_000;

/** Parameters of the real API that change who pays or receives: better refused than ignored. */
const UNSUPPORTED = ['closeAuthority', 'receiver', 'referralAccount', 'referralFee'];

/** An order as it was asked for. Amounts are base units, fees lamports. */
export interface OrderQuery {
  readonly inputMint: Key;
  readonly outputMint: Key;
  readonly amount: bigint;
  /** Without one only a price is wanted. */
  readonly taker: Key | undefined;
  /** Pays the network in the taker's place; then routes over pools are offered alone. */
  readonly payer: Key | undefined;
  /** Without one the aggregator picks. */
  readonly slippageBps: number | undefined;
  readonly excludeRouters: ReadonlySet<string>;
  readonly excludeDexes: readonly string[];
  readonly priorityFeeLamports: bigint | undefined;
  readonly jitoTipLamports: bigint | undefined;
}

/** Reads the query of an order. @throws BadRequest that names the parameter */
export function readOrderQuery(query: URLSearchParams): OrderQuery {
  const unsupported = UNSUPPORTED.find((name) => query.get(name));
  if (unsupported) throw new BadRequest(`${unsupported} is not supported`);
  if ((query.get('swapMode') ?? 'ExactIn') !== 'ExactIn') throw new BadRequest('swapMode must be ExactIn');
  const inputMint = readKey(query, 'inputMint');
  const outputMint = readKey(query, 'outputMint');
  if (inputMint === outputMint) throw new BadRequest('inputMint and outputMint must differ');
  const amount = readUnsigned(query, 'amount', MAX_BASE_UNITS);
  if (amount === undefined || amount === 0n) throw new BadRequest('amount must be a positive integer');
  const slippageBps = readUnsigned(query, 'slippageBps', BigInt(MOST_BPS));
  const [taker, payer] = ['taker', 'payer'].map((name) => (query.get(name) ? readKey(query, name) : undefined));
  return {
    inputMint,
    outputMint,
    amount,
    taker,
    payer: payer === taker ? undefined : payer,
    slippageBps: slippageBps === undefined ? undefined : Number(slippageBps),
    excludeRouters: readRouters(query),
    excludeDexes: readList(query, 'excludeDexes'),
    priorityFeeLamports: readUnsigned(query, 'priorityFeeLamports', MOST_NETWORK_LAMPORTS),
    jitoTipLamports: readUnsigned(query, 'jitoTipLamports', MOST_NETWORK_LAMPORTS),
  };
}

function readKey(query: URLSearchParams, name: string): Key {
  const parsed = parseKey(query.get(name));
  if (parsed === undefined) throw new BadRequest(`${name} must be an address`);
  return parsed;
}

function readUnsigned(query: URLSearchParams, name: string, most: bigint): bigint | undefined {
  const text = query.get(name);
  if (text === null || text === '') return undefined;
  if (!/^\d{1,20}$/.test(text) || BigInt(text) > most) throw new BadRequest(`${name} must be an integer up to ${most}`);
  return BigInt(text);
}

function readRouters(query: URLSearchParams): ReadonlySet<string> {
  const names = readList(query, 'excludeRouters');
  const unknown = names.find((name) => !ROUTERS.some((router) => router === name));
  if (unknown !== undefined) throw new BadRequest(`excludeRouters: ${unknown} is none of ${ROUTERS.join(', ')}`);
  return new Set(names);
}

function readList(query: URLSearchParams, name: string): string[] {
  return (query.get(name) ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}
