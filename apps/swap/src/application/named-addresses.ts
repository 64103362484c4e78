import { addressOf } from '@agent-wallet/solana';
import { decodeMessage, isWritable } from '@agent-wallet/solana/checks';

/** An address that a message names. */
export interface NamedAddress {
  /** Base58. */
  readonly address: string;
  readonly isWritable: boolean;
}

/**
 * All addresses of a message, its own and those that tables bring in.
 * @param resolvedAddresses the writable ones of all tables, then the readonly ones
 * @throws MalformedMessage
 */
export function namedAddresses(message: Uint8Array, resolvedAddresses: readonly Uint8Array[]): NamedAddress[] {
  const decoded = decodeMessage(message);
  const writableLookups = decoded.lookups.reduce((sum, { writable }) => sum + writable.length, 0);
  return [
    ...decoded.keys.map((key, i) => ({ address: addressOf(key), isWritable: isWritable(decoded, i) })),
    ...resolvedAddresses.map((key, i) => ({ address: addressOf(key), isWritable: i < writableLookups })),
  ];
}
