import { readDecimal } from '@agent-wallet/kernel';
import type { Account } from '../chain/account.js';
import type { ChainClock } from '../chain/chain-clock.js';
import type { DerivedAccounts } from '../chain/chain.js';
import { type Key, key } from '../encoding/keys.js';
import { MAINNET_TOKENS } from '../tokens/mainnet.js';
import { isPlainPrice, type PriceBoard, type PublishedPrice } from './price-board.js';

/** The program that owns the accounts of Pyth's feeds on mainnet. */
const RECEIVER = key('rec5EKMGg6MxZYaMdyBfgwp4d5rB9T1VQH5pJv5LtFJ');

/** A feed as it is on mainnet. */
interface Feed {
  readonly mint: Key;
  readonly id: Buffer;
  /** Decimals of its prices. */
  readonly scale: number;
}

/** The feeds' accounts, as Pyth lists them for mainnet, and their IDs. */
const FEEDS: ReadonlyMap<Key, Feed> = new Map(
  (
    [
      [
        'SOL',
        '7UVimffxr9ow1uXYxsr4LHAcV58mLzhmwaeKvJ1pjLiE',
        'ef0d8b6fda2ceba41da15d4095d1da392a0d2f8ed0c6c7bc0f4cfac8c280b56d',
        8,
      ],
      [
        'USDC',
        'Dpw1EAVrSB1ibxiDQyTAW6Zip3J4Btk2x4SgApQCeFbX',
        'eaa020c61cc479712813461ce153894a96a6c00b21ed0cfc2798d1f9a9e9c94a',
        8,
      ],
      [
        'USDT',
        'HT2PLQBcG5EiCcNSaMHAjSgd9F98ecpATbk4Sk5oYuM',
        '2b89b9dc8fdf9f34709a5b106b472f0f39bb6ca9ce04b0fd7f2e971688e2e53b',
        8,
      ],
      [
        'JUP',
        '7dbob1psH1iZBS7qPsm3Kwbf5DzSXK8Jyg31CTgTnxH5',
        '0a0408d619e9380abad35060f9192039ed5042fa6f82301d0e48bb52be830996',
        8,
      ],
      [
        'BONK',
        'DBE3N8uNjhKPRHfANdwGvCZghWXyLPdqdSbEW2XFwBiX',
        '72b021217ca3fe68922a19aaf990109cb9d84e9ad004b4d2025ad6f529314419',
        10,
      ],
      [
        'WIF',
        '6B23K3tkb51vLZA14jcEQVCA1pfHptzEHFA93V5dYwbT',
        '4ca4beeca86f0d164160323817a4e42b10010a724c2217c6ee41b54cd4cc61fc',
        8,
      ],
      [
        'RAY',
        'Hhipna3EoWR7u8pDruUg8RxhP5F6XLh6SEHMVDmZhWi8',
        '91568baa8beb53db23eb3fb7f22c6e8bd303d103919e19733f2bb642d3e7987a',
        8,
      ],
      [
        'ORCA',
        '4CBshVeNBEXz24GZpoj8SrqP5L7VGG3qjGd6tCST1pND',
        '37505261e557e251290b8c8899453064e8d760ed5c65a779726f2490980da74c',
        8,
      ],
    ] as const
  ).map(([symbol, account, id, scale]) => {
    const { mint } = MAINNET_TOKENS.find((token) => token.symbol === symbol)!;
    return [key(account), { mint, id: Buffer.from(id, 'hex'), scale }];
  }),
);

/** `account:PriceUpdateV2` by Anchor's rule. */
const DISCRIMINATOR = Buffer.from('22f123639d7ef4cd', 'hex');
const BYTES = 134;
const RENT_LAMPORTS = 1_823_520n;
const FULLY_VERIFIED = 1;
/** The confidence of feeds that trade much, in parts of the price. */
const CONFIDENCE_PERCENT = 0.1;
const PARTS_PER_PERCENT = 10_000;
const MAX_I64 = 2n ** 63n - 1n;

/** Returns a price account for every feed whose token has a price. Nothing pushes updates: each read finds a new one. */
export function oracleAccounts(prices: PriceBoard, clock: ChainClock): DerivedAccounts {
  return (address, slot) => {
    const feed = FEEDS.get(address);
    const price = feed && prices.published('oracle', feed.mint, slot);
    return price && priceAccount(feed, price, Math.floor(clock.slotTimeMs(price.blockId) / 1000));
  };
}

/** Builds a `PriceUpdateV2`; undefined where the price is too odd for one. */
function priceAccount(feed: Feed, published: PublishedPrice, publishTime: number): Account | undefined {
  if (!isPlainPrice(published.usdText)) return undefined;
  const { digits, scale } = readDecimal(published.usdText);
  const price = (digits * 10n ** BigInt(feed.scale)) / 10n ** BigInt(scale);
  if (price > MAX_I64) return undefined;
  const parts = BigInt(Math.round((published.confidencePercent ?? CONFIDENCE_PERCENT) * PARTS_PER_PERCENT));
  const confidence = (price * parts) / BigInt(100 * PARTS_PER_PERCENT);
  const data = Buffer.alloc(BYTES);
  DISCRIMINATOR.copy(data, 0);
  data.writeUInt8(FULLY_VERIFIED, 40);
  feed.id.copy(data, 41);
  data.writeBigInt64LE(price, 73);
  data.writeBigUInt64LE(confidence, 81);
  data.writeInt32LE(-feed.scale, 89);
  data.writeBigInt64LE(BigInt(publishTime), 93);
  data.writeBigInt64LE(BigInt(publishTime), 101);
  data.writeBigInt64LE(price, 109);
  data.writeBigUInt64LE(confidence, 117);
  data.writeBigUInt64LE(BigInt(published.blockId), 125);
  return { lamports: RENT_LAMPORTS, owner: RECEIVER, data, executable: false };
}
