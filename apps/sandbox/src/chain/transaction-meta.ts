import { RawJson, writeJson } from '../encoding/json.js';
import { type Key, keyText } from '../encoding/keys.js';
import type { Account } from './account.js';
import { isTokenAccount, tokenAmount, tokenMint, tokenOwner } from './token-layout.js';
import type { ResolvedAccounts } from './named-accounts.js';
import type { Execution } from './svm.js';
import { uiAmountOf } from './ui-amount.js';

/** Looks an account up in one state, before or after. */
type Lookup = (key: Key) => Account | undefined;

/** Writes a landed transaction's `meta`, once, as it will be answered for ever. */
export function writeMeta(
  run: Execution,
  fee: bigint,
  named: ResolvedAccounts,
  state: { before: Lookup; after: Lookup },
): string {
  const { before, after } = state;
  return writeJson({
    computeUnitsConsumed: run.unitsConsumed,
    err: run.error,
    fee,
    innerInstructions: run.innerInstructions,
    loadedAddresses: { writable: named.loadedWritable.map(keyText), readonly: named.loadedReadonly.map(keyText) },
    logMessages: run.logs,
    postBalances: lamportsOf(named, after),
    postTokenBalances: tokenBalances(named, after),
    preBalances: lamportsOf(named, before),
    preTokenBalances: tokenBalances(named, before),
    returnData: run.returnData ?? undefined,
    rewards: [],
    status: run.error === null ? { Ok: null } : { Err: run.error },
  });
}

/** Owners of the token accounts that take part, before or after. */
export function tokenOwners(named: ResolvedAccounts, state: { before: Lookup; after: Lookup }): Set<Key> {
  const owners = new Set<Key>();
  for (const key of named.ordered) {
    for (const account of [state.before(key), state.after(key)]) {
      if (isTokenAccount(account)) owners.add(tokenOwner(account));
    }
  }
  return owners;
}

function lamportsOf(named: ResolvedAccounts, lookup: Lookup): RawJson {
  return new RawJson(`[${named.ordered.map((key) => lookup(key)?.lamports ?? 0n).join(',')}]`);
}

function tokenBalances(named: ResolvedAccounts, lookup: Lookup): unknown[] {
  const found: unknown[] = [];
  named.ordered.forEach((key, accountIndex) => {
    const account = lookup(key);
    if (!isTokenAccount(account)) return;
    const mint = tokenMint(account);
    found.push({
      accountIndex,
      mint: keyText(mint),
      owner: keyText(tokenOwner(account)),
      programId: keyText(account.owner),
      uiTokenAmount: uiAmountOf(tokenAmount(account), lookup(mint), lookup),
    });
  });
  return found;
}
