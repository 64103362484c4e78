import { describe, expect, it } from '@jest/globals';
import { walletSettings } from './settings.js';

const SPONSOR = '7YttLkHDoNj9wyDur5pM1ejNaAvT9X4eqaYcHQqtj2G5';
const NEEDED = {
  GRPC_ADDRESS: '127.0.0.1:0',
  DATABASE_URL: 'postgres://wallet:secret@127.0.0.1/db',
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
};

describe("the wallet service's settings", () => {
  it('take no fee, and sponsor as soon as there is a sponsor', () => {
    expect(walletSettings(NEEDED)).toMatchObject({
      sponsorAddress: undefined,
      isSponsoring: true,
      feeWalletAddress: undefined,
      transferFees: { basisPoints: 0, flatUsdMicros: 0n },
    });
  });

  it('are exact', () => {
    const set = { SPONSOR_ADDRESS: SPONSOR, FEE_SPONSOR: 'off', TRANSFER_FEE_BPS: '25', TRANSFER_FEE_FLAT_USD: '0.1' };
    expect(walletSettings({ ...NEEDED, ...set })).toMatchObject({
      sponsorAddress: SPONSOR,
      isSponsoring: false,
      transferFees: { basisPoints: 25, flatUsdMicros: 100_000n },
    });
  });

  it.each([
    ['FEE_SPONSOR', 'on'],
    ['TRANSFER_FEE_BPS', '10001'],
    ['TRANSFER_FEE_BPS', '0.5'],
    ['TRANSFER_FEE_FLAT_USD', '0.0000001'],
    ['TRANSFER_FEE_FLAT_USD', '-1'],
    ['SPONSOR_ADDRESS', 'nobody'],
    ['FEE_WALLET_ADDRESS', '11111111111111111111111111111111'],
  ])('stop the start when %s is %s, and name it', (name, value) => {
    expect(() => walletSettings({ ...NEEDED, [name]: value })).toThrow(name);
  });

  it('stop the start when a key has no aggregator', () => {
    const keyed = { ...NEEDED, JUPITER_BASE_URL: undefined, JUPITER_API_KEY: 'key' };
    expect(() => walletSettings(keyed)).toThrow('JUPITER_API_KEY: needs JUPITER_BASE_URL');
  });

  it('refuse a start in production with an armed crash', () => {
    const armed = { ...NEEDED, TEST_CRASH_AT_PATH: '/run/crash-at' };
    expect(walletSettings(armed).crashAtPath).toBe('/run/crash-at');
    expect(() => walletSettings({ ...armed, NODE_ENV: 'production' })).toThrow('TEST_CRASH_AT_PATH');
  });
});
