import { key } from '../encoding/keys.js';
import { derivedAddress } from '../market/pool.js';

/** Raydium's older pools. They are called "Standard", too, and no client of the CPMM may use them. */
export const AMM_V4_PROGRAM = key('675kPX9MHTjS2zt1qfr1NYHuzeLXfQM9H24wFSUt1Mp8');

/** The one pool of that program, for SOL and USDC. It is listed; nothing trades in it. */
export const AMM_V4_POOL = derivedAddress('amm v4 pool');

/** Keys that it is listed with. */
export const AMM_V4_KEYS = {
  vaults: [derivedAddress('amm v4 vault 0'), derivedAddress('amm v4 vault 1')],
  lpMint: derivedAddress('amm v4 lp mint'),
} as const;
