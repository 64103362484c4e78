import { SettingsError } from '@agent-wallet/platform';
import { afterAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { policySettings } from './settings.js';

const LEAST = {
  GRPC_ADDRESS: 'localhost:0',
  DATABASE_URL: 'postgres://policy:secret@localhost/wallet',
  TLS_CA_PATH: 'ca.pem',
  TLS_CERT_PATH: 'cert.pem',
  TLS_KEY_PATH: 'key.pem',
  TLS_CLIENT_CERT_PATH: 'client-cert',
  TLS_CLIENT_KEY_PATH: 'client-key',
  SOLANA_NETWORK: 'sandbox',
  SOLANA_RPC_URL: 'http://localhost:8899',
  JUPITER_BASE_URL: 'http://localhost:8080',
  PERMIT_KEYS_PATH: 'keys',
};
const WALLET = '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin';

describe('settings of price sources', () => {
  const mint = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
  const directory = mkdtempSync(path.join(tmpdir(), 'policy-settings-'));
  const PEGGED_TOKENS_PATH = path.join(directory, 'pegged');
  writeFileSync(PEGGED_TOKENS_PATH, `${mint} 6\n`);
  afterAll(() => rmSync(directory, { recursive: true }));

  const read = (said: Readonly<Record<string, string>>) =>
    policySettings({ ...LEAST, JUPITER_BASE_URL: undefined, ...said });

  it('can be Pyth, pegged tokens, or both, without an aggregator', () => {
    const pegged = new Map([[mint, 6]]);
    expect(read({})).toMatchObject({ jupiterBaseUrl: undefined, pyth: { maxAgeMs: 180_000 } });
    expect(read({}).peggedTokens).toBeUndefined();
    expect(read({ PEGGED_TOKENS_PATH })).toMatchObject({ pyth: { maxAgeMs: 180_000 }, peggedTokens: pegged });
    expect(read({ PEGGED_TOKENS_PATH, PYTH_ENABLED: 'false' })).toMatchObject({
      pyth: undefined,
      peggedTokens: pegged,
    });
  });

  it.each([
    [
      'no source',
      { PYTH_ENABLED: 'false' },
      'No source of prices: set JUPITER_BASE_URL, PYTH_ENABLED=true or PEGGED_TOKENS_PATH',
    ],
    ['a key for no aggregator', { JUPITER_API_KEY: 'key' }, 'JUPITER_API_KEY: needs JUPITER_BASE_URL'],
    [
      'pegged tokens beside an aggregator',
      { PEGGED_TOKENS_PATH, JUPITER_BASE_URL: 'http://localhost:8080' },
      'PEGGED_TOKENS_PATH is set, and JUPITER_BASE_URL is, too. Unset one of them',
    ],
  ])('stop the start with %s', (_, said, problem) => {
    expect(() => read(said)).toThrow(new SettingsError([problem]));
  });

  it('stop the start with a wrong line of pegged tokens, and name it', () => {
    const wrong = path.join(directory, 'wrong');
    writeFileSync(wrong, `${mint} 6\n${mint}\n`);
    const problem = 'PEGGED_TOKENS_PATH: line 2 is not `<mint> <decimals>`';
    expect(() => read({ PEGGED_TOKENS_PATH: wrong })).toThrow(new SettingsError([problem]));
  });
});

describe('settings of sponsorship', () => {
  it('sponsor nothing and take no fee without the addresses', () => {
    expect(policySettings(LEAST)).toMatchObject({
      sponsor: {
        address: undefined,
        maxLamportsPerTransaction: 5_000_000n,
        maxLamportsPerAgentDay: 10_000_000n,
        maxLamportsPerDay: 1_000_000_000n,
        maxAccountsPerAgentDay: 3,
      },
      feeWalletAddress: undefined,
    });
  });

  it('are what the operator says', () => {
    const settings = policySettings({
      ...LEAST,
      SPONSOR_ADDRESS: WALLET,
      SPONSOR_MAX_LAMPORTS_PER_TRANSACTION: '1',
      SPONSOR_MAX_LAMPORTS_PER_AGENT_DAY: '2',
      SPONSOR_MAX_LAMPORTS_PER_DAY: '3',
      SPONSORED_NEW_ACCOUNTS_PER_AGENT_DAY: '0',
      FEE_WALLET_ADDRESS: WALLET,
    });
    expect(settings).toMatchObject({
      sponsor: {
        address: WALLET,
        maxLamportsPerTransaction: 1n,
        maxLamportsPerAgentDay: 2n,
        maxLamportsPerDay: 3n,
        maxAccountsPerAgentDay: 0,
      },
      feeWalletAddress: WALLET,
    });
  });

  it.each([
    ['SPONSOR_ADDRESS', 'nobody'],
    ['SPONSOR_ADDRESS', '11111111111111111111111111111111'],
    ['FEE_WALLET_ADDRESS', `${WALLET}1`],
    ['SPONSOR_MAX_LAMPORTS_PER_DAY', '-1'],
    ['SPONSORED_NEW_ACCOUNTS_PER_AGENT_DAY', 'three'],
  ])('name %s when it is %s', (name, text) => {
    expect(() => policySettings({ ...LEAST, [name]: text })).toThrow(name);
  });
});

describe('settings of the treasury', () => {
  it('let it pay a hundred thousand dollars a day, once there is one', () => {
    const least = { address: undefined, maxPayoutsPerDay: 100_000_000_000n, maxMovesPerAgentDay: 100 };
    expect(policySettings(LEAST).treasury).toEqual(least);
    const limits = { TREASURY_PAYOUT_DAILY_LIMIT_USD: '7', MAX_TREASURY_MOVES_PER_AGENT_DAY: '3' };
    const { treasury } = policySettings({ ...LEAST, TREASURY_ADDRESS: WALLET, ...limits });
    expect(treasury).toEqual({ address: WALLET, maxPayoutsPerDay: 7_000_000n, maxMovesPerAgentDay: 3 });
  });

  it.each([
    ['TREASURY_ADDRESS', 'nobody'],
    ['TREASURY_ADDRESS', '11111111111111111111111111111111'],
    ['TREASURY_PAYOUT_DAILY_LIMIT_USD', '-1'],
    ['TREASURY_PAYOUT_DAILY_LIMIT_USD', '1.5'],
    ['MAX_TREASURY_MOVES_PER_AGENT_DAY', '-1'],
  ])('name %s when it is %s', (name, text) => {
    expect(() => policySettings({ ...LEAST, [name]: text })).toThrow(name);
  });
});

describe('settings of swaps', () => {
  it('let network fee and tips cost a bounded sum, and no maker sign, unless the operator says otherwise', () => {
    expect(policySettings(LEAST).swaps).toEqual({ maxNetworkLamports: 5_000_000n, allowsCosigned: false });
    const said = { SWAP_MAX_NETWORK_FEE_LAMPORTS: '7', SWAP_ALLOW_COSIGNED: 'true' };
    expect(policySettings({ ...LEAST, ...said }).swaps).toEqual({ maxNetworkLamports: 7n, allowsCosigned: true });
  });

  it.each([
    ['SWAP_MAX_NETWORK_FEE_LAMPORTS', '-1'],
    ['SWAP_ALLOW_COSIGNED', 'yes'],
  ])('name %s when it is %s', (name, text) => {
    expect(() => policySettings({ ...LEAST, [name]: text })).toThrow(name);
  });
});

describe('settings of owners', () => {
  const read = (said: Readonly<Record<string, string>>) => policySettings({ ...LEAST, ...said }).owners;

  it('are absent without an origin', () => {
    expect(read({})).toBeUndefined();
  });

  it('have the host of the origin, or a parent domain, as the relying party', () => {
    const origin = 'https://owner.example.com';
    expect(read({ OWNER_ORIGIN: origin })).toEqual({ origin, rpId: 'owner.example.com', claimDelayHours: 24 });
    expect(read({ OWNER_ORIGIN: origin, OWNER_RP_ID: 'example.com' })).toMatchObject({ origin, rpId: 'example.com' });
    const local = 'http://localhost:3000';
    expect(read({ OWNER_ORIGIN: local })).toMatchObject({ origin: local, rpId: 'localhost' });
    expect(read({ OWNER_ORIGIN: local, CLAIM_DELAY_HOURS: '0' })).toMatchObject({ claimDelayHours: 0 });
  });

  it.each([
    ['OWNER_ORIGIN', { OWNER_ORIGIN: 'owner.example.com' }],
    ['OWNER_ORIGIN', { OWNER_ORIGIN: 'https://owner.example.com/' }],
    ['OWNER_ORIGIN', { OWNER_ORIGIN: 'http://owner.example.com' }],
    ['OWNER_ORIGIN', { OWNER_ORIGIN: 'https://192.0.2.1' }],
    ['OWNER_ORIGIN', { OWNER_ORIGIN: 'https://[2001:db8::1]' }],
    ['OWNER_REQUIRED', { OWNER_REQUIRED: 'true' }],
    ['OWNER_REQUIRED', { OWNER_ORIGIN: 'https://owner.example.com', OWNER_REQUIRED: 'yes' }],
    ['OWNER_RP_ID', { OWNER_ORIGIN: 'https://owner.example.com', OWNER_RP_ID: 'other.com' }],
    ['OWNER_RP_ID', { OWNER_ORIGIN: 'https://owner.example.com', OWNER_RP_ID: 'com' }],
    ['OWNER_RP_ID', { OWNER_ORIGIN: 'https://owner.example.com', OWNER_RP_ID: 'wner.example.com' }],
    ['OWNER_RP_ID', { OWNER_RP_ID: 'example.com' }],
  ])('name %s when it cannot serve passkeys: %j', (name, said) => {
    expect(() => read(said)).toThrow(name);
  });
});
