import { createHash } from 'node:crypto';
import { type Key, keyAt, keyBytes } from '../encoding/keys.js';
import type { Venue } from './venues.js';

const MAGIC = Buffer.from('awpool01');
const POOL_BYTES = 176;
const RESERVES_AT = 136;
const FEE_AT = 152;
const TARGET_AT = 160;

/** Two amounts, of the pair's tokens `a` and `b`, in base units. */
export interface Reserves {
  readonly a: bigint;
  readonly b: bigint;
}

/** Where a venue's pool for two tokens lies. */
export interface Pool {
  readonly venue: Venue;
  readonly mintA: Key;
  readonly mintB: Key;
  readonly address: Key;
  readonly vaultA: Key;
  readonly vaultB: Key;
}

/** What a pool's account says. */
export interface PoolState {
  readonly reserves: Reserves;
  /** The reserves it was given when it last followed the price board. */
  readonly target: Reserves;
}

/** The pool of a venue; the same in every world. */
export function poolOf(venue: Venue, mintA: Key, mintB: Key): Pool {
  const address = derivedAddress('pool', Buffer.from(venue.name), keyBytes(mintA), keyBytes(mintB));
  const vaultOf = (mint: Key) => derivedAddress('vault', keyBytes(address), keyBytes(mint));
  return { venue, mintA, mintB, address, vaultA: vaultOf(mintA), vaultB: vaultOf(mintB) };
}

/** An address that follows from names alone; it has no private key. */
export function derivedAddress(kind: string, ...names: readonly Buffer[]): Key {
  const hash = createHash('sha256').update(`agent-wallet sandbox/${kind}/`);
  for (const name of names) hash.update(name);
  return keyAt(hash.digest());
}

/** A pool's account data, as `programs/aggregator.c` reads it; what lies behind the fee is for us alone. */
export function poolBytes(pool: Pool, { reserves, target }: PoolState): Buffer {
  const data = Buffer.alloc(POOL_BYTES);
  MAGIC.copy(data);
  [pool.mintA, pool.mintB, pool.vaultA, pool.vaultB].forEach((key, i) => keyBytes(key).copy(data, 8 + 32 * i));
  writeReserves(data, RESERVES_AT, reserves);
  data.writeBigUInt64LE(BigInt(pool.venue.feeBps), FEE_AT);
  writeReserves(data, TARGET_AT, target);
  return data;
}

/** Reads what `poolBytes` wrote and the program changed. */
export function readPool(data: Buffer): PoolState {
  return { reserves: reservesAt(data, RESERVES_AT), target: reservesAt(data, TARGET_AT) };
}

function writeReserves(data: Buffer, at: number, { a, b }: Reserves): void {
  data.writeBigUInt64LE(a, at);
  data.writeBigUInt64LE(b, at + 8);
}

function reservesAt(data: Buffer, at: number): Reserves {
  return { a: data.readBigUInt64LE(at), b: data.readBigUInt64LE(at + 8) };
}
