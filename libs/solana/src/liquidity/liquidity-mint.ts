import { TOKEN_PROGRAM } from '../addresses/programs.js';
import { readMint } from '../chain/read-mint.js';
import type { ChainAccount } from '../chain/solana-chain.js';
import { CPMM_AUTHORITY } from './cpmm-addresses.js';

/**
 * Reports whether an account is a mint that only the pools' program can mint, as liquidity tokens are. Anyone can give the
 * program a mint of their own: a pool is found by its address, never by this alone.
 */
export function isLiquidityMint(address: string, account: ChainAccount | null | undefined): boolean {
  return account?.owner === TOKEN_PROGRAM && readMint(address, account)?.mintAuthority === CPMM_AUTHORITY;
}
