import { expect, it } from '@jest/globals';
import { constants, generateKeyPairSync, verify } from 'node:crypto';
import { signKalshiRequest } from './sign-request.js';

it('a request is signed as the exchange verifies it', () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const request = { method: 'GET', path: '/trade-api/v2/portfolio/balance', timestampMs: 1_700_000_000_123 } as const;
  const headers = signKalshiRequest({ id: 'the-key', privateKey }, request);
  expect(headers).toMatchObject({ 'KALSHI-ACCESS-KEY': 'the-key', 'KALSHI-ACCESS-TIMESTAMP': '1700000000123' });
  const text = Buffer.from('1700000000123GET/trade-api/v2/portfolio/balance');
  const key = { key: publicKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 };
  expect(verify('sha256', text, key, Buffer.from(headers['KALSHI-ACCESS-SIGNATURE']!, 'base64'))).toBe(true);
});
