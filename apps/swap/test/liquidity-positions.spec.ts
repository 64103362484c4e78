import { AppError, LP_DECIMALS, newId } from '@agent-wallet/kernel';
import {
  addressBytes,
  associatedTokenAddress,
  type ChainAccount,
  CPMM_AUTHORITY,
  TOKEN_PROGRAM,
  type TokenHolding,
} from '@agent-wallet/solana';
import { newAddress } from '@agent-wallet/solana/corpus';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { RaydiumDirectory } from '../src/adapters/raydium-directory.js';
import { FindPools } from '../src/application/liquidity/find-pools.js';
import { ListPositions } from '../src/application/liquidity/list-positions.js';
import type { ReadPools } from '../src/application/liquidity/read-pools.js';

const agentId = newId();
const wallet = newAddress();

let tokens: TokenHolding[];
/** Pools by liquidity mint, as the venue lists them and as this service knows them. */
let listed: Map<string, string>;
let known: Map<string, string>;
let asked: string[][];
let remembered: string[];
let venueIsAway: boolean;
let nowMs: number;
let place: number;

beforeEach(() => {
  tokens = [];
  listed = new Map();
  known = new Map();
  asked = [];
  remembered = [];
  venueIsAway = false;
  nowMs = 1_000_000;
  place = 0;
});

const directory = {
  byLpMint: async (mints: readonly string[]) => {
    asked.push([...mints]);
    if (venueIsAway) throw new AppError('UPSTREAM_TIMEOUT');
    return new Map([...listed].filter(([mint]) => mints.includes(mint)));
  },
};
const knownPools = {
  remember: async (mint: string, pool: string) => {
    remembered.push(mint);
    known.set(mint, pool);
  },
  find: async (mints: readonly string[]) => new Map([...known].filter(([mint]) => mints.includes(mint))),
};
const newFinder = () =>
  new FindPools({ known: knownPools, directory, clock: { nowMs: () => nowMs }, random: () => place });

/** A mint that the venue's program alone can mint. */
function liquidityMint(): ChainAccount {
  const data = Buffer.alloc(82);
  data.writeUInt32LE(1, 0);
  data.set(addressBytes(CPMM_AUTHORITY), 4);
  data.set([LP_DECIMALS, 1], 44);
  return { owner: TOKEN_PROGRAM, data, lamports: 1n, executable: false };
}

function holding(mint: string, amount: bigint, account = ownAccount(mint)): TokenHolding {
  return { account, mint, amount, decimals: LP_DECIMALS, frozen: false, tokenProgram: TOKEN_PROGRAM, isScaled: false };
}

const ownAccount = (mint: string) => associatedTokenAddress({ owner: wallet, mint, tokenProgram: TOKEN_PROGRAM });

/** A pool of that liquidity mint. */
const shownPool = (lpMint: string, address: string) => ({
  pool: { address, lpMint, reserves: [1_000n, 2_000n] as const, lpSupply: 1_000n },
  prices: undefined,
});

function positions(finder = newFinder()) {
  const wallets = { getWallet: async () => ({ address: wallet }), getToken: () => Promise.reject(new Error()) };
  const chain = {
    walletHoldings: async () => ({ slot: 1, lamports: 1n, tokens, unparsed: [] }),
    accounts: async (mints: readonly string[]) => ({ slot: 1, accounts: mints.map(liquidityMint) }),
  };
  const all = () => new Map([...listed, ...known]);
  const pools = {
    shown: async (addresses: readonly string[]) =>
      addresses.map((address) => shownPool([...all()].find(([, pool]) => pool === address)![0], address)),
  };
  const sources = { wallets, chain, known: knownPools, finder };
  return new ListPositions(sources, pools as unknown as ReadPools).execute(agentId);
}

const sizes = async (found: ReturnType<typeof positions>) =>
  (await found).map(({ shown, liquidity }) => [shown.pool.lpMint, liquidity]);

