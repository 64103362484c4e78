import { propertyRuns } from '@agent-wallet/testing';
import { describe, expect, it } from '@jest/globals';
import {
  AddressLookupTableAccount,
  Keypair,
  PublicKey,
  SystemProgram,
  Transaction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import fc from 'fast-check';
import { keyText } from '../encoding/keys.js';
import { isWritableStatic, MalformedTransaction, readTransaction } from './message.js';

const payer = Keypair.generate();
const blockhash = Keypair.generate().publicKey.toBase58();
const others = Array.from({ length: 8 }, () => Keypair.generate().publicKey);
const transfers = others.map((to) =>
  SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey: to, lamports: 1 }),
);

function legacy(): Buffer {
  const transaction = new Transaction({ feePayer: payer.publicKey, recentBlockhash: blockhash }).add(...transfers);
  transaction.sign(payer);
  return transaction.serialize();
}

function withTable(): Buffer {
  const state = {
    deactivationSlot: 2n ** 64n - 1n,
    lastExtendedSlot: 0,
    lastExtendedSlotStartIndex: 0,
    addresses: others,
  };
  const table = new AddressLookupTableAccount({ key: PublicKey.unique(), state });
  const message = new TransactionMessage({
    payerKey: payer.publicKey,
    recentBlockhash: blockhash,
    instructions: transfers,
  });
  const transaction = new VersionedTransaction(message.compileToV0Message([table]));
  transaction.sign([payer]);
  return Buffer.from(transaction.serialize());
}

describe('readTransaction', () => {
  it.each([
    ['legacy', legacy()],
    [0, withTable()],
  ])('reads version %s as the official SDK does', (version, wire) => {
    const { message, signatures } = readTransaction(wire);
    const expected = VersionedTransaction.deserialize(wire);
    expect(message.version).toBe(version);
    expect(Buffer.from(signatures[0]!, 'latin1')).toEqual(Buffer.from(expected.signatures[0]!));
    expect(message.keys.map(keyText)).toEqual(expected.message.staticAccountKeys.map((k) => k.toBase58()));
    expect(keyText(message.blockhash)).toBe(expected.message.recentBlockhash);
    expect(message.bytes).toEqual(Buffer.from(expected.message.serialize()));
    expect(message.keys.map((_, i) => isWritableStatic(message, i))).toEqual(
      message.keys.map((_, i) => expected.message.isAccountWritable(i)),
    );
    expect(message.lookups.map((l) => [...l.writable])).toEqual(
      expected.message.addressTableLookups.map((l) => l.writableIndexes),
    );
  });

  it('refuses bytes that end early or go on', () => {
    const wire = legacy();
    for (let length = 0; length < wire.length; length++) {
      expect(() => readTransaction(wire.subarray(0, length))).toThrow(MalformedTransaction);
    }
    expect(() => readTransaction(Buffer.concat([wire, Buffer.alloc(1)]))).toThrow(MalformedTransaction);
  });

  it('refuses what is longer than a packet', () => {
    expect(() => readTransaction(Buffer.alloc(1_233))).toThrow('longer than 1232 bytes');
  });

  it('either reads bytes completely or refuses them, and never does anything else', () => {
    const seeds = [legacy(), withTable()];
    const mutation = fc.record({ seed: fc.nat(1), at: fc.nat(1_231), value: fc.nat(255), cut: fc.nat(3) });
    fc.assert(
      fc.property(mutation, ({ seed, at, value, cut }) => {
        const wire = Buffer.from(seeds[seed]!);
        wire[at % wire.length] = value;
        try {
          const { message } = readTransaction(wire.subarray(0, wire.length - cut));
          expect(message.instructions.every((i) => i.programIndex < message.keys.length)).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(MalformedTransaction);
        }
      }),
      { numRuns: propertyRuns(2_000) },
    );
  });
});
