import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { VersionedTransaction } from '@solana/web3.js';
import { addressOf } from '../addresses/address.js';
import { BLOCKHASH } from '../testing/actors.js';
import { scenarios } from '../testing/scenarios.js';
import { assembleVerified } from './assemble-verified.js';
import { buildMessage } from './build-message.js';
import { networkFeeLamports, requiredSigners } from './message-facts.js';
import { splitTransaction } from './transaction.js';

function newWallet() {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const address = addressOf(publicKey.export({ format: 'der', type: 'spki' }).subarray(-32));
  return { address, sign: (message: Uint8Array) => sign(null, message, privateKey) };
}

const [wallet, sponsor] = [newWallet(), newWallet()];
const all = scenarios(wallet.address, { sponsor: sponsor.address });
const messageOf = (name: string) =>
  buildMessage({ intent: all.find((each) => each.name === name)!.intent, blockhash: BLOCKHASH });
const own = messageOf('token');
const sponsored = messageOf('token, price, sponsored');

describe('who signs a message', () => {
  it('is the wallet, or the sponsor first; each signature costs', () => {
    expect(requiredSigners(own)).toEqual([wallet.address]);
    expect(requiredSigners(sponsored)).toEqual([sponsor.address, wallet.address]);
    expect(networkFeeLamports(own)).toBe(5_000n);
    expect(networkFeeLamports(sponsored)).toBe(10_000n);
  });
});

describe('a transaction of verified signatures', () => {
  const signatures = (message: Uint8Array, ...signers: (typeof wallet)[]) =>
    new Map(signers.map(({ address, sign: signed }) => [address, signed(message)]));

  it('has each at its place, in any order of arrival', () => {
    for (const signers of [
      [wallet, sponsor],
      [sponsor, wallet],
    ]) {
      const transaction = assembleVerified(sponsored, signatures(sponsored, ...signers))!;
      expect(splitTransaction(transaction).signatures).toEqual([sponsor.sign(sponsored), wallet.sign(sponsored)]);
      expect(Buffer.from(VersionedTransaction.deserialize(transaction).serialize())).toEqual(transaction);
    }
  });

  it('leaves out the signature of a wallet that does not sign', () => {
    const transaction = assembleVerified(own, signatures(own, wallet, sponsor))!;
    expect(splitTransaction(transaction).signatures).toEqual([wallet.sign(own)]);
  });

  it('has zeros at the place of a wallet that signs later', () => {
    const transaction = assembleVerified(sponsored, signatures(sponsored, wallet), sponsor.address)!;
    expect(splitTransaction(transaction).signatures).toEqual([Buffer.alloc(64), wallet.sign(sponsored)]);
    expect(assembleVerified(sponsored, new Map(), sponsor.address)).toBeUndefined();
    expect(assembleVerified(own, new Map(), sponsor.address)).toBeUndefined();
  });

  it.each([
    ['the sponsor', signatures(sponsored, wallet)],
    ['the wallet', signatures(sponsored, sponsor)],
    ['everybody', new Map<string, Uint8Array>()],
  ])('is none without %s', (_, given) => {
    expect(assembleVerified(sponsored, given)).toBeUndefined();
  });

  it("is none when a signature is another's, or over other bytes", () => {
    const [ofWallet, ofSponsor] = [wallet.sign(sponsored), sponsor.sign(sponsored)];
    const assemble = (first: Uint8Array, second: Uint8Array) =>
      assembleVerified(
        sponsored,
        new Map([
          [sponsor.address, first],
          [wallet.address, second],
        ]),
      );
    expect(assemble(ofSponsor, ofWallet)).toBeDefined();
    expect(assemble(ofWallet, ofSponsor)).toBeUndefined();
    expect(assemble(ofSponsor, ofSponsor)).toBeUndefined();
    expect(assemble(sponsor.sign(own), ofWallet)).toBeUndefined();
    expect(assemble(ofSponsor, wallet.sign(own))).toBeUndefined();
  });
});
