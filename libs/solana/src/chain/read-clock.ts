import { ShapeError } from './shapes.js';
import type { ChainAccount, ChainTime } from './solana-chain.js';

/** Address of the sysvar with the slot, the epoch and the time of the newest block. */
export const CLOCK_SYSVAR = 'SysvarC1ock11111111111111111111111111111111';

const SYSVAR_OWNER = 'Sysvar1111111111111111111111111111111111111';
const BYTES = 40;
const EPOCH_AT = 16;
const UNIX_TIMESTAMP_AT = 32;

/** Reads the clock sysvar. Its time for its slot is the result of `getBlockTime`. @throws ShapeError */
export function readClock(account: ChainAccount | null): Omit<ChainTime, 'readAtMs'> {
  if (account?.owner !== SYSVAR_OWNER || account.data.length !== BYTES) throw new ShapeError('no clock of a chain');
  const data = Buffer.from(account.data.buffer, account.data.byteOffset, BYTES);
  return {
    slot: safe(data.readBigUInt64LE(0), 'the slot'),
    epoch: safe(data.readBigUInt64LE(EPOCH_AT), 'the epoch'),
    blockTimeMs: safe(data.readBigInt64LE(UNIX_TIMESTAMP_AT) * 1000n, 'the time'),
  };
}

function safe(value: bigint, what: string): number {
  if (value < 0n || value > Number.MAX_SAFE_INTEGER) throw new ShapeError(`${what} is not a count`);
  return Number(value);
}
