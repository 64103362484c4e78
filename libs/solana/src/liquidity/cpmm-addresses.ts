import { RecentlyUsed } from '@agent-wallet/kernel';
import { addressBytes, addressOf } from '../addresses/address.js';
import { programDerivedAddress } from '../addresses/associated-token-address.js';

/** Raydium's constant-product program on mainnet. */
export const CPMM_PROGRAM = 'CPMMoo8L3F4NbTegBCKVNunggL7H1ZpdTHKxQB5qKP1C';
const PROGRAM_BYTES = addressBytes(CPMM_PROGRAM);

const seed = (text: string): Uint8Array => new TextEncoder().encode(text);

/** The owner of all vaults and the authority of all liquidity mints: a PDA without a key. */
export const CPMM_AUTHORITY = addressOf(programDerivedAddress([seed('vault_and_lp_mint_auth_seed')], PROGRAM_BYTES));

/** Facts from which the address of a pool derives. */
interface CpmmPoolKey {
  /** Base58 address of the account that sets its fees. */
  readonly config: string;
  /** Base58; the bytes of the first are the lower ones. */
  readonly mints: readonly [string, string];
}

/** Addresses of a pool's accounts, in base58. */
export interface CpmmAddresses {
  readonly pool: string;
  readonly vaults: readonly [string, string];
  /** Mint of its liquidity tokens. */
  readonly lpMint: string;
}

/** About 0.6 kB each. */
const derived = new RecentlyUsed<CpmmAddresses>(10_000);

/** Derives the addresses of a pool's accounts. Recent results are cached. @throws TypeError when a text is not an address */
export function cpmmAddresses({ config, mints }: CpmmPoolKey): CpmmAddresses {
  return derived.useOrMake(`${config} ${mints.join(' ')}`, () => {
    const [mint0, mint1] = mints.map(addressBytes) as [Uint8Array, Uint8Array];
    const pool = programDerivedAddress([seed('pool'), addressBytes(config), mint0, mint1], PROGRAM_BYTES);
    const ofPool = (name: string, ...more: Uint8Array[]) =>
      addressOf(programDerivedAddress([seed(name), pool, ...more], PROGRAM_BYTES));
    return {
      pool: addressOf(pool),
      vaults: [ofPool('pool_vault', mint0), ofPool('pool_vault', mint1)],
      lpMint: ofPool('pool_lp_mint'),
    };
  });
}

/** Reports whether two mints stand in the order in which a pool names them. @throws TypeError when one is not an address */
export function areInPoolOrder([mint0, mint1]: readonly [string, string]): boolean {
  return Buffer.compare(addressBytes(mint0), addressBytes(mint1)) < 0;
}
