import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Keypair } from '@solana/web3.js';
import { createHash, createPrivateKey, createPublicKey, randomBytes, sign } from 'node:crypto';
import { sendBlindly, signed, statusOf, transfer } from './transactions.js';
import { World } from './world.js';

const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');
const ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;

/** Transactions that no honest client sends. */
describe('hostile transactions', () => {
  let world: World;
  let alice: Keypair;

  beforeAll(async () => {
    world = await World.start();
    alice = await world.funded(['SOL', 1_000]);
  });

  afterAll(() => world.stop());

  it('lands a message once, even under another valid signature of it', async () => {
    const transaction = await signed(world, alice, transfer(alice, Keypair.generate().publicKey, 10_000_000));
    const first = await sendBlindly(world, transaction);
    const after = await world.connection.getBalance(alice.publicKey);
    transaction.signatures[0] = otherSignature(alice, transaction.message.serialize());
    const second = await sendBlindly(world, transaction);
    expect(second).not.toBe(first);
    expect(await statusOf(world, second)).toBeNull();
    expect(await world.connection.getBalance(alice.publicKey)).toBe(after);
    const { error } = await world.rpc('sendTransaction', [base64(transaction.serialize()), { encoding: 'base64' }]);
    expect(error).toMatchObject({ code: -32002, data: { err: 'AlreadyProcessed' } });
  });

  it('survives any bytes, and accounts for every lamport of those that land', async () => {
    const before = await world.connection.getBalance(alice.publicKey);
    const known = new Set((await history()).map((s) => s.signature));
    const seed = Buffer.from(
      (await signed(world, alice, transfer(alice, Keypair.generate().publicKey, 10_000_000))).serialize(),
    );
    const random = createHash('sha256');
    for (let i = 0; i < 400; i++) {
      const noise = random.copy().update(String(i)).digest();
      const wire = mutated(seed, noise);
      sign(null, wire.subarray(65), privateKey(alice.secretKey.subarray(0, 32))).copy(wire, 1);
      await world.rpc('sendTransaction', [base64(wire), { encoding: 'base64', skipPreflight: i % 2 === 0 }]);
      if (i % 4 === 0) await world.rpc('simulateTransaction', [base64(wire), { encoding: 'base64' }]);
    }
    const landed = (await history()).filter((s) => !known.has(s.signature));
    expect(landed.length).toBeGreaterThan(10);
    let spent = 0;
    for (const { signature } of landed) {
      const { meta, transaction } = (await world.connection.getTransaction(signature, {
        maxSupportedTransactionVersion: 0,
      }))!;
      const at = transaction.message.staticAccountKeys.findIndex((key) => key.equals(alice.publicKey));
      spent += meta!.preBalances[at]! - meta!.postBalances[at]!;
      expect(meta!.fee).toBe(5_000 * transaction.message.header.numRequiredSignatures);
    }
    expect(await world.connection.getBalance(alice.publicKey)).toBe(before - spent);
  });

  const history = (): ReturnType<World['connection']['getSignaturesForAddress']> =>
    world.connection.getSignaturesForAddress(alice.publicKey);
});

/** One to three bytes of the message changed, where and to what the noise says; now and then a byte more or less. */
function mutated(seed: Buffer, noise: Buffer): Buffer {
  let wire = Buffer.from(seed);
  for (let i = 0; i <= noise[0]! % 3; i++) {
    const at = 65 + (noise.readUInt16LE(1 + 3 * i) % (wire.length - 65));
    wire[at] = noise[3 + 3 * i]! % (noise[20]! % 2 ? 256 : 8);
  }
  if (noise[21]! % 16 === 0) wire = wire.subarray(0, wire.length - 1);
  if (noise[21]! % 16 === 1) wire = Buffer.concat([wire, noise.subarray(0, 1)]);
  return wire;
}

/** An Ed25519 signature with another nonce than the standard's: as valid, and different. */
function otherSignature(keypair: Keypair, message: Uint8Array): Buffer {
  const nonceSeed = randomBytes(32);
  const der = createPublicKey(privateKey(nonceSeed)).export({ format: 'der', type: 'spki' });
  const point = der.subarray(der.length - 32);
  const challenge = createHash('sha512').update(point).update(keypair.publicKey.toBytes()).update(message).digest();
  const s = (scalar(nonceSeed) + littleEndian(challenge) * scalar(keypair.secretKey.subarray(0, 32))) % ORDER;
  return Buffer.concat([point, Buffer.from(s.toString(16).padStart(64, '0'), 'hex').reverse()]);
}

/** The secret scalar that a seed stands for. */
function scalar(seed: Uint8Array): bigint {
  const bytes = createHash('sha512').update(seed).digest().subarray(0, 32);
  bytes[0]! &= 248;
  bytes[31] = (bytes[31]! & 127) | 64;
  return littleEndian(bytes);
}

function littleEndian(bytes: Buffer): bigint {
  return BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);
}

function privateKey(seed: Uint8Array): ReturnType<typeof createPrivateKey> {
  return createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' });
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}
