import { type ChainAccount, readTokenAccount, SYSTEM_PROGRAM, type TokenAccount } from '@agent-wallet/solana';
import { isNative, type Token } from '../domain/tokens.js';
import type { Sides } from '../domain/trade-sides.js';
import { unsafeTransaction } from '../domain/unsafe-transaction.js';
import { ownAccountsOf } from './own-accounts.js';

/** Effects that a trade may have on the wallet. */
export interface Bounds extends Sides {
  /** Base units of the input that may leave. */
  readonly amount: bigint;
  /** Base units of the output that must arrive. */
  readonly minOutputAmount: bigint;
  /** Lamports that network fee and tips may cost. */
  readonly networkLamports: bigint;
}

/** Accounts in the order wallet, input, output; null where nothing lives. */
export type Accounts = readonly (ChainAccount | null | undefined)[];

/**
 * Compares the wallet's accounts before a transaction with those after its simulation. Rent moves between accounts of
 * the wallet, so lamports are counted over all of them. Lamports at the address of a token account that does not exist yet
 * are not the wallet's: anyone can send them there, and they go to who pays for the account.
 * @throws AppError UNSAFE_TRANSACTION when it does more than it may, or brings less than it must
 */
export function checkEffects(bounds: Bounds, before: Accounts, after: Accounts): void {
  const { input, output, amount, minOutputAmount, networkLamports } = bounds;
  checkWallet(after[0]);
  const spent = -checkToken(bounds, input, [before[1], after[1]]);
  if (!isNative(input) && spent > amount) throw unsafeTransaction('more of the input would leave');
  const gained = checkToken(bounds, output, [before[2], after[2]]);
  if (!isNative(output) && gained < minOutputAmount) throw unsafeTransaction('too little of the output would arrive');
  const owed = (isNative(output) ? minOutputAmount : 0n) - (isNative(input) ? amount : 0n) - networkLamports;
  if (lamportsOf(bounds, after) - lamportsOf(bounds, before) < owed) {
    throw unsafeTransaction('more lamports would leave, or fewer would arrive');
  }
}

function checkWallet(wallet: ChainAccount | null | undefined): void {
  if (!wallet || (wallet.owner === SYSTEM_PROGRAM && wallet.data.length === 0)) return;
  throw unsafeTransaction('the wallet would become something else');
}

/** Returns by how much the tokens of one account change. */
function checkToken(
  { wallet }: Sides,
  token: Token,
  [accountBefore, accountAfter]: readonly [ChainAccount | null | undefined, ChainAccount | null | undefined],
): bigint {
  const before = readTokenAccount(accountBefore);
  const after = readTokenAccount(accountAfter);
  if (isNative(token)) {
    if (after && after.amount !== before?.amount) throw unsafeTransaction('wrapped SOL would be left');
    if (after && after.terms !== before?.terms) throw unsafeTransaction('an account would get other terms');
    return 0n;
  }
  if (before && !after) throw unsafeTransaction('an account would be closed');
  if (!after) return 0n;
  const isOurs = before ? after.terms === before.terms : isPlain(after, wallet, token);
  if (!isOurs) throw unsafeTransaction('an account would get other terms');
  return after.amount - (before?.amount ?? 0n);
}

/** Returns whether a new account is the wallet's own, with no power of others over it. */
function isPlain({ owner, mint, hasDelegate, hasCloseAuthority }: TokenAccount, wallet: string, token: Token): boolean {
  return owner === wallet && mint === token.mint && !hasDelegate && !hasCloseAuthority;
}

function lamportsOf(sides: Sides, [wallet, input, output]: Accounts): bigint {
  const own = ownAccountsOf(sides);
  const held = new Map([
    [own.wallet, wallet?.lamports ?? 0n],
    [own.input, lamportsIn(input)],
    [own.output, lamportsIn(output)],
  ]);
  return [...held.values()].reduce((sum, lamports) => sum + lamports, 0n);
}

function lamportsIn(account: ChainAccount | null | undefined): bigint {
  return account && readTokenAccount(account) ? account.lamports : 0n;
}
