import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { intentV1 } from '@agent-wallet/contracts';
import { VersionedMessage, VersionedTransaction } from '@solana/web3.js';
import { addressOf } from '../addresses/address.js';
import {
  ASSOCIATED_TOKEN_PROGRAM,
  COMPUTE_BUDGET_PROGRAM,
  MEMO_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
} from '../addresses/programs.js';
import { MessageRefused } from '../intents/message-refused.js';
import { BLOCKHASH, keyOf, transferOf } from '../testing/actors.js';
import { scenarios } from '../testing/scenarios.js';
import { buildMessage } from './build-message.js';
import { messageFacts, networkFeeLamports } from './message-facts.js';
import { MalformedMessage } from './decode-message.js';
import { networkFee } from './compute-budget.js';
import {
  assembleTransaction,
  isSignature,
  messageHash,
  signatureText,
  splitTransaction,
  transactionSignature,
} from './transaction.js';
import { verifySignature } from './verify-signature.js';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const WALLET = addressOf(publicKey.export({ format: 'der', type: 'spki' }).subarray(-32));
const MEMO_INTENT = scenarios(WALLET)[1]!.intent;
const USDC = { mint: keyOf('mint').toBase58(), tokenProgram: TOKEN_PROGRAM, decimals: 6, amount: 12_500_000n };
/** Builds a message of 1,000 compute units: a lamport is a price of 1,000 micro-lamports. */
const build = (intent: intentV1.Intent, priorityLamports?: bigint) =>
  buildMessage({ intent, blockhash: BLOCKHASH, computeUnitLimit: 1_000, priorityLamports });

describe('a built message', () => {
  it('says who pays, who signs, what it calls and how long it lives', () => {
    expect(messageFacts(build(MEMO_INTENT))).toEqual({
      version: 0,
      feePayer: WALLET,
      requiredSigners: [WALLET],
      blockhash: BLOCKHASH,
      programs: [COMPUTE_BUDGET_PROGRAM, MEMO_PROGRAM, SYSTEM_PROGRAM],
      usesLookupTables: false,
    });
  });

  it.each([true, false])('of a payout is paid and signed by the treasury alone, to a new account: %s', (isNew) => {
    const treasury = keyOf('treasury').toBase58();
    const value = { ...USDC, treasury, createsRecipientAccount: isNew };
    expect(messageFacts(build({ wallet: WALLET, action: { $case: 'payout', value } }))).toMatchObject({
      requiredSigners: [treasury],
      programs: [COMPUTE_BUDGET_PROGRAM, ...(isNew ? [ASSOCIATED_TOKEN_PROGRAM] : []), TOKEN_PROGRAM],
    });
  });

  it('of an escrow is signed by the wallet, and paid by the sponsor if there is one', () => {
    const treasury = keyOf('treasury').toBase58();
    const sponsor = keyOf('sponsor').toBase58();
    const intent: intentV1.Intent = { wallet: WALLET, action: { $case: 'escrow', value: { ...USDC, treasury } } };
    const programs = [COMPUTE_BUDGET_PROGRAM, TOKEN_PROGRAM];
    expect(messageFacts(build(intent))).toMatchObject({ requiredSigners: [WALLET], programs });
    const sponsored = build({ ...intent, sponsor, maxNetworkFeeLamports: 10_000n });
    expect(messageFacts(sponsored)).toMatchObject({ requiredSigners: [sponsor, WALLET], programs });
  });

  it('is a message to the SDK, too', () => {
    const message = VersionedMessage.deserialize(build(MEMO_INTENT));
    expect(message.version).toBe(0);
    expect(message.staticAccountKeys[0]!.toBase58()).toBe(WALLET);
  });

  it('costs five thousand lamports and the price of its compute units, rounded up', () => {
    expect(networkFeeLamports(build(MEMO_INTENT))).toBe(5_000n);
    expect(networkFeeLamports(build(MEMO_INTENT, 1n))).toBe(5_001n);
    expect(networkFeeLamports(build(MEMO_INTENT, 1_000n))).toBe(6_000n);
    // A price of a part of a lamport is rounded up.
    expect(networkFee(1, { computeUnitLimit: 1_000, computeUnitPriceMicroLamports: 1n })).toBe(5_001n);
    expect(networkFee(1, { computeUnitLimit: 1_000, computeUnitPriceMicroLamports: 1_001n })).toBe(5_002n);
  });

  it.each<[string, Partial<intentV1.Transfer>]>([
    ['no recipient', { recipient: '' }],
    ['no amount', { amount: 0n }],
    ['an amount above u64', { amount: 2n ** 64n }],
    ['decimals that the native coin does not have', { decimals: 6 }],
    ['a token account for the native coin', { createsRecipientAccount: true }],
    ['a token of an unknown program', { mint: keyOf('mint').toBase58(), tokenProgram: SYSTEM_PROGRAM }],
  ])('is not made for %s', (_, change) => {
    const value = { ...transferOf(MEMO_INTENT), ...change };
    const refused = () => build({ wallet: WALLET, action: { $case: 'transfer', value } });
    expect(refused).toThrow(expect.objectContaining({ constructor: MessageRefused, reason: 'intent' }));
  });
});

