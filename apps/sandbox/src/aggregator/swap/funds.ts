import type { Chain } from '../../chain/chain.js';
import { tokenAmount } from '../../chain/token-layout.js';
import type { Key } from '../../encoding/keys.js';
import type { Side } from './side.js';

/** What a transaction takes from a wallet. */
interface Needs {
  readonly inAmount: bigint;
  /** Signatures, priority, tips. */
  readonly networkLamports: bigint;
  /** Rent of accounts that stay. */
  readonly rentLamports: bigint;
  /** Rent of accounts that are closed at the end. */
  readonly passingRentLamports: bigint;
}

/** The token that is spent: the native coin, or one of an account. */
type Spent = Side | { readonly isNative: true };

/** What a wallet lacks for a trade; undefined when it lacks nothing. */
export function lackOf(chain: Chain, wallet: Key, input: Spent, needs: Needs): 'input' | 'lamports' | undefined {
  const lamports = chain.account(wallet)?.lamports ?? 0n;
  const { inAmount, networkLamports, rentLamports, passingRentLamports } = needs;
  const held = input.isNative ? lamports : tokensIn(chain, input.account);
  if (held < inAmount) return 'input';
  const left = lamports - (input.isNative ? inAmount : 0n) - networkLamports - rentLamports;
  if (left < passingRentLamports) return 'lamports';
  return left === 0n || left >= chain.svm.rentExemption(0) ? undefined : 'lamports';
}

function tokensIn(chain: Chain, account: Key): bigint {
  const found = chain.account(account);
  return found ? tokenAmount(found) : 0n;
}
