import { afterAll, describe, expect, it } from '@jest/globals';
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { makeSealedKey, openSealedKey, SealBroken } from './sealed-key.js';

/** Every buffer of random bytes and of opened secrets that the code under test was given. */
const secrets: Buffer[] = [];
const { randomBytes, createDecipheriv, createPrivateKey } = crypto;
Object.assign(crypto, {
  randomBytes: (size: number) => {
    const bytes = randomBytes(size);
    if (size === 32) secrets.push(bytes);
    return bytes;
  },
  createDecipheriv: (...args: Parameters<typeof createDecipheriv>) => {
    const decipher = createDecipheriv(...args);
    const update = decipher.update.bind(decipher) as (data: Buffer) => Buffer;
    const keeping = (data: Buffer) => {
      const opened = update(data);
      secrets.push(opened);
      return opened;
    };
    return Object.assign(decipher, { update: keeping });
  },
  createPrivateKey: (input: { key: unknown }) => {
    if (Buffer.isBuffer(input.key)) secrets.push(input.key);
    return createPrivateKey(input as crypto.JsonWebKeyInput);
  },
});
syncBuiltinESMExports();
afterAll(() => {
  Object.assign(crypto, { randomBytes, createDecipheriv, createPrivateKey });
  syncBuiltinESMExports();
});

const AGENT = '0193f3a0-0000-7000-8000-000000000001';
const OTHER_AGENT = '0193f3a0-0000-7000-8000-000000000002';
const dataKey = { version: 1, secret: crypto.createSecretKey(crypto.randomBytes(32)) };
const message = Buffer.from('a message');

describe('a sealed key', () => {
  it('opens to the private half of its public key', () => {
    const sealed = makeSealedKey(AGENT, dataKey);
    const signature = crypto.sign(null, message, openSealedKey(sealed, dataKey));
    const x = sealed.publicKey.toString('base64url');
    const publicKey = crypto.createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    expect(crypto.verify(null, message, publicKey, signature)).toBe(true);
  });

  it('is another one every time', () => {
    const [a, b] = [makeSealedKey(AGENT, dataKey), makeSealedKey(AGENT, dataKey)];
    expect(a.publicKey.equals(b.publicKey)).toBe(false);
    expect(a.nonce.equals(b.nonce)).toBe(false);
  });

  it('leaves no seed behind in any buffer it was in', () => {
    secrets.length = 0;
    openSealedKey(makeSealedKey(AGENT, dataKey), dataKey);
    expect(() => openSealedKey({ ...makeSealedKey(AGENT, dataKey), agentId: OTHER_AGENT }, dataKey)).toThrow(
      SealBroken,
    );
    // Twice the new seed and its PKCS #8, and twice what was decrypted: for use, and in vain.
    expect(secrets).toHaveLength(6);
    expect(secrets.filter((bytes) => bytes.some((byte) => byte !== 0))).toEqual([]);
  });

  const flipped = (bytes: Buffer) => Buffer.from(bytes.map((byte, i) => (i === 5 ? byte ^ 1 : byte)));
  const sealed = makeSealedKey(AGENT, dataKey);
  const other = makeSealedKey(OTHER_AGENT, dataKey);
  it.each([
    ['moved to another agent', { ...sealed, agentId: OTHER_AGENT }],
    ['given the public key of another', { ...sealed, publicKey: other.publicKey }],
    ['said to be under another data key', { ...sealed, keyVersion: 2 }],
    [
      'given the ciphertext of another',
      { ...sealed, ciphertext: other.ciphertext, nonce: other.nonce, tag: other.tag },
    ],
    ['changed in its ciphertext', { ...sealed, ciphertext: flipped(sealed.ciphertext) }],
    ['changed in its nonce', { ...sealed, nonce: flipped(sealed.nonce) }],
    ['changed in its tag', { ...sealed, tag: flipped(sealed.tag) }],
    ['given a shorter tag', { ...sealed, tag: sealed.tag.subarray(0, 12) }],
    ['cut off', { ...sealed, ciphertext: sealed.ciphertext.subarray(0, 16) }],
  ])('does not open when it was %s', (_, broken) => {
    expect(() => openSealedKey(broken, dataKey)).toThrow(SealBroken);
  });

  it('does not open under another data key', () => {
    const another = { version: 1, secret: crypto.createSecretKey(crypto.randomBytes(32)) };
    expect(() => openSealedKey(sealed, another)).toThrow(SealBroken);
  });
});
