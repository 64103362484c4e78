import { createHash } from 'node:crypto';
import { addressOf, decodeMessage } from '@agent-wallet/solana/checks';

const ADDRESS_BYTES = 32;
/** Length of the header before the addresses of a table. */
const HEAD_BYTES = 56;
const IS_TABLE = 1;
const DEACTIVATION_SLOT_AT = 4;
const NOT_DEACTIVATED = 2n ** 64n - 1n;

/** The message's lookup tables cannot be read, so its accounts are not known. */
export class UnresolvedLookups extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UnresolvedLookups';
  }
}

/** Returns the base58 addresses of a serialized message's tables, in its order. @throws MalformedMessage */
export function lookupTablesOf(message: Uint8Array): string[] {
  return decodeMessage(message).lookups.map(({ table }) => addressOf(table));
}

/**
 * Resolves the 32-byte addresses that tables add to a message. Their order is that of the instructions' indexes after
 * the message's own addresses: the writable ones of all tables, then the readonly ones. A table's entry never changes,
 * so the chain reads the same address that is read before signing, as long as the table exists.
 * @param tables data of the tables' accounts by base58 address; the caller has seen that `LOOKUP_TABLE_PROGRAM` owns
 *   each of them
 * @throws UnresolvedLookups for a table that is missing, is not a table, is being closed, or is too short; MalformedMessage
 */
export function resolveLookups(message: Uint8Array, tables: ReadonlyMap<string, Uint8Array>): Uint8Array[] {
  const writable: Uint8Array[] = [];
  const readonly: Uint8Array[] = [];
  for (const lookup of decodeMessage(message).lookups) {
    const table = addressOf(lookup.table);
    const entries = entriesOf(table, tables.get(table));
    const entry = (index: number): Uint8Array => {
      const address = entries.subarray(index * ADDRESS_BYTES, (index + 1) * ADDRESS_BYTES);
      if (address.length < ADDRESS_BYTES) throw new UnresolvedLookups(`the table ${table} has no entry ${index}`);
      return Uint8Array.from(address);
    };
    writable.push(...Array.from(lookup.writable, entry));
    readonly.push(...Array.from(lookup.readonly, entry));
  }
  return [...writable, ...readonly];
}

function entriesOf(table: string, data: Uint8Array | undefined): Uint8Array {
  if (!data) throw new UnresolvedLookups(`the table ${table} does not exist`);
  const view = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  if (view.length < HEAD_BYTES || view.readUInt32LE(0) !== IS_TABLE) {
    throw new UnresolvedLookups(`the account ${table} is not a lookup table`);
  }
  if (view.readBigUInt64LE(DEACTIVATION_SLOT_AT) !== NOT_DEACTIVATED) {
    throw new UnresolvedLookups(`the table ${table} is being closed`);
  }
  return view.subarray(HEAD_BYTES);
}

/** Returns the SHA-256 of the addresses, one after the other: `resolved_addresses_hash` of an intent. */
export function resolvedAddressesHash(addresses: readonly Uint8Array[]): Buffer {
  const hash = createHash('sha256');
  for (const address of addresses) hash.update(address);
  return hash.digest();
}
