import { describe, expect, it } from '@jest/globals';
import { type PublicKey, TransactionInstruction, TransactionMessage } from '@solana/web3.js';
import fc from 'fast-check';
import { keyOf } from '../testing/actors.js';
import { compileMessage } from './build-message.js';

const KEYS = Array.from({ length: 12 }, (_, i) => keyOf(`key ${i}`));
const BLOCKHASH = keyOf('blockhash').toBase58();

const key = fc.constantFrom<PublicKey>(...KEYS);
const instruction = fc
  .record({
    programId: key,
    keys: fc.array(fc.record({ pubkey: key, isSigner: fc.boolean(), isWritable: fc.boolean() }), { maxLength: 8 }),
    data: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  })
  .map((parts) => new TransactionInstruction(parts));

describe('compiling a message', () => {
  it('gives the bytes that the SDK gives, for any instructions', () => {
    fc.assert(
      fc.property(key, fc.array(instruction, { maxLength: 4 }), (payer, instructions) => {
        // The SDK serializes into a buffer of one packet and refuses what does not fit.
        fc.pre(instructions.reduce((sum, { data }) => sum + data.length, 0) < 600);
        const draft = { payerKey: payer, recentBlockhash: BLOCKHASH, instructions };
        const expected = new TransactionMessage(draft).compileToV0Message().serialize();
        expect(Buffer.from(compileMessage({ payer, blockhash: BLOCKHASH, instructions }))).toEqual(
          Buffer.from(expected),
        );
      }),
    );
  });
});