describe('positions', () => {
  it('are what the associated account holds, from which a removal takes', async () => {
    const [mint, foreign] = [newAddress(), newAddress()];
    [mint, foreign].forEach((each) => known.set(each, newAddress()));
    tokens = [holding(mint, 7n), holding(mint, 5n, newAddress()), holding(foreign, 5n, newAddress())];
    expect(await sizes(positions())).toEqual([[mint, 7n]]);
  });

  it('of a pool that the venue has named are stored at the first read, and no read writes after it', async () => {
    const [mint, other] = [newAddress(), newAddress()];
    listed.set(mint, newAddress());
    known.set(other, newAddress());
    tokens = [holding(mint, 7n), holding(other, 3n)];
    await positions();
    expect(remembered).toEqual([mint]);
    await positions();
    expect([remembered, asked]).toEqual([[mint], [[mint]]]);
  });

  it('of known pools are shown while the venue is away, and those of others once it is back', async () => {
    const [mint, other] = [newAddress(), newAddress()];
    known.set(mint, newAddress());
    listed.set(other, newAddress());
    tokens = [holding(mint, 7n), holding(other, 3n)];
    const finder = newFinder();
    venueIsAway = true;
    expect(await sizes(positions(finder))).toEqual([[mint, 7n]]);
    venueIsAway = false;
    expect(new Map((await sizes(positions(finder))) as [string, bigint][])).toEqual(
      new Map([
        [mint, 7n],
        [other, 3n],
      ]),
    );
    // From then on without the venue, in every process.
    venueIsAway = true;
    expect(await sizes(positions())).toHaveLength(2);
  });

  it('are found among any number of mints that only look like liquidity', async () => {
    const mint = newAddress();
    tokens = [...Array.from({ length: 130 }, () => holding(newAddress(), 1_000n)), holding(mint, 1n)];
    listed.set(mint, newAddress());
    expect(await sizes(positions())).toEqual([[mint, 1n]]);
    expect(asked.map((mints) => mints.length)).toEqual([50, 50, 31]);
  });

  it('are at most 1,000', async () => {
    tokens = Array.from({ length: 1_001 }, () => holding(newAddress(), 1n));
    for (const { mint } of tokens) known.set(mint, newAddress());
    expect(await sizes(positions())).toHaveLength(1_000);
  });
});

describe('the venue', () => {
  const mintsOf = (count: number) => Array.from({ length: count }, newAddress);

  it('is asked for 500 mints at most, from a random one on, and later for those that were left out', async () => {
    const mints = mintsOf(600);
    const finder = newFinder();
    place = 590;
    await finder.byLpMint(mints);
    expect(asked.flat()).toEqual([...mints.slice(590), ...mints.slice(0, 490)]);
    asked = [];
    await finder.byLpMint(mints);
    expect(asked.flat()).toEqual(mints.slice(490, 590));
  });

  it('is not asked again for five minutes for mints of which it knows no pool', async () => {
    const finder = newFinder();
    const [mint] = mintsOf(1);
    await finder.byLpMint([mint!]);
    nowMs += 5 * 60_000 - 1;
    expect((await finder.byLpMint([mint!])).listed).toEqual(new Map());
    expect(asked).toHaveLength(1);
    nowMs += 1;
    listed.set(mint!, 'the pool');
    expect((await finder.byLpMint([mint!])).listed).toEqual(new Map([[mint, 'the pool']]));
  });

  it('is asked again at once when it did not answer', async () => {
    const finder = newFinder();
    const [mint] = mintsOf(1);
    venueIsAway = true;
    await finder.byLpMint([mint!]);
    venueIsAway = false;
    listed.set(mint!, 'the pool');
    expect((await finder.byLpMint([mint!])).listed).toEqual(new Map([[mint, 'the pool']]));
  });

  it('that never answers is not waited for any longer than its time limit', async () => {
    const server = createServer(() => undefined);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const raydium = new RaydiumDirectory(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    await expect(raydium.byLpMint(mintsOf(1))).rejects.toMatchObject({ code: 'UPSTREAM_TIMEOUT' });
    server.closeAllConnections();
    server.close();
  });
});
