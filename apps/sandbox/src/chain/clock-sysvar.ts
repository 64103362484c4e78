import { key } from '../encoding/keys.js';
import type { Account } from './account.js';
import type { ChainClock } from './chain-clock.js';

export const SLOTS_PER_EPOCH = 432_000;

/** Where every chain keeps the slot, the epoch and the time of its newest block. */
export const CLOCK_SYSVAR = key('SysvarC1ock11111111111111111111111111111111');

export const SYSVAR_OWNER = key('Sysvar1111111111111111111111111111111111111');

const BYTES = 40;
const RENT_LAMPORTS = 1_169_280n;

/** The clock as it stands at a slot. The time is whole seconds, the same that getBlockTime answers. */
export function clockSysvar(clock: ChainClock, slot: number): Account {
  const seconds = (at: number): bigint => BigInt(Math.floor(clock.slotTimeMs(at) / 1000));
  const epoch = Math.floor(slot / SLOTS_PER_EPOCH);
  const data = Buffer.alloc(BYTES);
  data.writeBigUInt64LE(BigInt(slot), 0);
  data.writeBigInt64LE(seconds(epoch * SLOTS_PER_EPOCH), 8);
  data.writeBigUInt64LE(BigInt(epoch), 16);
  data.writeBigUInt64LE(BigInt(epoch + 1), 24);
  data.writeBigInt64LE(seconds(slot), 32);
  return { lamports: RENT_LAMPORTS, owner: SYSVAR_OWNER, data, executable: false };
}
