import type { Landed } from '../../chain/ledger.js';
import { readTransaction } from '../../chain/message.js';
import type { Message } from '../../chain/wire-transaction.js';
import { NATIVE_MINT } from '../../chain/programs.js';
import { type Key, keyText } from '../../encoding/keys.js';

/** The part of a landed transaction's `meta` that shows who holds what before and after. */
interface Balances {
  readonly fee: number;
  readonly preBalances: readonly number[];
  readonly postBalances: readonly number[];
  readonly preTokenBalances: readonly TokenBalance[];
  readonly postTokenBalances: readonly TokenBalance[];
}

interface TokenBalance {
  readonly accountIndex: number;
  readonly mint: string;
  readonly owner: string;
  readonly uiTokenAmount: { readonly amount: string };
}

/** A landed transaction as it was written down. */
interface Receipt {
  readonly landed: Landed;
  readonly message: Message;
  readonly balances: Balances;
}

export function readReceipt(landed: Landed, bytes: { wire: Buffer; meta: string }): Receipt {
  return { landed, message: readTransaction(bytes.wire).message, balances: JSON.parse(bytes.meta) as Balances };
}

/**
 * How a wallet's holdings of a token changed, in base units. SOL is counted native: what lies wrapped or as rent in the
 * wallet's own token accounts is still its own, and what it paid the network is not part of the trade.
 */
export function changeOf(receipt: Receipt, wallet: Key, mint: Key, tipLamports: bigint): bigint {
  const { message, balances } = receipt;
  if (mint !== NATIVE_MINT) return tokenChange(balances, keyText(wallet), keyText(mint));
  const own = ownAccounts(balances, keyText(wallet)).add(message.keys.indexOf(wallet));
  const paid = message.keys[0] === wallet ? BigInt(balances.fee) + tipLamports : 0n;
  return [...own].reduce((sum, i) => sum + BigInt(balances.postBalances[i]!) - BigInt(balances.preBalances[i]!), paid);
}

function tokenChange({ preTokenBalances, postTokenBalances }: Balances, owner: string, mint: string): bigint {
  const sum = (list: readonly TokenBalance[]): bigint =>
    list
      .filter((balance) => balance.owner === owner && balance.mint === mint)
      .reduce((total, { uiTokenAmount }) => total + BigInt(uiTokenAmount.amount), 0n);
  return sum(postTokenBalances) - sum(preTokenBalances);
}

function ownAccounts({ preTokenBalances, postTokenBalances }: Balances, owner: string): Set<number> {
  const own = [...preTokenBalances, ...postTokenBalances].filter((balance) => balance.owner === owner);
  return new Set(own.map(({ accountIndex }) => accountIndex));
}
