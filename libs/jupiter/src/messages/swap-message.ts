import {
  addressOf,
  type DecodedMessage,
  decodeOrRefuse,
  isWritable,
  MessageRefused,
  type RefusalReason,
} from '@agent-wallet/solana/checks';

/** A message with the addresses of its lookup tables put in: every account that it can touch, by name. */
export interface SwapMessage {
  /** Base58, in the order in which instructions count them: the message's own, then those of tables. */
  readonly addresses: readonly string[];
  /**
   * The first so many addresses are written in the message itself; those after them come from tables and are not signed by
   * name.
   */
  readonly ownAddresses: number;
  readonly writable: ReadonlySet<string>;
  /** Required signers, the payer first. */
  readonly signers: readonly string[];
  readonly instructions: readonly SwapInstruction[];
}

/** One call of a program, with addresses in the place of numbers. */
export interface SwapInstruction {
  readonly program: string;
  readonly accounts: readonly string[];
  readonly data: Buffer;
}

/** Ends the reading, or the check, of a message. */
export function refuse(reason: RefusalReason, text: string): never {
  throw new MessageRefused(reason, text);
}

/**
 * Takes a serialized message apart and puts the given addresses in the place of its table entries.
 *
 * Rule: as many addresses as the tables have entries, and none twice. It stops a list of another length, which would
 * shift every account behind it, and an account that stands in a table as well as in the message: one that was checked
 * and, under a second number, one that was not. (The chain refuses accounts that are loaded twice, too.)
 * @throws MessageRefused `malformed`, `lookup_table`
 */
export function readSwapMessage(bytes: Uint8Array, resolvedAddresses: readonly Uint8Array[]): SwapMessage {
  const message = decodeOrRefuse(bytes);
  if (message.version !== 0) refuse('malformed', 'The message is of another version than swaps are.');
  const entries = message.lookups.reduce((sum, { writable, readonly }) => sum + writable.length + readonly.length, 0);
  if (resolvedAddresses.length !== entries || resolvedAddresses.some(({ length }) => length !== 32)) {
    refuse('lookup_table', 'The addresses of the lookup tables are not as many as the message takes from them.');
  }
  const addresses = [...message.keys, ...resolvedAddresses].map(addressOf);
  if (new Set(addresses).size !== addresses.length) refuse('lookup_table', 'An account is listed twice.');
  return {
    addresses,
    ownAddresses: message.keys.length,
    writable: new Set(addresses.filter((_, index) => mayBeWritten(message, index))),
    signers: addresses.slice(0, message.requiredSignatures),
    instructions: message.instructions.map(({ program, accounts, data }) => ({
      program: addresses[program]!,
      accounts: Array.from(accounts, (index) => addresses[index]!),
      data: Buffer.from(data.buffer, data.byteOffset, data.byteLength),
    })),
  };
}

function mayBeWritten(message: DecodedMessage, index: number): boolean {
  if (index < message.keys.length) return isWritable(message, index);
  const writableEntries = message.lookups.reduce((sum, { writable }) => sum + writable.length, 0);
  return index < message.keys.length + writableEntries;
}
