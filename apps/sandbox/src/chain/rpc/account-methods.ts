import { type Key, keyText } from '../../encoding/keys.js';
import type { Account } from '../account.js';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../programs.js';
import { isMint, isTokenAccount, readMint, tokenAmount, tokenMint } from '../token-layout.js';
import { uiAmountOf } from '../ui-amount.js';
import { accountFormat, type AccountFormat, encodeAccount } from './account-encoding.js';
import { asKey, type Config, type RpcCall } from './call.js';
import { matchesFilters, readFilters } from './filters.js';
import type { Methods } from './methods.js';
import { invalidParams, RpcCode, RpcError } from './rpc-error.js';

const MOST_ACCOUNTS = 100;

/** Reads of accounts and of tokens. */
export const accountMethods: Methods = {
  getBalance(call) {
    const slot = call.slot(call.config(1));
    return call.answer(slot, call.chain.account(call.key(0), slot)?.lamports ?? 0n);
  },

  getAccountInfo(call) {
    const config = call.config(1);
    const slot = call.slot(config);
    return call.answer(
      slot,
      encodeAccount(call.chain.account(call.key(0), slot), accountFormat(config), finder(call, slot)),
    );
  },

  getMultipleAccounts(call) {
    const config = call.config(1);
    const slot = call.slot(config);
    const format = accountFormat(config, 'base64');
    const find = finder(call, slot);
    return call.answer(
      slot,
      call.keys(0, MOST_ACCOUNTS).map((key) => encodeAccount(find(key), format, find)),
    );
  },

  getProgramAccounts(call) {
    const config = call.config(1);
    const slot = call.slot(config);
    const program = call.key(0);
    const filters = readFilters(config['filters']);
    const found: Keyed[] = [];
    for (const [key] of call.chain.accounts.entries()) {
      const account = call.chain.accounts.get(key, slot);
      if (account?.owner === program && matchesFilters(account.data, filters)) found.push({ key, account });
    }
    const list = listed(found, accountFormat(config), finder(call, slot));
    return config['withContext'] === true ? call.answer(slot, list) : list;
  },

  getMinimumBalanceForRentExemption(call) {
    return call.chain.svm.rentExemption(call.unsigned(0));
  },

  getTokenAccountBalance(call) {
    const slot = call.slot(call.config(1));
    const find = finder(call, slot);
    const account = find(call.key(0));
    if (!account) throw new RpcError(RpcCode.invalidParams, 'Invalid param: could not find account');
    if (!isTokenAccount(account)) throw new RpcError(RpcCode.invalidParams, 'Invalid param: not a Token account');
    return call.answer(slot, uiAmountOf(tokenAmount(account), find(tokenMint(account)), find));
  },

  getTokenSupply(call) {
    const slot = call.slot(call.config(1));
    const find = finder(call, slot);
    const account = find(call.key(0));
    if (!account) throw new RpcError(RpcCode.invalidParams, 'Invalid param: could not find account');
    if (!isMint(account)) throw new RpcError(RpcCode.invalidParams, 'Invalid param: not a Token mint');
    return call.answer(slot, uiAmountOf(readMint(account).supply, account, find));
  },

  getTokenAccountsByOwner(call) {
    const config = call.config(2);
    const slot = call.slot(config);
    const wanted = tokenFilter(call, slot);
    const found = call.chain.accounts.tokenAccountsOf(call.key(0), slot).filter(({ account }) => wanted(account));
    return call.answer(slot, listed(found, accountFormat(config), finder(call, slot)));
  },
};

interface Keyed {
  readonly key: Key;
  readonly account: Account;
}

function finder(call: RpcCall, slot: number): (key: Key) => Account | undefined {
  return (key) => call.chain.account(key, slot);
}

function listed(found: readonly Keyed[], format: AccountFormat, find: (key: Key) => Account | undefined): unknown[] {
  return found.map(({ key, account }) => ({ account: encodeAccount(account, format, find), pubkey: keyText(key) }));
}

/** `{mint}` or `{programId}`, as the second parameter says. */
function tokenFilter(call: RpcCall, slot: number): (account: Account) => boolean {
  const filter = call.config(1) as Config & { mint?: unknown; programId?: unknown };
  if (filter.mint !== undefined) {
    const mint = asKey(filter.mint);
    if (!isMint(call.chain.account(mint, slot)))
      throw new RpcError(RpcCode.invalidParams, 'Invalid param: could not find mint');
    return (account) => tokenMint(account) === mint;
  }
  if (filter.programId === undefined) throw invalidParams('expected mint or programId');
  const program = asKey(filter.programId);
  if (program !== TOKEN_PROGRAM && program !== TOKEN_2022_PROGRAM) {
    throw new RpcError(RpcCode.invalidParams, 'Invalid param: unrecognized Token program id');
  }
  return (account) => account.owner === program;
}
