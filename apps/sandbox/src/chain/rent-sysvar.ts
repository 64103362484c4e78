import { key } from '../encoding/keys.js';
import type { Account } from './account.js';
import { SYSVAR_OWNER } from './clock-sysvar.js';

/** Address of the sysvar account that holds the rent rate. */
export const RENT_SYSVAR = key('SysvarRent111111111111111111111111111111111');

const BYTES = 17;
const LAMPORTS = 1_009_200n;
const EXEMPTION_YEARS = 2;
const BURNT_PERCENT = 50;

/** Returns the account for a rate: an account must hold that times two years times its bytes and 128 more. */
export function rentSysvar(lamportsPerByteYear: number): Account {
  const data = Buffer.alloc(BYTES);
  data.writeBigUInt64LE(BigInt(lamportsPerByteYear), 0);
  data.writeDoubleLE(EXEMPTION_YEARS, 8);
  data.writeUInt8(BURNT_PERCENT, 16);
  return { lamports: LAMPORTS, owner: SYSVAR_OWNER, data, executable: false };
}
