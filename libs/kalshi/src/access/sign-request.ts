import { constants, type KeyObject, sign } from 'node:crypto';

/** Signed parts of a request; its body and its query are not signed. */
interface SignedRequest {
  readonly method: 'GET' | 'POST';
  /** Path from the root of the host on, with the API's own prefix and without the query. */
  readonly path: string;
  readonly timestampMs: number;
}

/** A key of the account: its id at the exchange, and its RSA private key. */
export interface ApiKey {
  readonly id: string;
  readonly privateKey: KeyObject;
}

const DIGEST_BYTES = 32;

/** Returns the headers that authenticate a request. The exchange accepts them for about half a minute. */
export function signKalshiRequest(key: ApiKey, { method, path, timestampMs }: SignedRequest): Record<string, string> {
  const signature = sign('sha256', Buffer.from(`${timestampMs}${method}${path}`), {
    key: key.privateKey,
    padding: constants.RSA_PKCS1_PSS_PADDING,
    saltLength: DIGEST_BYTES,
  });
  return {
    'KALSHI-ACCESS-KEY': key.id,
    'KALSHI-ACCESS-TIMESTAMP': timestampMs.toString(),
    'KALSHI-ACCESS-SIGNATURE': signature.toString('base64'),
  };
}
