import { type Key, keyAt } from '../encoding/keys.js';
import type { AccountStore } from './account-store.js';
import { isWritableStatic } from './message.js';
import type { Message } from './wire-transaction.js';
import { LOOKUP_TABLE_PROGRAM } from './programs.js';
import type { NamedAccounts } from './svm.js';

const TABLE_HEADER_BYTES = 56;

/** The accounts of a message in the order in which instructions number them, and what tables added. */
export interface ResolvedAccounts extends NamedAccounts {
  /** Static keys, then writable and read-only ones from tables: the numbering of instructions and of metadata. */
  readonly ordered: readonly Key[];
  readonly loadedWritable: readonly Key[];
  readonly loadedReadonly: readonly Key[];
}

/** Resolves lookup tables from the head state. Entries that do not exist are left out: the machine refuses those. */
export function resolveAccounts(message: Message, accounts: AccountStore): ResolvedAccounts {
  const loadedWritable: Key[] = [];
  const loadedReadonly: Key[] = [];
  for (const { table, writable, readonly } of message.lookups) {
    const account = accounts.get(table);
    if (account?.owner !== LOOKUP_TABLE_PROGRAM) continue;
    for (const index of writable) pushEntry(loadedWritable, account.data, index);
    for (const index of readonly) pushEntry(loadedReadonly, account.data, index);
  }
  const ordered = message.lookups.length === 0 ? message.keys : [...message.keys, ...loadedWritable, ...loadedReadonly];
  const writable = message.keys.filter((_, index) => isWritableStatic(message, index)).concat(loadedWritable);
  const all = message.lookups.length === 0 ? ordered : [...ordered, ...message.lookups.map((l) => l.table)];
  return { ordered, all, writable, loadedWritable, loadedReadonly };
}

function pushEntry(keys: Key[], table: Buffer, index: number): void {
  const at = TABLE_HEADER_BYTES + 32 * index;
  if (at + 32 <= table.length) keys.push(keyAt(table, at));
}
