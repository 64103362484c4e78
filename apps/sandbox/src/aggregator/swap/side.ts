import { ExtensionType, getAccountLen, getAccountTypeOfMintType } from '@solana/spl-token';
import type { Chain } from '../../chain/chain.js';
import { NATIVE_MINT, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../../chain/programs.js';
import { isMint, readExtensions, TOKEN_ACCOUNT_BYTES } from '../../chain/token-layout.js';
import type { Key } from '../../encoding/keys.js';
import { tokenAccountOf } from '../../tokens/token-accounts.js';

/** One token of a trade, as a wallet holds it. */
export interface Side {
  readonly mint: Key;
  readonly program: Key;
  /** The wallet's associated token account. For native SOL it lives only inside the transaction. */
  readonly account: Key;
  readonly isNative: boolean;
  /** Whether the account is there already. */
  readonly exists: boolean;
  /** What making the account costs. */
  readonly rentLamports: bigint;
}

/** Where a wallet holds a token; undefined when the mint does not exist. */
export function sideOf(chain: Chain, wallet: Key, mint: Key): Side | undefined {
  const found = chain.account(mint);
  if (!isMint(found)) return undefined;
  const isPlain = found.owner === TOKEN_PROGRAM;
  const account = tokenAccountOf(wallet, { mint, program: isPlain ? 'token' : 'token-2022' });
  const extensions = readExtensions(found)
    .map(({ type }) => getAccountTypeOfMintType(type))
    .filter((type) => type !== ExtensionType.Uninitialized);
  const bytes = isPlain ? TOKEN_ACCOUNT_BYTES : getAccountLen([...extensions, ExtensionType.ImmutableOwner]);
  return {
    mint,
    program: isPlain ? TOKEN_PROGRAM : TOKEN_2022_PROGRAM,
    account,
    isNative: mint === NATIVE_MINT,
    exists: chain.account(account)?.owner === found.owner, // lamports alone are no token account
    rentLamports: chain.svm.rentExemption(bytes),
  };
}
