import { type Key, keyText } from '../../encoding/keys.js';
import type { Account } from '../account.js';
import { tokenProgramName } from '../programs.js';
import { isMint, isTokenAccount, readExtensions, readMint, readTokenAccount } from '../token-layout.js';
import { uiAmountOf } from '../ui-amount.js';
import { parseExtension } from './parsed-extension.js';

/** jsonParsed data of token accounts and mints of both programs; undefined for anything else (bytes are answered then). */
export function parseAccount(
  account: Account,
  find: (key: Key) => Account | undefined,
): Record<string, unknown> | undefined {
  const parsed = isMint(account)
    ? parseMint(account)
    : isTokenAccount(account)
      ? parseTokenAccount(account, find)
      : undefined;
  return parsed && { parsed, program: tokenProgramName(account.owner), space: account.data.length };
}

function parseMint(account: Account): Record<string, unknown> {
  const mint = readMint(account);
  const info = {
    decimals: mint.decimals,
    ...extensionsOf(account),
    freezeAuthority: mint.freezeAuthority === undefined ? null : keyText(mint.freezeAuthority),
    isInitialized: mint.initialized,
    mintAuthority: mint.mintAuthority === undefined ? null : keyText(mint.mintAuthority),
    supply: mint.supply.toString(),
  };
  return { info, type: 'mint' };
}

function parseTokenAccount(account: Account, find: (key: Key) => Account | undefined): Record<string, unknown> {
  const token = readTokenAccount(account);
  const shown = (amount: bigint): Record<string, unknown> => uiAmountOf(amount, find(token.mint), find);
  const delegated = token.delegate !== undefined && {
    delegate: keyText(token.delegate),
    delegatedAmount: shown(token.delegatedAmount),
  };
  const info = {
    ...(token.closeAuthority !== undefined && { closeAuthority: keyText(token.closeAuthority) }),
    ...delegated,
    ...extensionsOf(account),
    isNative: token.nativeReserve !== undefined,
    mint: keyText(token.mint),
    owner: keyText(token.owner),
    ...(token.nativeReserve !== undefined && { rentExemptReserve: shown(token.nativeReserve) }),
    state: token.state,
    tokenAmount: shown(token.amount),
  };
  return { info, type: 'account' };
}

function extensionsOf(account: Account): { extensions?: unknown[] } {
  const extensions = readExtensions(account);
  return extensions.length === 0 ? {} : { extensions: extensions.map(parseExtension) };
}
