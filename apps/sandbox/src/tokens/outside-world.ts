import { ASSOCIATED_TOKEN_PROGRAM_ID, getAssociatedTokenAddressSync } from '@solana/spl-token';
import { PublicKey } from '@solana/web3.js';
import { type Key, keyBytes, keyOf } from '../encoding/keys.js';
import type { AccountChange } from '../chain/account.js';
import { deriveKeypair, type Keypair } from '../chain/keypair.js';
import { NATIVE_MINT, SYSTEM_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../chain/programs.js';
import { MINT_BYTES, mintBytes, TOKEN_ACCOUNT_BYTES, tokenAccountBytes } from '../chain/token-layout.js';
import { MAINNET_TOKENS, type TokenInfo } from './mainnet.js';

/** 500 million SOL, and as many base units of each token. */
const FAUCET_LAMPORTS = 500_000_000_000_000_000n;
const FAUCET_UNITS = 1_000_000_000_000_000_000n;

const LAMPORTS_PER_BYTE = 6960n;
const ACCOUNT_OVERHEAD_BYTES = 128;

/** The people outside the product: a rich wallet that pays the faucet, and the authority over the mints. */
export interface OutsideWorld {
  readonly faucet: Keypair;
  readonly mintAuthority: Keypair;
}

/** The same people for the same world. */
export function outsideWorld(seed: Buffer): OutsideWorld {
  return { faucet: deriveKeypair(seed, 'faucet'), mintAuthority: deriveKeypair(seed, 'mint authority') };
}

/** The accounts a new world begins with: mainnet's mints, and the faucet's wallet with plenty of each. */
export function genesisAccounts({ faucet, mintAuthority }: OutsideWorld): AccountChange[] {
  const accounts = [account(faucet.key, SYSTEM_PROGRAM, Buffer.alloc(0), FAUCET_LAMPORTS)];
  const authority = keyBytes(mintAuthority.key);
  for (const token of MAINNET_TOKENS) {
    if (token.mint === NATIVE_MINT) continue;
    const mint = { authority, supply: FAUCET_UNITS, decimals: token.decimals };
    const bytes = mintBytes(token.freezable ? { ...mint, freezeAuthority: authority } : mint);
    accounts.push(account(token.mint, TOKEN_PROGRAM, bytes, rent(MINT_BYTES)));
    const held = tokenAccountBytes(keyBytes(token.mint), keyBytes(faucet.key), FAUCET_UNITS);
    accounts.push(account(tokenAccountOf(faucet.key, token), TOKEN_PROGRAM, held, rent(TOKEN_ACCOUNT_BYTES)));
  }
  return accounts;
}

/** The id of the token program a token lives under. */
export function programIdOf(token: Pick<TokenInfo, 'program'>): PublicKey {
  return publicKey(token.program === 'token' ? TOKEN_PROGRAM : TOKEN_2022_PROGRAM);
}

/** The associated token account of a wallet. */
export function tokenAccountOf(wallet: Key, token: Pick<TokenInfo, 'mint' | 'program'>): Key {
  const [mint, owner] = [publicKey(token.mint), publicKey(wallet)];
  return keyOf(
    getAssociatedTokenAddressSync(mint, owner, true, programIdOf(token), ASSOCIATED_TOKEN_PROGRAM_ID).toBytes(),
  );
}

/** The key as the SDK wants it. */
export function publicKey(putative: Key): PublicKey {
  return new PublicKey(keyBytes(putative));
}

function account(at: Key, owner: Key, data: Buffer, lamports: bigint): AccountChange {
  return { key: at, after: { lamports, owner, data, executable: false } };
}

function rent(bytes: number): bigint {
  return BigInt(bytes + ACCOUNT_OVERHEAD_BYTES) * LAMPORTS_PER_BYTE;
}