describe('a transaction', () => {
  const message = build(MEMO_INTENT);
  const signature = sign(null, message, privateKey);
  const transaction = assembleTransaction(message, [signature]);

  it('is the signatures and the message, and is named by the first signature', () => {
    expect(splitTransaction(transaction)).toEqual({ signatures: [signature], message: Buffer.from(message) });
    expect(transactionSignature(transaction)).toBe(signatureText(signature));
    expect(isSignature(signatureText(signature))).toBe(true);
    expect(isSignature(WALLET)).toBe(false);
    expect(Buffer.from(VersionedTransaction.deserialize(transaction).serialize())).toEqual(transaction);
  });

  it('cannot be put together from a signature of another length', () => {
    expect(() => assembleTransaction(message, [signature.subarray(1)])).toThrow(TypeError);
    expect(() => splitTransaction(Uint8Array.of(0))).toThrow(MalformedMessage);
    expect(() => splitTransaction(transaction.subarray(0, 40))).toThrow(MalformedMessage);
  });

  it('has a hash of its message', () => {
    expect(Buffer.from(messageHash(Buffer.from('abc'))).toString('hex')).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
  });
});

describe('a signature', () => {
  const message = build(MEMO_INTENT);
  const signature = sign(null, message, privateKey);

  it('is verified for its message and its wallet only', () => {
    expect(verifySignature(message, signature, WALLET)).toBe(true);
    expect(verifySignature(message.with(0, 0x81), signature, WALLET)).toBe(false);
    expect(verifySignature(message, signature, keyOf('thief').toBase58())).toBe(false);
    expect(verifySignature(message, signature, 'nobody')).toBe(false);
    expect(verifySignature(message, signature.subarray(0, 63), WALLET)).toBe(false);
    expect(verifySignature(message, Buffer.concat([signature, Buffer.of(0)]), WALLET)).toBe(false);
  });

  it('has one form only: the same with the group order added is refused', () => {
    const order = 2n ** 252n + 27742317777372353535851937790883648493n;
    const s = BigInt(`0x${Buffer.from(signature.subarray(32)).reverse().toString('hex')}`) + order;
    const other = Buffer.from(signature);
    Buffer.from(s.toString(16).padStart(64, '0'), 'hex').reverse().copy(other, 32);
    expect(verifySignature(message, other, WALLET)).toBe(false);
  });

  it('by a key of small order, which anyone can make, is refused', () => {
    // With the identity as the key, R = identity and s = 0 satisfy the equation for every message.
    const identity = Buffer.alloc(32);
    identity[0] = 1;
    const forged = Buffer.concat([identity, Buffer.alloc(32)]);
    expect(verifySignature(message, forged, addressOf(identity))).toBe(false);
  });
});
