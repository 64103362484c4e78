import { addressBytes, signatureText, SYSTEM_PROGRAM, TOKEN_PROGRAM, WRAPPED_SOL_MINT } from '@agent-wallet/solana';
import { PYTH_PROGRAMS, pythFeeds } from '@agent-wallet/prices';
import { EventEmitter, once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';

const CLOCK_SYSVAR = 'SysvarC1ock11111111111111111111111111111111';

interface FakeMint {
  readonly program: string;
  readonly decimals: number;
  /** Bytes after the mint's own, Token-2022 only. */
  readonly extensions?: Buffer;
}

interface FakePrice {
  readonly usd: string;
  readonly decimals: number;
  readonly ageBlocks?: number;
  /** Dollars; a million when omitted. */
  readonly liquidity?: number;
  /** Percent; unknown when omitted. */
  readonly change24h?: number | undefined;
}

interface FakeFeed {
  readonly usd?: string;
  readonly ageSeconds?: number;
  readonly confidencePercent?: number;
  readonly owner?: string;
}

const JUP = 'JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN';
const FEEDS = new Map(pythFeeds(PYTH_PROGRAMS, 'sandbox').map((feed) => [feed.account, feed]));

interface FakeStatus {
  readonly slot: number;
  readonly commitment: 'processed' | 'confirmed' | 'finalized';
  readonly failed: boolean;
}

/** Base units that one address paid to another, of USDC when no mint is given. */
interface FakePaid {
  readonly from: string;
  readonly to: string;
  readonly amount: bigint;
  readonly mint?: string;
}

/** An account of a program that no other field describes. */
interface FakeAccount {
  /** Base58 address of the program. */
  readonly owner: string;
  readonly data: Uint8Array;
}

/** Base units of a token in an account that a message names, before the message landed and after. */
export interface FakeHolding {
  readonly account: string;
  readonly before: bigint;
  readonly after: bigint;
}

interface FakeLanded {
  readonly signature: string;
  readonly slot: number;
  readonly message: Uint8Array;
  readonly failed: boolean;
  readonly paid?: FakePaid | readonly FakePaid[] | undefined;
  readonly holdings?: readonly FakeHolding[] | undefined;
  /** Whether it is of a version that the node was not asked for. */
  readonly isUnsupported?: boolean | undefined;
  /** Unix seconds; null when omitted. */
  readonly blockTime?: number | undefined;
}

/** A node and a price API that say what a test makes them say. Slots are heights + 1 000. */
export class PolicyPeers {
  height = 500;
  finalizedHeight = 468;
  /** The slot that status answers claim to have looked at; the finalized head's when undefined. */
  statusSlot: number | undefined;
  /** Fails every call of the node with HTTP 500. */
  nodeIsAway = false;
  pricesAreAway = false;
  /** Fails the aggregator's look-ups of tokens, and no prices. */
  lookUpsAreAway = false;
  readonly mints = new Map<string, FakeMint>([
    [USDC, { program: TOKEN_PROGRAM, decimals: 6 }],
    [WRAPPED_SOL_MINT, { program: TOKEN_PROGRAM, decimals: 9 }],
  ]);
  /** JSON of an entry of the price API; undefined for a price that is 0 blocks old. */
  readonly prices = new Map<string, FakePrice>([
    [WRAPPED_SOL_MINT, { usd: '150', decimals: 9 }],
    [USDC, { usd: '1', decimals: 6 }],
    // From the start, as the service reads all feeds of the oracle at once, and keeps them for seconds.
    [JUP, { usd: '0.5', decimals: 6 }],
  ]);
  /** The oracle's prices where they are not those of the price API; null for none. */
  readonly oracle = new Map<string, FakeFeed | null>();
  /** Mints that the aggregator vouches for. */
  readonly verified = new Set<string>();
  /** Wallets that hold SOL. */
  readonly lamports = new Map<string, number>();
  readonly accounts = new Map<string, FakeAccount>();
  readonly statuses = new Map<string, FakeStatus>();
  /** What getBlockTime says of a slot instead of the time that its height gives. */
  readonly blockTimes = new Map<number, number>();
  readonly landed: FakeLanded[] = [];
  /** Time by which the clock of the chain and of the oracle is ahead of the machine's. */
  aheadMs = 0;
  /** Signatures whose transactions the node does not show, although it knows their status. */
  readonly hidden = new Set<string>();
  readonly calls: string[] = [];
  /** Addresses whose signatures were asked for. */
  readonly asked: string[] = [];
  readonly #refusals = new EventEmitter();
  readonly #signatureBytes = new Map<string, Uint8Array>();
  readonly #server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const isPrice = /^\/(price|tokens)\//.test(request.url!);
      const isLookUpAway = this.lookUpsAreAway && request.url!.startsWith('/tokens/');
      const isAway = isPrice ? this.pricesAreAway || isLookUpAway : this.nodeIsAway;
      response.statusCode = isAway ? 500 : 200;
      const body = isPrice ? this.#priceResponse(request.url!) : this.#rpcResponse(Buffer.concat(chunks).toString());
      response.end(response.statusCode === 200 ? body : 'upstream text');
      if (response.statusCode !== 200) this.#refusals.emit('refused');
    });
  });

  static async open(): Promise<PolicyPeers> {
    const world = new PolicyPeers();
    world.#server.listen(0, '127.0.0.1');
    await once(world.#server, 'listening');
    return world;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Resolves with the next call that is failed. */
  async refused(): Promise<void> {
    await once(this.#refusals, 'refused');
  }

  /** Lets blocks pass, at both commitments. */
  advance(blocks: number): void {
    this.height += blocks;
    this.finalizedHeight += blocks;
  }

  /** Puts a transaction on the chain. */
  land(
    message: Uint8Array,
    signature: Uint8Array,
    status: Partial<FakeStatus & Pick<FakeLanded, 'paid' | 'holdings' | 'isUnsupported' | 'blockTime'>> = {},
  ): void {
    const landed = { slot: this.height + 1_001, commitment: 'finalized' as const, failed: false, ...status };
    this.statuses.set(signatureText(signature), landed);
    this.#signatureBytes.set(signatureText(signature), signature);
    this.landed.push({ ...landed, signature: signatureText(signature), message });
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #priceResponse(url: string): string {
    if (url.startsWith('/tokens/')) return this.#tokensResponse(url);
    const mints = new URL(url, this.url).searchParams.get('ids')!.split(',');
    const entries = mints.flatMap((mint) => {
      const price = this.prices.get(mint);
      if (!price) return [];
      const blockId = this.height + 1_000 - (price.ageBlocks ?? 0);
      const { usd, decimals, liquidity = 1_000_000, change24h = null } = price;
      const stated = `"liquidity":${liquidity},"blockId":${blockId},"priceChange24h":${change24h}`;
      return [`"${mint}":{"usdPrice":${usd},"decimals":${decimals},${stated}}`];
    });
    return `{${entries.join(',')}}`;
  }

  /** The verified token that a mint names, if it is one. */
  #tokensResponse(url: string): string {
    const id = new URL(url, this.url).searchParams.get('query')!;
    this.calls.push(`tokens ${id}`);
    const token = { id, symbol: 'TOKEN', name: 'Token', decimals: 6, isVerified: this.verified.has(id) };
    return JSON.stringify([token]);
  }

  #rpcResponse(body: string): string {
    const { id, method, params } = JSON.parse(body) as { id: number; method: string; params: unknown[] };
    this.calls.push(method);
    const found = method === 'getTransaction' && this.landed.find(({ signature }) => signature === params[0]);
    if (found && found.isUnsupported) {
      const error = { code: -32_015, message: 'Transaction version (1) is not supported by the requesting client' };
      return JSON.stringify({ jsonrpc: '2.0', id, error });
    }
    return JSON.stringify({ jsonrpc: '2.0', id, result: this.#result(method, params) });
  }

  #nowMs(): number {
    return Date.now() + this.aheadMs;
  }

  #result(method: string, [first, second]: readonly unknown[]): unknown {
    switch (method) {
      case 'getEpochInfo': {
        const { commitment } = first as { commitment: string };
        const blockHeight = commitment === 'finalized' ? this.finalizedHeight : this.height;
        return { absoluteSlot: blockHeight + 1_000, blockHeight, epoch: 1, slotIndex: 1, slotsInEpoch: 432_000 };
      }
      case 'getGenesisHash':
        return '11111111111111111111111111111111';
      case 'getBlockTime': {
        const seconds = (this.height + 1_000 - (first as number)) * 0.4;
        return this.blockTimes.get(first as number) ?? Math.floor(this.#nowMs() / 1_000 - seconds);
      }
      case 'getMinimumBalanceForRentExemption':
        return ((first as number) + 128) * 6_960;
      case 'getMultipleAccounts':
        return this.#atSlot((first as string[]).map((address) => this.#account(address)));
      case 'getSignatureStatuses':
        return this.#atSlot((first as string[]).map((signature) => this.#status(signature)));
      case 'getSignaturesForAddress':
        this.asked.push(first as string);
        return this.#page(first as string, second as { limit: number; before?: string });
      case 'getTransaction':
        return this.#transaction(first as string);
      default:
        throw new Error(`not scripted: ${method}`);
    }
  }

  #page(address: string, { limit, before }: { limit: number; before?: string }) {
    const final = this.landed
      .filter((each) => each.slot <= this.finalizedHeight + 1_000 && isNamed(address, each))
      .reverse();
    const from = before === undefined ? 0 : final.findIndex(({ signature }) => signature === before) + 1;
    return final.slice(from, from + limit).map(({ signature, slot }) => ({ signature, slot, err: null }));
  }

  #atSlot(value: unknown) {
    return { context: { slot: this.statusSlot ?? this.finalizedHeight + 1_000 }, value };
  }

  #status(signature: string) {
    const status = this.statuses.get(signature);
    const err = status?.failed ? { InstructionError: [0, { Custom: 1 }] } : null;
    return status ? { slot: status.slot, confirmationStatus: status.commitment, confirmations: 1, err } : null;
  }

  #account(address: string) {
    if (address === CLOCK_SYSVAR) return this.#clock();
    const feed = FEEDS.get(address);
    if (feed) return this.#feed(feed);
    const raw = this.accounts.get(address);
    if (raw) {
      const { owner, data } = raw;
      const text = Buffer.from(data).toString('base64');
      return { owner, lamports: 1, data: [text, 'base64'], executable: false, rentEpoch: 0, space: data.length };
    }
    const mint = this.mints.get(address);
    const lamports = this.lamports.get(address);
    if (lamports !== undefined) {
      return { owner: SYSTEM_PROGRAM, lamports, data: ['', 'base64'], executable: false, rentEpoch: 0, space: 0 };
    }
    if (!mint) return null;
    const own = Buffer.alloc(mint.extensions ? 166 : 82);
    own.writeBigUInt64LE(1_000_000_000_000n, 36);
    own[44] = mint.decimals;
    own[45] = 1;
    if (mint.extensions) own[165] = 1;
    const data = Buffer.concat([own, mint.extensions ?? Buffer.alloc(0)]).toString('base64');
    return { owner: mint.program, lamports: 1, data: [data, 'base64'], executable: false, rentEpoch: 0, space: 82 };
  }

  /** A price account of Pyth: what the price API says, unless the test says otherwise. */
  #feed({ mint, id }: { readonly mint: string; readonly id: Uint8Array }) {
    const said = this.oracle.get(mint);
    const usd = said?.usd ?? this.prices.get(mint)?.usd ?? '';
    if (said === null || !/^\d+(\.\d{1,8})?$/.test(usd)) return null;
    const [whole = '', fraction = ''] = usd.split('.');
    const price = BigInt(whole + fraction.padEnd(8, '0'));
    const data = Buffer.alloc(134);
    data.write('22f123639d7ef4cd', 0, 'hex');
    data[40] = 1;
    data.set(id, 41);
    data.writeBigInt64LE(price, 73);
    data.writeBigUInt64LE((price * BigInt(said?.confidencePercent ?? 0)) / 100n, 81);
    data.writeInt32LE(-8, 89);
    data.writeBigInt64LE(BigInt(Math.floor(this.#nowMs() / 1_000) - (said?.ageSeconds ?? 0)), 93);
    const owner = said?.owner ?? PYTH_PROGRAMS.receiver;
    return {
      owner,
      lamports: 1,
      data: [data.toString('base64'), 'base64'],
      executable: false,
      rentEpoch: 0,
      space: 134,
    };
  }

  #clock() {
    const data = Buffer.alloc(40);
    data.writeBigUInt64LE(BigInt(this.height + 1_000), 0);
    data.writeBigInt64LE(BigInt(Math.floor(this.#nowMs() / 1_000)), 32);
    const owner = 'Sysvar1111111111111111111111111111111111111';
    return {
      owner,
      lamports: 1,
      data: [data.toString('base64'), 'base64'],
      executable: false,
      rentEpoch: 0,
      space: 40,
    };
  }

  #transaction(signature: string) {
    const found = this.landed.find((each) => each.signature === signature);
    if (!found || this.hidden.has(signature)) return null;
    const addresses = accountCount(found.message);
    const signatures = found.message[1]!;
    // Of several signatures only the first is known here.
    const others = Buffer.alloc((signatures - 1) * 64);
    const first = this.#signatureBytes.get(signature)!;
    const bytes = Buffer.concat([Uint8Array.of(signatures), first, others, found.message]);
    return {
      slot: found.slot,
      blockTime: found.blockTime ?? null,
      transaction: [bytes.toString('base64'), 'base64'],
      meta: {
        err: found.failed ? { InstructionError: [0, { Custom: 1 }] } : null,
        fee: 5_000,
        preBalances: Array(addresses).fill(1),
        postBalances: Array(addresses).fill(1),
        preTokenBalances: balancesOf(found, false),
        postTokenBalances: balancesOf(found, true),
      },
    };
  }
}

/** Whether a transaction is listed to an address. Who owns the token accounts of a payment is listed, too. */
function isNamed(address: string, { message, paid }: FakeLanded): boolean {
  const isPaid = [paid ?? []].flat().some(({ from, to }) => from === address || to === address);
  return isPaid || Buffer.from(message).includes(Buffer.from(addressBytes(address)));
}

/** Token balances before and after something was paid. */
function balancesOf({ paid, holdings = [], message }: FakeLanded, isPaid: boolean): unknown[] {
  const held = holdings.map(({ account, before, after }) => ({
    ...{ accountIndex: indexOf(account, message), mint: USDC },
    uiTokenAmount: { amount: String(isPaid ? after : before), decimals: 6 },
  }));
  const moved = [paid ?? []].flat().flatMap(({ from, to, amount, mint = USDC }, n) => {
    const balance = (accountIndex: number, owner: string, units: bigint) => ({
      ...{ accountIndex, owner, mint },
      uiTokenAmount: { amount: String(units), decimals: 6 },
    });
    const sofar = isPaid ? amount : 0n;
    return [balance(2 * n + 1, from, amount - sofar), balance(2 * n + 2, to, sofar)];
  });
  return [...held, ...moved];
}

/** Place of an address among those that a message names. */
function indexOf(address: string, message: Uint8Array): number {
  const keys = Array.from({ length: accountCount(message) }, (_, n) => message.subarray(5 + 32 * n, 37 + 32 * n));
  const index = keys.findIndex((key) => Buffer.compare(key, addressBytes(address)) === 0);
  if (index < 0) throw new Error(`the message does not name ${address}`);
  return index;
}

/** Addresses that a v0 message names itself: the version byte, three counts, then how many. */
function accountCount(message: Uint8Array): number {
  return message[4]!;
}
