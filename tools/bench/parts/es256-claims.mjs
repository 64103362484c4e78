// What a bare server does with a token.
import { createPublicKey, verify } from 'node:crypto';

/** Reads ES256 tokens under one public key: the claims of a good one, an error for any other. */
export function openClaims(publicKeyPem) {
  const key = createPublicKey(publicKeyPem);
  return ({ authorization }) => {
    const [header, payload, signature] = authorization.slice('Bearer '.length).split('.');
    if (JSON.parse(Buffer.from(header, 'base64url')).alg !== 'ES256') throw new Error('another algorithm');
    const signed = Buffer.from(`${header}.${payload}`);
    const isGood = verify('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature, 'base64url'));
    const claims = JSON.parse(Buffer.from(payload, 'base64url'));
    if (!isGood || claims.exp * 1_000 <= Date.now()) throw new Error('a bad token');
    return claims;
  };
}
