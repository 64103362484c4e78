import { describe, expect, it } from '@jest/globals';
import { inspect } from 'node:util';
import { swapSettings } from './settings.js';

const NEEDED = {
  GRPC_ADDRESS: '127.0.0.1:0',
  DATABASE_URL: 'postgres://swap:secret@127.0.0.1/db',
  TLS_CA_PATH: 'ca',
  TLS_CERT_PATH: 'cert',
  TLS_KEY_PATH: 'key',
  TLS_CLIENT_CERT_PATH: 'client-cert',
  TLS_CLIENT_KEY_PATH: 'client-key',
  SOLANA_NETWORK: 'sandbox',
  SOLANA_RPC_URL: 'http://127.0.0.1:8899',
  JUPITER_BASE_URL: 'http://127.0.0.1:8902',
  POLICY_ADDRESS: '127.0.0.1:1',
  SIGNER_ADDRESS: '127.0.0.1:2',
  WALLET_ADDRESS: '127.0.0.1:3',
};

describe('the settings of the swap service', () => {
  it('use Swap V2 as the free plan may, and allow no cosigner', () => {
    expect(swapSettings(NEEDED)).toMatchObject({
      jupiterSwapPath: '/swap/v2',
      jupiterRequestsPerMinute: 30,
      limits: { allowsCosigned: false, maxNetworkLamports: 5_000_000n },
    });
  });

  it('take Ultra, another allowance and makers that sign', () => {
    const set = { JUPITER_SWAP_PATH: '/ultra/v1', JUPITER_REQUESTS_PER_MINUTE: '600', SWAP_ALLOW_COSIGNED: 'true' };
    expect(swapSettings({ ...NEEDED, ...set })).toMatchObject({
      jupiterSwapPath: '/ultra/v1',
      jupiterRequestsPerMinute: 600,
      limits: { allowsCosigned: true },
    });
  });

  it('send to the nodes alone unless SOLANA_SEND_URLS names more', () => {
    expect(swapSettings(NEEDED).solanaSendUrls).toEqual([]);
    const SOLANA_SEND_URLS = 'https://a.example/key,https://b.example';
    expect(swapSettings({ ...NEEDED, SOLANA_SEND_URLS }).solanaSendUrls).toEqual(SOLANA_SEND_URLS.split(','));
  });

  it.each(['/swap/v1', '/ultra/v2', '/swap/v2/', '/build'])(
    'stop the start when the path is %s: it would be seen',
    (path) => {
      expect(() => swapSettings({ ...NEEDED, JUPITER_SWAP_PATH: path })).toThrow(/JUPITER_SWAP_PATH.*privately/s);
    },
  );

  it.each([
    ['JUPITER_REQUESTS_PER_MINUTE', '3'],
    ['SWAP_ALLOW_COSIGNED', 'yes'],
    ['SWAP_MAX_NETWORK_FEE_LAMPORTS', '-1'],
    ['JUPITER_BASE_URL', 'ftp://api.jup.ag'],
  ])('stop the start when %s is %s, and name it', (name, value) => {
    expect(() => swapSettings({ ...NEEDED, [name]: value })).toThrow(name);
  });

  it('print no key', () => {
    const settings = swapSettings({ ...NEEDED, JUPITER_API_KEY: 'the-key-itself' });
    expect(settings.jupiterApiKey?.reveal()).toBe('the-key-itself');
    expect(inspect(settings, { depth: 9 }) + String(settings.jupiterApiKey)).not.toContain('the-key-itself');
  });

  it('refuse a start in production with an armed crash', () => {
    const armed = { ...NEEDED, TEST_CRASH_AT_PATH: '/run/crash-at' };
    expect(swapSettings(armed).crashAtPath).toBe('/run/crash-at');
    expect(() => swapSettings({ ...armed, NODE_ENV: 'production' })).toThrow('TEST_CRASH_AT_PATH');
  });
});
