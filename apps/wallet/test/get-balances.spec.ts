import type { Logger } from '@agent-wallet/platform';
import { newAddress } from '@agent-wallet/solana/corpus';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { MINT_SIZE, MintLayout } from '@solana/spl-token';
import { PublicKey } from '@solana/web3.js';
import { AppError, newId, parseUsdPrice } from '@agent-wallet/kernel';
import type { PriceResult } from '@agent-wallet/prices';
import {
  type ChainAccount,
  CPMM_AUTHORITY,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  type TokenHolding,
} from '@agent-wallet/solana';
import { GetBalances } from '../src/application/wallets/get-balances.js';
import { toBalancesResponse } from '../src/grpc/messages.js';
import { FakeWallets, REGISTRY } from './fakes.js';

const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const BONK = 'DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPB263';
const WRAPPED = 'So11111111111111111111111111111111111111112';
const agentId = newId();
const wallet = newAddress();

let tokens: TokenHolding[];
let unparsed: string[];
let logged: object[];
let prices: Map<string, PriceResult>;
let asked: string[][];
let chainCalls: number;
let read: string[][];
let mintAccounts: Map<string, ChainAccount>;

beforeEach(() => {
  tokens = [];
  unparsed = [];
  logged = [];
  prices = new Map([[WRAPPED, price('150', 9, 2_000)]]);
  asked = [];
  chainCalls = 0;
  read = [];
  mintAccounts = new Map();
});

function price(usd: string, decimals: number, pricedAtMs = 1_000): PriceResult {
  return { price: parseUsdPrice(usd), decimals, liquidityUsd: null, pricedAtMs, readAtMs: pricedAtMs };
}

function holding(mint: string, amount: bigint, decimals = 6): TokenHolding {
  return { account: newAddress(), mint, amount, decimals, frozen: false, tokenProgram: TOKEN_PROGRAM, isScaled: false };
}

function mintAccount(mintAuthority: string): ChainAccount {
  const data = Buffer.alloc(MINT_SIZE);
  const authority = new PublicKey(mintAuthority);
  const facts = { mintAuthorityOption: 1 as const, mintAuthority: authority, supply: 1n, decimals: 9 };
  MintLayout.encode({ ...facts, isInitialized: true, freezeAuthorityOption: 0, freezeAuthority: authority }, data);
  return { owner: TOKEN_PROGRAM, data, lamports: 1n, executable: false };
}

async function balances(failure?: Error) {
  const wallets = new FakeWallets();
  await wallets.add(agentId, wallet);
  const chain = {
    walletHoldings: async () => {
      chainCalls += 1;
      return { slot: 1, lamports: 1_500_000_000n, tokens, unparsed };
    },
    accounts: async (addresses: readonly string[]) => {
      read.push([...addresses]);
      return { slot: 1, accounts: addresses.map((address) => mintAccounts.get(address) ?? null) };
    },
  };
  const reader = {
    prices: async (mints: readonly string[]) => {
      asked.push([...mints]);
      if (failure) throw failure;
      return prices;
    },
  };
  const logger = { warn: (fields: object) => logged.push(fields) } as unknown as Logger;
  return new GetBalances(wallets, chain, reader, { registry: REGISTRY, logger }).execute(agentId);
}

