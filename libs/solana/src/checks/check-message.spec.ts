import { propertyRuns } from '@agent-wallet/testing';
import { describe, expect, it } from '@jest/globals';
import type { intentV1 } from '@agent-wallet/contracts';
import { MessageV0, TransactionMessage, VersionedMessage } from '@solana/web3.js';
import fc from 'fast-check';
import { COMPUTE_BUDGET_PROGRAM } from '../addresses/programs.js';
import { buildMessage } from '../messages/build-message.js';
import { BLOCKHASH, keyOf, transferOf } from '../testing/actors.js';
import { blockhashRange, CORPUS_LIMITS, type CorpusCase, forgedMessages, honestMessages } from '../testing/corpus.js';
import { randomIntents } from '../testing/random-intents.js';
import { checkMessage } from './check-message.js';
import { MessageRefused } from '../intents/message-refused.js';

const WALLET = keyOf('wallet').toBase58();
const FORGED = forgedMessages(WALLET);
const wayOf = ({ name, scenario }: CorpusCase) => name.slice(scenario.length);
const WAYS = new Set(FORGED.map(wayOf));
/** Every kind of message, and one of them in the old version: byte by byte takes its time. */
const TAMPERED = honestMessages(WALLET).filter(({ name }, i) => name.endsWith('(v0)') || i === 1);

