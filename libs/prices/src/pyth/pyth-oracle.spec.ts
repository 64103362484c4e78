import { AppError } from '@agent-wallet/kernel';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { FakeClock } from '../testing/fake-clock.js';
import { priceAccount } from '../testing/price-account.js';
import { PYTH_PROGRAMS, pythFeeds } from './feeds.js';
import { pythOracle } from './pyth-oracle.js';

const FEEDS = pythFeeds(PYTH_PROGRAMS, 'sandbox');
const SOL = FEEDS[0]!;
const PRICE = { digits: 15_012_345_678n, scale: 8 };

const clock = new FakeClock();
/** Changes to the account of SOL's feed: bytes by offset, or another owner. */
let change: (data: Buffer) => void;
let owner: string;
let reads: number;
let chain: { accounts: (addresses: readonly string[]) => Promise<{ accounts: readonly never[] }> };

beforeEach(() => {
  change = () => {};
  owner = PYTH_PROGRAMS.receiver;
  reads = 0;
  chain = {
    accounts: async (addresses) => {
      reads += 1;
      const accounts = addresses.map((address) => {
        const feed = FEEDS.find((each) => each.account === address)!;
        const data = priceAccount(feed.id, { publishedAtMs: clock.nowMs() });
        if (feed === SOL) change(data);
        return { owner: feed === SOL ? owner : PYTH_PROGRAMS.receiver, lamports: 1n, data, executable: false };
      });
      return { accounts: accounts as unknown as readonly never[] };
    },
  };
});

function open() {
  const priceClock = { nowMs: async () => clock.nowMs() };
  return pythOracle({ chain, priceClock, clock, programs: PYTH_PROGRAMS, network: 'sandbox', maxAgeMs: 180_000 });
}

const ask = async () => (await open().prices([SOL.mint])).get(SOL.mint);

describe('feeds of Pyth', () => {
  it('have the accounts that Pyth lists', () => {
    expect(FEEDS.map(({ account }) => account)).toEqual([
      '7UVimffxr9ow1uXYxsr4LHAcV58mLzhmwaeKvJ1pjLiE',
      'Dpw1EAVrSB1ibxiDQyTAW6Zip3J4Btk2x4SgApQCeFbX',
      'HT2PLQBcG5EiCcNSaMHAjSgd9F98ecpATbk4Sk5oYuM',
      '7dbob1psH1iZBS7qPsm3Kwbf5DzSXK8Jyg31CTgTnxH5',
      'DBE3N8uNjhKPRHfANdwGvCZghWXyLPdqdSbEW2XFwBiX',
      '6B23K3tkb51vLZA14jcEQVCA1pfHptzEHFA93V5dYwbT',
      'Hhipna3EoWR7u8pDruUg8RxhP5F6XLh6SEHMVDmZhWi8',
      '4CBshVeNBEXz24GZpoj8SrqP5L7VGG3qjGd6tCST1pND',
    ]);
  });
});

describe('feeds without an account', () => {
  it('are reported once, by their mints', async () => {
    const reported: Array<readonly string[]> = [];
    const priceClock = { nowMs: async () => clock.nowMs() };
    const oracle = pythOracle({
      ...{ chain, priceClock, clock, programs: PYTH_PROGRAMS, network: 'sandbox', maxAgeMs: 180_000 },
      onMissing: (mints) => reported.push(mints),
    });
    await oracle.prices([SOL.mint]);
    expect(reported).toEqual([]);
    owner = '11111111111111111111111111111111';
    for (const readAfterMs of [Infinity, Infinity]) await oracle.prices([SOL.mint], { readAfterMs });
    expect(reported).toEqual([[SOL.mint]]);
  });
});

describe('the price of a feed', () => {
  it('is read with its exponent', async () => {
    const nowMs = clock.nowMs();
    expect(await ask()).toEqual({ price: PRICE, publishedAtMs: nowMs, readAtMs: nowMs });
  });

  it.each([
    ['another program owns it', () => (owner = '11111111111111111111111111111111')],
    ['it is of another feed', () => (change = (data) => data.set(FEEDS[1]!.id, 41))],
    ['it was verified in part', () => (change = (data) => data.writeUInt8(0, 40))],
    ['it is another kind of account', () => (change = (data) => data.writeUInt8(0, 0))],
    ['the price is zero', () => (change = (data) => data.writeBigInt64LE(0n, 73))],
    ['the price is negative', () => (change = (data) => data.writeBigInt64LE(-1n, 73))],
    ['the exponent is positive', () => (change = (data) => data.writeInt32LE(1, 89))],
    ['the exponent is absurd', () => (change = (data) => data.writeInt32LE(-19, 89))],
  ])('is missing when %s', async (_, make) => {
    make();
    expect(await ask()).toBe('oracle_missing');
  });

  it('is missing when the account does not exist', async () => {
    chain = { accounts: async (addresses) => ({ accounts: addresses.map(() => null) as unknown as never[] }) };
    expect(await ask()).toBe('oracle_missing');
  });

  it.each([
    [180, { price: PRICE, publishedAtMs: clock.nowMs() - 180_000, readAtMs: clock.nowMs() }],
    [181, 'oracle_stale'],
    [-181, 'oracle_stale'],
  ])('published %i seconds ago is %j', async (ageSeconds, expected) => {
    change = (data) => data.writeBigInt64LE(BigInt(clock.nowMs() / 1_000 - ageSeconds), 93);
    expect(await ask()).toEqual(expected);
  });

  it('is uncertain with a confidence above 2 % of it', async () => {
    change = (data) => data.writeBigUInt64LE(300_246_914n, 81);
    expect(await ask()).toBe('oracle_uncertain');
  });

  it('is read once for all who ask within two seconds', async () => {
    const oracle = open();
    await Promise.all([oracle.prices([SOL.mint]), oracle.prices([FEEDS[3]!.mint])]);
    clock.pass(2_000);
    await oracle.prices([SOL.mint]);
    expect(reads).toBe(1);
    await oracle.prices([SOL.mint], { readAfterMs: clock.nowMs() - 1 });
    expect(reads).toBe(2);
    clock.pass(2_001);
    await oracle.prices([SOL.mint]);
    expect(reads).toBe(3);
  });

  it('costs nothing for a token without a feed', async () => {
    expect(await open().prices(['another mint'])).toEqual(new Map());
    expect(reads).toBe(0);
  });

  it('fails when the chain does, and is read again', async () => {
    const { accounts } = chain;
    const oracle = open();
    chain.accounts = async () => {
      throw new AppError('UPSTREAM_ERROR');
    };
    await expect(oracle.prices([SOL.mint])).rejects.toMatchObject({ code: 'UPSTREAM_ERROR' });
    chain.accounts = accounts;
    expect((await oracle.prices([SOL.mint])).size).toBe(1);
  });
});