describe('balances', () => {
  it('mark a token whose mint scales it, and give it no value', async () => {
    const mint = newAddress();
    prices.set(mint, price('2', 6));
    tokens = [{ ...holding(mint, 1_000_000n), isScaled: true }, holding(mint, 0n)];
    const found = await balances();
    expect(found.tokens).toMatchObject([{ mint, amount: 1_000_000n, usdMicros: undefined, isScaled: true }]);
    expect(found.totalUsdMicros).toBe(found.sol.usdMicros);
    expect(toBalancesResponse(found).tokens).toMatchObject([{ isScaled: true }]);
  });

  it('come without token accounts that the node cannot parse, which are logged', async () => {
    tokens = [holding(USDC, 1_000_000n)];
    unparsed = [newAddress()];
    expect((await balances()).tokens).toMatchObject([{ mint: USDC }]);
    expect(logged).toEqual([{ event: 'balances.account_unparsed', wallet, accounts: unparsed }]);
  });

  it('value the native coin by its wrapped mint, and keep the wrapped token apart', async () => {
    tokens = [holding(WRAPPED, 1_000_000_000n, 9)];
    const found = await balances();
    expect(found.sol).toEqual({
      mint: '',
      symbol: 'SOL',
      amount: 1_500_000_000n,
      decimals: 9,
      usdMicros: 225_000_000n,
      isLiquidity: false,
      isScaled: false,
    });
    expect(found.tokens).toMatchObject([{ mint: WRAPPED, symbol: 'wSOL', usdMicros: 150_000_000n }]);
    expect(found.totalUsdMicros).toBe(375_000_000n);
  });

  it('add up all accounts of a mint, leave out empty ones, and come by value, then by mint', async () => {
    const unknown = newAddress();
    tokens = [
      holding(unknown, 5n),
      holding(BONK, 100_000n, 5),
      holding(USDC, 1n),
      holding(USDC, 2_999_999n),
      holding(newAddress(), 0n),
    ];
    prices.set(USDC, price('1', 6)).set(BONK, price('0.00002', 5));
    const found = await balances();
    expect(found.tokens.map(({ mint, amount, usdMicros }) => [mint, amount, usdMicros])).toEqual([
      [USDC, 3_000_000n, 3_000_000n],
      [BONK, 100_000n, 20n],
      [unknown, 5n, undefined],
    ]);
    expect(found.pricedAtMs).toBe(1_000);
  });

  it('have no value where no price is known, the price is stale, or it is for other decimals: never 0', async () => {
    tokens = [holding(USDC, 1_000_000n), holding(BONK, 1n, 5)];
    prices = new Map<string, PriceResult>([
      [WRAPPED, { unavailable: 'stale' }],
      [USDC, price('1', 9)],
    ]);
    const found = await balances();
    expect([found.sol, ...found.tokens].map(({ usdMicros }) => usdMicros)).toEqual([undefined, undefined, undefined]);
    expect(found).toMatchObject({ totalUsdMicros: 0n, pricedAtMs: undefined });
    expect(toBalancesResponse(found)).toMatchObject({ pricedAtMs: 0n, totalUsdMicros: 0n });
  });

  it('are an error when the node gives a known mint other decimals, which would make it another amount', async () => {
    tokens = [holding(USDC, 1_000_000n, 9)];
    await expect(balances()).rejects.toMatchObject({ code: 'UPSTREAM_ERROR' });
    tokens = [holding(newAddress(), 1_000_000n, 9)];
    await expect(balances()).resolves.toMatchObject({ tokens: [{ decimals: 9 }] });
  });

  it('have no value where it would be absurd', async () => {
    const mint = newAddress();
    tokens = [holding(mint, 2n ** 64n - 1n, 0)];
    prices.set(mint, price('1000000000000', 0));
    expect((await balances()).tokens[0]!.usdMicros).toBeUndefined();
  });

  it('are shown without values when prices cannot be read', async () => {
    expect(await balances(new AppError('UPSTREAM_ERROR'))).toMatchObject({
      sol: { amount: 1_500_000_000n, usdMicros: undefined },
    });
  });

  it('mark tokens that only the program of a venue can mint, with a price or without', async () => {
    const [share, plain, other, priced, six] = Array.from({ length: 5 }, newAddress) as [string, ...string[]];
    tokens = [share, plain!, other!, priced!, WRAPPED].map((mint) => holding(mint, 1n, 9));
    tokens.push(holding(six!, 1n));
    prices.set(priced!, price('1', 9));
    mintAccounts.set(share, mintAccount(CPMM_AUTHORITY)).set(plain!, mintAccount(newAddress()));
    mintAccounts.set(priced!, mintAccount(CPMM_AUTHORITY));
    mintAccounts.set(other!, { ...mintAccount(CPMM_AUTHORITY), owner: TOKEN_2022_PROGRAM });
    const found = await balances();
    expect(read.map((mints) => [...mints].sort())).toEqual([[share, plain, other, priced].sort()]);
    const marked = found.tokens.filter(({ isLiquidity }) => isLiquidity).map(({ mint }) => mint);
    expect([...marked].sort()).toEqual([share, priced!].sort());
  });

  it('list at most 1,000 tokens, those with a value first', async () => {
    tokens = [...Array.from({ length: 1_000 }, () => holding(newAddress(), 1n)), holding(USDC, 1_000_000n)];
    prices.set(USDC, price('1', 6));
    const found = await balances();
    expect(found.tokens).toHaveLength(1_000);
    expect(found.tokens[0]).toMatchObject({ mint: USDC, usdMicros: 1_000_000n });
  });

  it('cost one call to the chain and one for the prices, however many tokens there are', async () => {
    tokens = Array.from({ length: 500 }, () => holding(newAddress(), 1n));
    tokens.push(holding(USDC, 1_000_000n));
    await balances();
    expect(chainCalls).toBe(1);
    expect(asked).toHaveLength(1);
    expect(asked[0]).toHaveLength(100);
    expect(asked[0]!.slice(0, 2)).toEqual([WRAPPED, USDC]);
  });
});
