import { describe, expect, it } from '@jest/globals';
import type { intentV1 } from '@agent-wallet/contracts';
import { MessageV0, TransactionMessage, VersionedMessage } from '@solana/web3.js';
import fc from 'fast-check';
import { COMPUTE_BUDGET_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../addresses/programs.js';
import { buildMessage } from '../messages/build-message.js';
import { BLOCKHASH, keyOf, transferOf } from '../testing/actors.js';
import { blockhashRange, CORPUS_LIMITS, type CorpusCase, forgedMessages, honestMessages } from '../testing/corpus.js';
import { checkMessage } from './check-message.js';
import { MessageRefused } from './message-refused.js';

const WALLET = keyOf('wallet').toBase58();
const FORGED = forgedMessages(WALLET);
/** Every kind of transfer, and one of them in the old version: byte by byte takes its time. */
const TAMPERED = honestMessages(WALLET).filter(({ name }, i) => name.endsWith('(v0)') || i === 1);

/** Undefined when the message may be signed. @throws whatever else than a refusal happened */
function refusalOf({ message, intent }: Omit<CorpusCase, 'name'>, limits = CORPUS_LIMITS): MessageRefused | undefined {
  try {
    checkMessage(message, intent, limits);
    return undefined;
  } catch (error) {
    if (error instanceof MessageRefused) return error;
    throw error;
  }
}

/** What the SDK understands a message to do, its compute budget and blockhash apart. */
function effectOf(bytes: Uint8Array): unknown {
  const message = VersionedMessage.deserialize(bytes);
  expect(message.serialize()).toEqual(bytes);
  if (message instanceof MessageV0) expect(message.addressTableLookups).toEqual([]);
  const { payerKey, instructions } = TransactionMessage.decompile(message);
  return {
    payer: payerKey.toBase58(),
    signers: message.header.numRequiredSignatures,
    accounts: message.staticAccountKeys.length,
    instructions: instructions
      .filter(({ programId }) => programId.toBase58() !== COMPUTE_BUDGET_PROGRAM)
      .map(({ programId, keys, data }) => ({
        program: programId.toBase58(),
        keys: keys.map(({ pubkey, isSigner, isWritable }) => [pubkey.toBase58(), isSigner, isWritable]),
        data: data.toString('hex'),
      })),
  };
}

const transfer = fc
  .record({
    recipient: fc.string().map((name) => keyOf(name).toBase58()),
    isNative: fc.boolean(),
    mint: fc.string().map((name) => keyOf(`mint ${name}`).toBase58()),
    tokenProgram: fc.constantFrom<string>(TOKEN_PROGRAM, TOKEN_2022_PROGRAM),
    amount: fc.bigInt({ min: 1n, max: 2n ** 64n - 1n }),
    decimals: fc.nat({ max: 255 }),
    createsRecipientAccount: fc.boolean(),
    memo: fc.string({ unit: 'grapheme', maxLength: 60 }),
  })
  .map(({ isNative, ...token }): intentV1.Transfer =>
    isNative ? { ...token, mint: '', tokenProgram: '', decimals: 9, createsRecipientAccount: false } : token,
  );

const intentOf = (value: intentV1.Transfer): intentV1.Intent => ({
  wallet: WALLET,
  action: { $case: 'transfer', value },
});

describe('checking a message', () => {
  it.each(honestMessages(WALLET))('lets $name through', (honest) => {
    expect(refusalOf(honest)).toBeUndefined();
  });

  it('lets through whatever is built, under its own intent and under no other', () => {
    fc.assert(
      fc.property(transfer, transfer, (one, other) => {
        const message = buildMessage({ intent: intentOf(one), blockhash: BLOCKHASH });
        expect(refusalOf({ message, intent: intentOf(one) })).toBeUndefined();
        if (JSON.stringify(one, String) === JSON.stringify(other, String)) return;
        expect(refusalOf({ message, intent: intentOf(other) })).toBeDefined();
      }),
    );
  });

  it('refuses the whole corpus of forgeries', () => {
    expect(FORGED.length).toBeGreaterThan(2_000);
    expect(new Set(FORGED.map(({ name }) => name)).size).toBe(FORGED.length);
    expect(FORGED.filter((one) => !refusalOf(one)).map(({ name }) => name)).toEqual([]);
  });

  it('gives every reason to somebody', () => {
    const reasons = new Set(FORGED.map((one) => refusalOf(one)?.reason));
    expect([...reasons].sort()).toEqual([
      'account',
      'account_flags',
      'amount',
      'instruction',
      'intent',
      'lookup_table',
      'malformed',
      'memo',
      'network_fee',
      'program',
      'signers',
    ]);
  });

  it.each(TAMPERED)('refuses every flipped bit of $name that changes what it does', (honest) => {
    const effect = effectOf(honest.message);
    const blockhash = blockhashRange(honest.message);
    for (let i = 0; i < honest.message.length * 8; i += 1) {
      const at = i >> 3;
      const message = honest.message.with(at, honest.message[at]! ^ (1 << (i & 7)));
      if (refusalOf({ ...honest, message })) continue;
      // Another blockhash only changes until when the message can land.
      if (at < blockhash.from || at >= blockhash.to) expect(effectOf(message)).toEqual(effect);
    }
  });

  it.each(TAMPERED)('refuses $name cut off anywhere', (honest) => {
    for (let length = 0; length < honest.message.length; length += 1) {
      const message = honest.message.subarray(0, length);
      expect(refusalOf({ ...honest, message })?.reason).toBe('malformed');
    }
  });

  it('refuses any mixture of bytes that does something else', () => {
    const honest = honestMessages(WALLET);
    const splice = fc.record({ at: fc.nat(400), remove: fc.nat(3), add: fc.uint8Array({ maxLength: 3 }) });
    fc.assert(
      fc.property(fc.constantFrom(...honest), fc.array(splice, { minLength: 1, maxLength: 3 }), (one, splices) => {
        const bytes = [...one.message];
        for (const { at, remove, add } of splices) bytes.splice(at % bytes.length, remove, ...add);
        const message = Uint8Array.from(bytes);
        if (!refusalOf({ ...one, message })) expect(effectOf(message)).toEqual(effectOf(one.message));
      }),
      { numRuns: 3_000 },
    );
  });

  it('bounds what the network may take, and names both sides', () => {
    const intent = intentOf(transferOf(honestMessages(WALLET)[0]!.intent));
    const message = buildMessage({
      intent,
      blockhash: BLOCKHASH,
      computeUnitLimit: 1_000_000,
      computeUnitPriceMicroLamports: 95_000n,
    });
    expect(refusalOf({ message, intent }, { maxNetworkFeeLamports: 100_000n })).toBeUndefined();
    expect(refusalOf({ message, intent }, { maxNetworkFeeLamports: 99_999n })).toMatchObject({
      reason: 'network_fee',
      message: 'The network fee of 100000 lamports is above the limit of 99999.',
    });
  });

  it('bounds the compute units as the chain does', () => {
    const { intent } = honestMessages(WALLET)[0]!;
    const message = (computeUnitLimit: number) => buildMessage({ intent, blockhash: BLOCKHASH, computeUnitLimit });
    expect(refusalOf({ message: message(1_400_000), intent })).toBeUndefined();
    expect(refusalOf({ message: message(1_400_001), intent })?.reason).toBe('network_fee');
  });

  it('lets the wallet send to itself', () => {
    const [native, , token] = honestMessages(WALLET).filter(({ name }) => name.endsWith('(v0)'));
    for (const { intent } of [native!, token!]) {
      const own = intentOf({ ...transferOf(intent), recipient: WALLET });
      expect(refusalOf({ message: buildMessage({ intent: own, blockhash: BLOCKHASH }), intent: own })).toBeUndefined();
    }
  });
});
