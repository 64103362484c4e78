import type { ChainAccount } from '@agent-wallet/solana';
import { LOOKUP_TABLE_PROGRAM } from '../programs.js';
import { lookupTablesOf, resolveLookups } from './lookup-tables.js';

/** Reads accounts from the chain, null where nothing lives. */
type ReadAccounts = (addresses: readonly string[]) => Promise<{ accounts: readonly (ChainAccount | null)[] }>;

/**
 * Reads the addresses that a message takes from lookup tables on chain.
 * @throws UnresolvedLookups, MalformedMessage; of `read`
 */
export async function readLookups(message: Uint8Array, read: ReadAccounts): Promise<Uint8Array[]> {
  const addresses = lookupTablesOf(message);
  const { accounts } = addresses.length === 0 ? { accounts: [] } : await read(addresses);
  return resolveLookups(message, tablesAmong(new Map(addresses.map((address, i) => [address, accounts[i] ?? null]))));
}

/** Picks the lookup tables among accounts by base58 address, and returns the data of each. */
export function tablesAmong(accounts: ReadonlyMap<string, ChainAccount | null>): Map<string, Uint8Array> {
  return new Map(
    [...accounts].flatMap(([address, account]) =>
      account?.owner === LOOKUP_TABLE_PROGRAM ? [[address, account.data] as const] : [],
    ),
  );
}
