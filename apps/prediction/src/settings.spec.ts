import { describe, expect, it } from '@jest/globals';
import { predictionSettings } from './settings.js';

const NEEDED = {
  GRPC_ADDRESS: '127.0.0.1:0',
  DATABASE_URL: 'postgres://prediction:secret@127.0.0.1/db',
  TLS_CA_PATH: 'ca',
  TLS_CERT_PATH: 'cert',
  TLS_KEY_PATH: 'key',
  TLS_CLIENT_CERT_PATH: 'client-cert',
  TLS_CLIENT_KEY_PATH: 'client-key',
  SOLANA_NETWORK: 'sandbox',
  KALSHI_BASE_URL: 'http://127.0.0.1:8903/trade-api/v2',
  KALSHI_API_KEY_ID: 'key-id',
  KALSHI_PRIVATE_KEY_PATH: 'exchange.pem',
  POLICY_ADDRESS: '127.0.0.1:1',
  WALLET_ADDRESS: '127.0.0.1:3',
};

describe('the settings of the prediction service', () => {
  it('tolerate two cents, pay out a dollar at least, and derive where the exchange streams from', () => {
    const { priceToleranceCents, minWithdrawalCents, kalshi } = predictionSettings(NEEDED);
    expect({ priceToleranceCents, minWithdrawalCents, kalshi }).toEqual({
      priceToleranceCents: 2,
      minWithdrawalCents: 100,
      kalshi: {
        baseUrl: NEEDED.KALSHI_BASE_URL,
        wsUrl: undefined,
        apiKeyId: 'key-id',
        privateKeyPath: 'exchange.pem',
      },
    });
  });

  it.each([
    ['KALSHI_PRICE_TOLERANCE_CENTS', '-1'],
    ['KALSHI_PRICE_TOLERANCE_CENTS', '99'],
    ['PREDICTION_MIN_WITHDRAWAL_CENTS', '0'],
    ['PREDICTION_MIN_WITHDRAWAL_CENTS', '0.5'],
    ['KALSHI_WS_URL', 'http://127.0.0.1'],
    ['KALSHI_BASE_URL', 'ftp://127.0.0.1'],
    ['KALSHI_API_KEY_ID', ''],
    ['KALSHI_PRIVATE_KEY_PATH', ''],
  ])('stop the start when %s is %j, and name it', (name, value) => {
    expect(() => predictionSettings({ ...NEEDED, [name]: value })).toThrow(name);
  });

  it('refuse a start in production with an armed crash', () => {
    const armed = { ...NEEDED, TEST_CRASH_AT_PATH: '/run/crash-at' };
    expect(predictionSettings(armed).crashAtPath).toBe('/run/crash-at');
    expect(() => predictionSettings({ ...armed, NODE_ENV: 'production' })).toThrow('TEST_CRASH_AT_PATH');
  });
});
