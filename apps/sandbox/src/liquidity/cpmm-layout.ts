import type { Account } from '../chain/account.js';
import { type Key, keyAt, keyBytes } from '../encoding/keys.js';

const POOL_DISCRIMINATOR = Buffer.from('f7ede3f5d7c3de46', 'hex');
const CONFIG_DISCRIMINATOR = Buffer.from('daf42168cbcb2b6f', 'hex');
const OBSERVATION_DISCRIMINATOR = Buffer.from('7aaec5358109a584', 'hex');
const POOL_BYTES = 637;
const CONFIG_BYTES = 236;
const OBSERVATION_BYTES = 4075;

const STATUS_AT = 329;
const LP_SUPPLY_AT = 333;
const PROTOCOL_FEES_AT = 341;
const FUND_FEES_AT = 357;
const OPEN_TIME_AT = 373;
const CREATOR_FEES_AT = 397;

/** A value for each side of a pool. */
export type Sides<T> = readonly [T, T];

/** A pool's account, decoded. `program` owns it; the rest is its data. */
export interface CpmmPool {
  readonly address: Key;
  readonly program: Key;
  readonly config: Key;
  readonly creator: Key;
  readonly vaults: Sides<Key>;
  readonly lpMint: Key;
  readonly mints: Sides<Key>;
  readonly tokenPrograms: Sides<Key>;
  readonly observation: Key;
  readonly authorityBump: number;
  /** Bits of what is off: 1 deposits, 2 withdrawals, 4 swaps. */
  readonly status: number;
  readonly decimals: Sides<number>;
  /** LP units of the pool's own count, with those that no account holds. */
  readonly lpSupply: bigint;
  readonly protocolFees: Sides<bigint>;
  readonly fundFees: Sides<bigint>;
  readonly creatorFees: Sides<bigint>;
  /** Unix seconds from which swaps are allowed. */
  readonly openTime: bigint;
}

/** A fee tier. Rates are parts of a million; those of protocol and fund are of the trade fee. */
export interface CpmmConfig {
  readonly index: number;
  readonly tradeFeeRate: bigint;
  readonly protocolFeeRate: bigint;
  readonly fundFeeRate: bigint;
  /** Lamports. */
  readonly createPoolFee: bigint;
}

/** Decimals of every LP mint. */
export const LP_DECIMALS = 9;

/** Writes a pool's account data. */
export function poolBytes(pool: CpmmPool): Buffer {
  const data = Buffer.alloc(POOL_BYTES);
  POOL_DISCRIMINATOR.copy(data);
  const { config, creator, vaults, lpMint, mints, tokenPrograms, observation } = pool;
  const keys = [config, creator, ...vaults, lpMint, ...mints, ...tokenPrograms, observation];
  keys.forEach((one, index) => keyBytes(one).copy(data, 8 + 32 * index));
  data[328] = pool.authorityBump;
  data[STATUS_AT] = pool.status;
  data[330] = LP_DECIMALS;
  data[331] = pool.decimals[0];
  data[332] = pool.decimals[1];
  data.writeBigUInt64LE(pool.lpSupply, LP_SUPPLY_AT);
  writeSides(data, PROTOCOL_FEES_AT, pool.protocolFees);
  writeSides(data, FUND_FEES_AT, pool.fundFees);
  data.writeBigUInt64LE(pool.openTime, OPEN_TIME_AT);
  writeSides(data, CREATOR_FEES_AT, pool.creatorFees);
  return data;
}

/** Whether an account looks like a pool, of any program. */
export function isPool(account: Account | undefined): account is Account {
  return account?.data.length === POOL_BYTES && account.data.subarray(0, 8).equals(POOL_DISCRIMINATOR);
}

/** Reads a pool. Only for accounts that look like one. */
export function readPool(address: Key, { owner, data }: Account): CpmmPool {
  const keyOfField = (index: number) => keyAt(data, 8 + 32 * index);
  return {
    address,
    program: owner,
    config: keyOfField(0),
    creator: keyOfField(1),
    vaults: [keyOfField(2), keyOfField(3)],
    lpMint: keyOfField(4),
    mints: [keyOfField(5), keyOfField(6)],
    tokenPrograms: [keyOfField(7), keyOfField(8)],
    observation: keyOfField(9),
    authorityBump: data[328]!,
    status: data[STATUS_AT]!,
    decimals: [data[331]!, data[332]!],
    lpSupply: data.readBigUInt64LE(LP_SUPPLY_AT),
    protocolFees: readSides(data, PROTOCOL_FEES_AT),
    fundFees: readSides(data, FUND_FEES_AT),
    creatorFees: readSides(data, CREATOR_FEES_AT),
    openTime: data.readBigUInt64LE(OPEN_TIME_AT),
  };
}

/** Writes a fee tier's account data. */
export function configBytes(config: CpmmConfig, bump: number, owner: Key): Buffer {
  const data = Buffer.alloc(CONFIG_BYTES);
  CONFIG_DISCRIMINATOR.copy(data);
  data[8] = bump;
  data.writeUInt16LE(config.index, 10);
  data.writeBigUInt64LE(config.tradeFeeRate, 12);
  data.writeBigUInt64LE(config.protocolFeeRate, 20);
  data.writeBigUInt64LE(config.fundFeeRate, 28);
  data.writeBigUInt64LE(config.createPoolFee, 36);
  keyBytes(owner).copy(data, 44);
  keyBytes(owner).copy(data, 76);
  return data;
}

/** Writes the account data of a pool's price record, without any price. */
export function observationBytes(pool: Key): Buffer {
  const data = Buffer.alloc(OBSERVATION_BYTES);
  OBSERVATION_DISCRIMINATOR.copy(data);
  data[8] = 1;
  keyBytes(pool).copy(data, 11);
  return data;
}

function writeSides(data: Buffer, at: number, [first, second]: Sides<bigint>): void {
  data.writeBigUInt64LE(first, at);
  data.writeBigUInt64LE(second, at + 8);
}

function readSides(data: Buffer, at: number): Sides<bigint> {
  return [data.readBigUInt64LE(at), data.readBigUInt64LE(at + 8)];
}
