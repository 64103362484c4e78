// Bare part: open a sealed key and sign with it.
import {
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  generateKeyPairSync,
  randomBytes,
  sign,
} from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const MESSAGE = randomBytes(260);

/** Once a transfer. */
export function openSign() {
  const dataKey = randomBytes(32);
  const nonce = randomBytes(12);
  const { d, x } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  const cipher = createCipheriv(CIPHER, dataKey, nonce);
  const sealed = Buffer.concat([cipher.update(Buffer.from(d, 'base64url')), cipher.final()]);
  const tag = cipher.getAuthTag();
  const call = () => {
    const decipher = createDecipheriv(CIPHER, dataKey, nonce).setAuthTag(tag);
    const seed = Buffer.concat([decipher.update(sealed), decipher.final()]);
    const jwk = { kty: 'OKP', crv: 'Ed25519', d: seed.toString('base64url'), x };
    return sign(null, MESSAGE, createPrivateKey({ key: jwk, format: 'jwk' }));
  };
  return { name: 'unseal a key and sign', times: 1, call };
}
