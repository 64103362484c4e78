import type { ChainAccount } from '@agent-wallet/solana';
import { LOOKUP_TABLE_PROGRAM } from '../programs.js';
import { lookupTablesOf, resolveLookups } from './lookup-tables.js';

/** Reads accounts from the chain, null where nothing lives. */
export type ReadAccounts = (addresses: readonly string[]) => Promise<{ accounts: readonly (ChainAccount | null)[] }>;

/**
 * Reads the addresses that a message takes from lookup tables on chain.
 * @throws UnresolvedLookups, MalformedMessage; of `read`
 */
export async function readLookups(message: Uint8Array, read: ReadAccounts): Promise<Uint8Array[]> {
  const addresses = lookupTablesOf(message);
  const { accounts } = addresses.length === 0 ? { accounts: [] } : await read(addresses);
  const tables = new Map<string, Uint8Array>();
  addresses.forEach((address, i) => {
    const account = accounts[i];
    if (account?.owner === LOOKUP_TABLE_PROGRAM) tables.set(address, account.data);
  });
  return resolveLookups(message, tables);
}
