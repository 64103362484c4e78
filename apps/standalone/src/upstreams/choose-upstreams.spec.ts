import { PARTS } from '@agent-wallet/kernel';
import { describe, expect, it } from '@jest/globals';
import { chooseUpstreams } from './choose-upstreams.js';

const REAL = {
  SOLANA_RPC_URL: 'https://rpc.example',
  JUPITER_BASE_URL: 'https://prices.example',
  SOLANA_NETWORK: 'mainnet-beta',
  KALSHI_BASE_URL: 'https://exchange.example',
  KALSHI_API_KEY_ID: 'key-1',
  KALSHI_PRIVATE_KEY_PATH: '/keys/exchange.pem',
  SMTP_URL: 'smtp://mail.example',
};

describe('the choice of a world', () => {
  it('is the sandbox when nothing real is named', () => {
    expect(chooseUpstreams({})).toEqual({ kind: 'sandbox', smtpUrl: undefined, parts: PARTS });
  });

  it('lets real mail be used with the sandbox', () => {
    expect(chooseUpstreams({ SMTP_URL: REAL.SMTP_URL })).toEqual({
      kind: 'sandbox',
      smtpUrl: REAL.SMTP_URL,
      parts: PARTS,
    });
  });

  const NODE = { SOLANA_RPC_URL: REAL.SOLANA_RPC_URL, SOLANA_NETWORK: 'mainnet-beta', SMTP_URL: REAL.SMTP_URL };
  const { JUPITER_BASE_URL } = REAL;

  it.each([
    ['a node and mail', NODE, ['transfers']],
    ['an aggregator as well', { ...NODE, JUPITER_BASE_URL }, ['transfers', 'trading', 'liquidity']],
    ['everything', REAL, [...PARTS]],
    [
      'everything, and no liquidity in PARTS',
      { ...REAL, PARTS: 'trading, predictions' },
      ['transfers', 'trading', 'predictions'],
    ],
    ['everything, and one part in PARTS', { ...REAL, PARTS: 'transfers' }, ['transfers']],
    ['nothing, and one part in PARTS', { PARTS: 'trading' }, ['transfers', 'trading']],
  ])('has, with %s, the parts that these serve', (_, env, parts) => {
    expect(chooseUpstreams(env).parts).toEqual(parts);
  });

  it.each([
    ['SOLANA_RPC_URL', { ...NODE, JUPITER_BASE_URL, SOLANA_RPC_URL: '' }, 'outside the sandbox'],
    ['SOLANA_NETWORK', { ...REAL, SOLANA_NETWORK: undefined }, 'outside the sandbox'],
    ['SMTP_URL', { ...REAL, SMTP_URL: undefined }, 'outside the sandbox'],
    ['JUPITER_BASE_URL', { ...NODE, PARTS: 'trading' }, 'with trading'],
    ['JUPITER_BASE_URL', { ...NODE, PARTS: 'liquidity' }, 'with liquidity'],
    ['KALSHI_API_KEY_ID', { ...REAL, KALSHI_API_KEY_ID: undefined }, 'with predictions'],
    ['KALSHI_PRIVATE_KEY_PATH', { ...REAL, KALSHI_PRIVATE_KEY_PATH: undefined }, 'with predictions'],
    ['KALSHI_BASE_URL', { ...NODE, JUPITER_BASE_URL, PARTS: 'predictions' }, 'with predictions'],
  ])('names %s when it is missing', (name, env, why) => {
    expect(() => chooseUpstreams(env)).toThrow(`${name} is required ${why}`);
  });

  it('never starts the sandbox by itself in production', () => {
    expect(() => chooseUpstreams({ NODE_ENV: 'production' })).toThrow('SOLANA_RPC_URL is required');
  });
});
