import { ASSOCIATED_TOKEN_PROGRAM_ID, getAssociatedTokenAddressSync } from '@solana/spl-token';
import { PublicKey } from '@solana/web3.js';
import { type Key, keyBytes, keyOf } from '../encoding/keys.js';
import type { AccountChange } from '../chain/account.js';
import { deriveKeypair, type Keypair } from '../chain/keypair.js';
import { NATIVE_MINT, SYSTEM_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../chain/programs.js';
import { mintBytes, tokenAccountBytes } from '../chain/token-layout.js';
import { MAINNET_TOKENS, type TokenInfo } from './mainnet.js';

/** 500 million SOL, and as many base units of each token. What pools and the maker hold counts in no mint's supply. */
const FAUCET_LAMPORTS = 500_000_000_000_000_000n;
const FAUCET_UNITS = 1_000_000_000_000_000_000n;

const LAMPORTS_PER_BYTE = 6960n;
const ACCOUNT_OVERHEAD_BYTES = 128;

/** The parties outside the product: a rich wallet that pays the faucet, the authority over the mints, a maker. */
export interface SandboxParties {
  readonly faucet: Keypair;
  readonly mintAuthority: Keypair;
  /** Signs orders of the order engine. */
  readonly marketMaker: Keypair;
}

/** Returns the parties of a seed: the same for the same one. */
export function sandboxParties(seed: Buffer): SandboxParties {
  const keypair = (name: string) => deriveKeypair(seed, name);
  return {
    faucet: keypair('faucet'),
    mintAuthority: keypair('mint authority'),
    marketMaker: keypair('market maker'),
  };
}

/** The accounts a new world begins with: mainnet's mints, and the faucet's wallet with plenty of each. */
export function genesisAccounts({ faucet, mintAuthority }: SandboxParties): AccountChange[] {
  const accounts = [seededAccount(faucet.key, SYSTEM_PROGRAM, Buffer.alloc(0), FAUCET_LAMPORTS)];
  const authority = keyBytes(mintAuthority.key);
  for (const token of MAINNET_TOKENS) {
    if (token.mint === NATIVE_MINT) continue;
    const mint = { authority, supply: FAUCET_UNITS, decimals: token.decimals };
    const bytes = mintBytes(token.freezable ? { ...mint, freezeAuthority: authority } : mint);
    accounts.push(seededAccount(token.mint, TOKEN_PROGRAM, bytes));
    const held = tokenAccountBytes(keyBytes(token.mint), keyBytes(faucet.key), FAUCET_UNITS);
    accounts.push(seededAccount(tokenAccountOf(faucet.key, token), TOKEN_PROGRAM, held));
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

/** An account as a new world has it; `lamports` are those it needs to stay, unless given. */
export function seededAccount(key: Key, owner: Key, data: Buffer, lamports = rent(data.length)): AccountChange {
  return { key, after: { lamports, owner, data, executable: false } };
}

/** The lamports an account of this size needs to stay. */
export function rent(bytes: number): bigint {
  return BigInt(bytes + ACCOUNT_OVERHEAD_BYTES) * LAMPORTS_PER_BYTE;
}