/** Undefined when the message may be signed. @throws every error that is not a refusal */
function refusalOf(
  { message, intent }: Pick<CorpusCase, 'message' | 'intent'>,
  limits = CORPUS_LIMITS,
): MessageRefused | undefined {
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

const intent = randomIntents(WALLET);

const intentOf = (value: intentV1.Transfer): intentV1.Intent => ({
  wallet: WALLET,
  action: { $case: 'transfer', value },
});

describe('checking a message', () => {
  it.each(honestMessages(WALLET))('lets $name through', (honest) => {
    expect(refusalOf(honest)).toBeUndefined();
  });

  it('lets every built message through, under its own intent and under no other', () => {
    fc.assert(
      fc.property(intent, intent, (one, other) => {
        const [message, another] = [one, other].map((each) => buildMessage({ intent: each, blockhash: BLOCKHASH }));
        expect(refusalOf({ message: message!, intent: one })).toBeUndefined();
        if (Buffer.compare(message!, another!) === 0) return;
        expect(refusalOf({ message: message!, intent: other })).toBeDefined();
      }),
    );
  });

  it(`refuses the whole corpus: ${FORGED.length} forgeries, made in ${WAYS.size} ways`, () => {
    expect(WAYS.size).toBeGreaterThanOrEqual(1_200);
    expect(FORGED.length).toBeGreaterThanOrEqual(10_500);
    expect(new Set(FORGED.map(({ name }) => name)).size).toBe(FORGED.length);
    expect(FORGED.filter((one) => !refusalOf(one)).map(({ name }) => name)).toEqual([]);
  });

  it('refuses escrows and payouts forged in ways that are theirs alone', () => {
    const ofMoves = FORGED.filter(({ intent: { action } }) => action?.$case === 'escrow' || action?.$case === 'payout');
    const ofOthers = new Set(FORGED.filter((one) => !ofMoves.includes(one)).map(wayOf));
    const theirs = new Set(ofMoves.map(wayOf).filter((way) => !ofOthers.has(way)));
    expect(theirs.size).toBeGreaterThanOrEqual(90);
    expect(ofMoves.length).toBeGreaterThanOrEqual(2_000);
  });

  it('gives every reason for at least one message', () => {
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

  it.each([
    ['native coin, sponsored', "the sponsor's SOL instead of the wallet's", 'signers'],
    ['native coin, sponsored', "the sponsor's SOL instead of the wallet's, and the wallet signs", 'account'],
    ['native coin, sponsored', "the sponsor's SOL, too", 'instruction'],
    ['native coin, sponsored', 'no sponsor', 'signers'],
    ['native coin, sponsored', 'wallet and sponsor swapped, the wallet pays', 'signers'],
    ['native coin, sponsored', "wallet and sponsor swapped, each in the other's part", 'signers'],
    ['native coin, sponsored', 'the parts of wallet and sponsor swapped', 'account'],
    ['native coin, sponsored', 'only the sponsor signs', 'signers'],
    ['native coin, sponsored', "the first account signs in the wallet's place", 'signers'],
    ['native coin, sponsored', 'a third signer', 'signers'],
    ['native coin, sponsored', 'a third signer without a part', 'signers'],
    ['native coin, sponsored', 'a wallet that may be written to without need, or may not', 'account_flags'],
    ['native coin, sponsored', 'a network fee of one lamport too much', 'network_fee'],
    ['token, price, sponsored', "the sponsor's tokens instead of the wallet's, and the wallet signs", 'account'],
    ['token, price, sponsored', 'a wallet that may be written to without need, or may not', 'account_flags'],
    ['token', 'an unrequested sponsor', 'signers'],
    ['token', 'a second signer without a part', 'signers'],
    ['token, fee and memo', 'a fee to a thief', 'account'],
    ['token, fee and memo', 'a higher fee', 'amount'],
    ['token, fee and memo', 'the fee twice', 'instruction'],
    ['token, fee and memo', 'no fee', 'instruction'],
    ['native coin, fee', 'the fee after the transfer', 'account'],
    ['token-2022', 'a transfer with a stated fee', 'amount'],
    ['token-2022', 'a hook with its accounts', 'account'],
    ['token-2022', 'by the other program', 'program'],
    ['escrow', "to a thief's account", 'account'],
    ['escrow', 'a base unit more', 'amount'],
    ['escrow', 'back again', 'account'],
    ['escrow', 'by an owner who is the receiver', 'signers'],
    ['escrow', 'the receiver pays for the move', 'signers'],
    ['escrow', 'the receiver signs the move, too', 'signers'],
    ['escrow', 'an intent with the other way', 'signers'],
    ['escrow, sponsored', 'a thief as a delegate instead', 'account'],
    ['payout', "to another wallet's account", 'account'],
    ['payout', "of SOL in the token's place", 'program'],
    ['payout', 'the amount twice', 'instruction'],
    ['payout', 'the account closed to the receiver instead', 'account'],
    ['payout', 'a nonce before', 'instruction'],
    ['payout', 'the receiver pays for the move', 'signers'],
    ['payout', 'the sponsor pays for the move', 'signers'],
    ['payout', 'an intent with the other way', 'signers'],
    ['payout', 'an intent with treasury ', 'intent'],
    ['payout, new account and price', "a thief's account made before", 'instruction'],
    ['unwrap', 'closed with any balance', 'instruction'],
    ['unwrap', 'closed to a thief', 'account'],
    ['unwrap', "another mint's account closed", 'account'],
    ['unwrap', 'an unrequested remainder', 'instruction'],
    ['unwrap, remainder, sponsored', 'no remainder', 'instruction'],
    ['unwrap, remainder, sponsored', 'one lamport less stays', 'amount'],
    ['unwrap, remainder, sponsored', "the remainder to a thief's wrapped SOL", 'account'],
    ['unwrap, remainder, sponsored', 'made known by the other token program', 'program'],
  ])('refuses of %s: %s, because of: %s', (scenario, way, reason) => {
    const forged = FORGED.find(({ name }) => name === `${scenario}: ${way}`);
    expect(refusalOf(forged!)?.reason).toBe(reason);
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
      { numRuns: propertyRuns(3_000) },
    );
  });

  it('bounds what the network may take, and names both sides', () => {
    const intent = intentOf(transferOf(honestMessages(WALLET)[0]!.intent));
    const message = buildMessage({
      intent,
      blockhash: BLOCKHASH,
      computeUnitLimit: 1_000_000,
      priorityLamports: 95_000n,
    });
    expect(refusalOf({ message, intent }, { maxNetworkFeeLamports: 100_000n })).toBeUndefined();
    expect(refusalOf({ message, intent }, { maxNetworkFeeLamports: 99_999n })).toMatchObject({
      reason: 'network_fee',
      message: 'The network fee of 100000 lamports is above the limit of 99999.',
    });
  });

  it('bounds what the network may take of a message that is built here, however much the setting allows', () => {
    const intent = intentOf(transferOf(honestMessages(WALLET)[0]!.intent));
    const refusalAt = (priorityLamports: bigint) => {
      const budget = { computeUnitLimit: 1_000_000, priorityLamports };
      const message = buildMessage({ intent, blockhash: BLOCKHASH, ...budget });
      return refusalOf({ message, intent }, { maxNetworkFeeLamports: 1_000_000_000n })?.reason;
    };
    expect(refusalAt(95_000n)).toBeUndefined();
    expect(refusalAt(95_001n)).toBe('network_fee');
  });

  it('bounds what the network may take of a sponsor by both limits', () => {
    const { intent: sponsored } = honestMessages(WALLET).find(({ scenario }) => scenario === 'native coin, sponsored')!;
    const bounded = (maxNetworkFeeLamports: bigint) => ({ ...sponsored, maxNetworkFeeLamports });
    const message = buildMessage({
      intent: sponsored,
      blockhash: BLOCKHASH,
      computeUnitLimit: 1_000_000,
      priorityLamports: 500n,
    });
    const limits = (maxNetworkFeeLamports: bigint) => ({ maxNetworkFeeLamports });
    expect(refusalOf({ message, intent: bounded(10_500n) }, limits(10_500n))).toBeUndefined();
    expect(refusalOf({ message, intent: bounded(10_499n) }, limits(10_500n))?.reason).toBe('network_fee');
    expect(refusalOf({ message, intent: bounded(10_500n) }, limits(10_499n))?.reason).toBe('network_fee');
  });

  it('refuses an unwrap under an intent of another amount, though the same stays', () => {
    const { message, intent: honest } = honestMessages(WALLET).find(({ name }) =>
      name.startsWith('unwrap, remainder'),
    )!;
    const value = { amount: 1n, remainder: 300_000_000n };
    expect(refusalOf({ message, intent: { ...honest, action: { $case: 'unwrap', value } } })?.reason).toBe('amount');
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
