import { describe, expect, it } from '@jest/globals';
import { chooseUpstreams } from './choose-upstreams.js';

const REAL = {
  SOLANA_RPC_URL: 'https://rpc.example',
  JUPITER_BASE_URL: 'https://prices.example',
  SOLANA_NETWORK: 'devnet',
  KALSHI_BASE_URL: 'https://exchange.example',
  KALSHI_API_KEY_ID: 'key-1',
  KALSHI_PRIVATE_KEY_PATH: '/keys/exchange.pem',
  SMTP_URL: 'smtp://mail.example',
};

describe('the choice of a world', () => {
  it('is the sandbox when nothing real is named', () => {
    expect(chooseUpstreams({})).toEqual({ kind: 'sandbox', smtpUrl: undefined });
  });

  it('lets real mail be used with the sandbox', () => {
    expect(chooseUpstreams({ SMTP_URL: REAL.SMTP_URL })).toEqual({ kind: 'sandbox', smtpUrl: REAL.SMTP_URL });
  });

  it('is the real world when all of it is named', () => {
    expect(chooseUpstreams(REAL).kind).toBe('real');
  });

  it.each(Object.keys(REAL))('refuses a mixture and names %s', (name) => {
    expect(() => chooseUpstreams({ ...REAL, [name]: undefined })).toThrow(`${name} is required`);
  });

  it('never starts the sandbox by itself in production', () => {
    expect(() => chooseUpstreams({ NODE_ENV: 'production' })).toThrow('SOLANA_RPC_URL is required');
  });
});
