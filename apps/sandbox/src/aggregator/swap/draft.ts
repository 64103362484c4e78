import {
  AddressLookupTableAccount,
  type MessageV0,
  type TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import type { Chain } from '../../chain/chain.js';
import { MAX_TRANSACTION_BYTES } from '../../chain/message.js';
import { LOOKUP_TABLE_PROGRAM } from '../../chain/programs.js';
import { type Key, key, keyText } from '../../encoding/keys.js';
import { publicKey } from '../../tokens/token-accounts.js';

/** An instruction with what it is there for. */
export interface Part {
  readonly role: 'budget' | 'setup' | 'swap' | 'cleanup' | 'tip';
  readonly instruction: TransactionInstruction;
}

/** A transaction that is being put together. */
export interface Draft {
  readonly payer: Key;
  readonly parts: readonly Part[];
  /** Tables that may be used where it would not fit otherwise. */
  readonly tables: readonly AddressLookupTableAccount[];
  /** Whether the tables are used even where it would fit. */
  readonly forceTables?: boolean;
}

/** Compiles a draft. @throws RangeError when it does not fit, tables or not */
export function compile({ payer, parts, tables, forceTables }: Draft, blockhash: string): MessageV0 {
  const message = new TransactionMessage({
    payerKey: publicKey(payer),
    recentBlockhash: blockhash,
    instructions: parts.map(({ instruction }) => instruction),
  });
  const plain = message.compileToV0Message();
  if (!forceTables && fits(plain)) return plain;
  const dense = message.compileToV0Message([...tables]);
  if (fits(dense)) return dense;
  throw new RangeError('the transaction does not fit into a packet');
}

/** The tables as they are on the chain; those that do not exist are left out. */
export function loadTables(chain: Chain, addresses: readonly string[]): AddressLookupTableAccount[] {
  return addresses.flatMap((address) => {
    const account = chain.account(key(address));
    if (account?.owner !== LOOKUP_TABLE_PROGRAM) return [];
    const state = AddressLookupTableAccount.deserialize(account.data);
    return [new AddressLookupTableAccount({ key: publicKey(key(address)), state })];
  });
}

/** The newest blockhash every node of the cluster agrees on, and the last block it is good for. */
export function newestBlockhash(chain: Chain, lifeBlocks: number): { blockhash: string; lastValidBlockHeight: number } {
  const height = chain.clock.heightAt(chain.view().confirmed);
  return { blockhash: keyText(chain.blockhashes.at(height)), lastValidBlockHeight: height + lifeBlocks };
}

function fits(message: MessageV0): boolean {
  try {
    return new VersionedTransaction(message).serialize().length <= MAX_TRANSACTION_BYTES;
  } catch (error) {
    // The SDK writes into a packet and runs over its end.
    if (error instanceof RangeError) return false;
    throw error;
  }
}
