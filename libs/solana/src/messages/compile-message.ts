import type { PublicKey, TransactionInstruction } from '@solana/web3.js';
import { addressBytes } from '../addresses/address.js';
import { compactU16 } from './message-reader.js';

/** What a message is compiled from. */
export interface MessageDraft {
  readonly payer: PublicKey;
  /** Base58. */
  readonly blockhash: string;
  readonly instructions: readonly TransactionInstruction[];
}

/** One address with the rights that any of the instructions gives it. */
interface Account {
  readonly bytes: Uint8Array;
  isSigner: boolean;
  isWritable: boolean;
}

const V0_PREFIX = 0x80;
const NO_LOOKUP_TABLES = 0;

/**
 * Serializes a v0 message without lookup tables: the same bytes as the SDK's `compileToV0Message().serialize()`, at
 * a tenth of its time.
 */
export function compileMessage({ payer, blockhash, instructions }: MessageDraft): Uint8Array {
  const accounts = collectAccounts(payer, instructions);
  const ordered = [...accounts.values()].sort((a, b) => rank(a) - rank(b));
  const indexes = new Map(ordered.map((account, index) => [account, index]));
  const indexOf = (key: PublicKey): number => indexes.get(accounts.get(keyText(key))!)!;
  const count = (test: (account: Account) => boolean): number => ordered.filter(test).length;
  return Buffer.concat([
    Uint8Array.of(
      V0_PREFIX,
      count(({ isSigner }) => isSigner),
      count(({ isSigner, isWritable }) => isSigner && !isWritable),
      count(({ isSigner, isWritable }) => !isSigner && !isWritable),
      ...compactU16(ordered.length),
    ),
    ...ordered.map(({ bytes }) => bytes),
    addressBytes(blockhash),
    Uint8Array.from(compactU16(instructions.length)),
    ...instructions.flatMap(({ programId, keys, data }) => [
      Uint8Array.of(indexOf(programId), ...compactU16(keys.length), ...keys.map(({ pubkey }) => indexOf(pubkey))),
      Uint8Array.from(compactU16(data.length)),
      data,
    ]),
    Uint8Array.of(NO_LOOKUP_TABLES),
  ]);
}

function keyText(key: PublicKey): string {
  return key.toBuffer().toString('latin1');
}

/** Every address once, in the order of its first use, the payer first. */
function collectAccounts(payer: PublicKey, instructions: readonly TransactionInstruction[]): Map<string, Account> {
  const accounts = new Map<string, Account>();
  const use = (key: PublicKey, isSigner: boolean, isWritable: boolean): void => {
    const text = keyText(key);
    const account = accounts.get(text) ?? { bytes: key.toBytes(), isSigner: false, isWritable: false };
    account.isSigner ||= isSigner;
    account.isWritable ||= isWritable;
    accounts.set(text, account);
  };
  use(payer, true, true);
  for (const { programId, keys } of instructions) {
    use(programId, false, false);
    for (const { pubkey, isSigner, isWritable } of keys) use(pubkey, isSigner, isWritable);
  }
  return accounts;
}

/** Signers before others, and in both the writable ones before the readonly. */
function rank({ isSigner, isWritable }: Account): number {
  return (isSigner ? 0 : 2) + (isWritable ? 0 : 1);
}
