import type { Environment } from '@agent-wallet/platform';
import { afterAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { checkSettingsOfAll } from '../services/check-settings.js';
import { chooseUpstreams } from './choose-upstreams.js';

const folder = mkdtempSync(path.join(tmpdir(), 'networks-'));
afterAll(() => rmSync(folder, { recursive: true }));

function pegged(name: string, text: string): string {
  const file = path.join(folder, name);
  writeFileSync(file, text);
  return file;
}

const USDC = pegged('mainnet', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v 6\n');
const USDC_OF_DEVNET = pegged('devnet', '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU 6\n');
const MAIL = { SMTP_URL: 'smtps://mail.example.com' };
const MAINNET = { ...MAIL, SOLANA_NETWORK: 'mainnet-beta', SOLANA_RPC_URL: 'https://rpc.example.com' };
const DEVNET = { ...MAIL, SOLANA_NETWORK: 'devnet', SOLANA_RPC_URL: 'https://api.devnet.solana.com' };
const LOCALNET = { ...MAIL, SOLANA_NETWORK: 'localnet', SOLANA_RPC_URL: 'http://127.0.0.1:8899' };
const JUPITER = { JUPITER_BASE_URL: 'https://api.jup.ag' };
const KALSHI = {
  KALSHI_BASE_URL: 'https://external-api.kalshi.com/trade-api/v2',
  ...{ KALSHI_API_KEY_ID: 'key-1', KALSHI_PRIVATE_KEY_PATH: '/keys/exchange.pem' },
};
const SANDBOX = { JUPITER_BASE_URL: 'http://127.0.0.1:8902' };

/** Returns the parts of a deployment with an environment. @throws SettingsError as `npm start` */
function partsWith(environment: Environment): readonly string[] {
  checkSettingsOfAll(environment);
  return chooseUpstreams(environment).parts;
}

describe('a start with upstreams of one network', () => {
  const ALL = ['transfers', 'trading', 'predictions', 'liquidity'];

  it.each<[string, Environment, readonly string[]]>([
    ['nothing named', {}, ALL],
    ['mainnet by a node and mail', MAINNET, ['transfers']],
    ['mainnet with three nodes', { ...MAINNET, SOLANA_RPC_URLS: 'https://b.example,https://c.example' }, ['transfers']],
    ['mainnet with the aggregator', { ...MAINNET, ...JUPITER }, ['transfers', 'trading', 'liquidity']],
    ['mainnet with everything', { ...MAINNET, ...JUPITER, ...KALSHI }, ALL],
    ['devnet by its public node', DEVNET, ['transfers']],
    ['devnet with a peg of its USDC', { ...DEVNET, PEGGED_TOKENS_PATH: USDC_OF_DEVNET }, ['transfers']],
    ['localnet with a peg', { ...LOCALNET, PEGGED_TOKENS_PATH: USDC, PYTH_ENABLED: 'false' }, ['transfers']],
    ["localnet with the sandbox's prices", { ...LOCALNET, ...SANDBOX }, ['transfers', 'trading', 'liquidity']],
  ])('has, with %s, the parts that they serve', (_, environment, parts) => {
    expect([...partsWith(environment)].sort()).toEqual([...parts].sort());
  });

  it.each<[string, Environment]>([
    ['SOLANA_NETWORK is required', { ...MAINNET, SOLANA_NETWORK: undefined }],
    ['SOLANA_NETWORK: must be one of', { ...MAINNET, SOLANA_NETWORK: 'mainnet' }],
    ['SOLANA_RPC_URL: is a node of devnet', { ...MAINNET, SOLANA_RPC_URL: DEVNET.SOLANA_RPC_URL }],
    ['SOLANA_RPC_URLS: is a node of devnet', { ...MAINNET, SOLANA_RPC_URLS: DEVNET.SOLANA_RPC_URL }],
    ['JUPITER_BASE_URL: must be https', { ...MAINNET, ...SANDBOX }],
    ['RAYDIUM_API_URL: must be https', { ...MAINNET, ...JUPITER, RAYDIUM_API_URL: 'http://127.0.0.1:8902/raydium' }],
    [
      'KALSHI_BASE_URL: is for test money',
      { ...MAINNET, ...JUPITER, ...KALSHI, KALSHI_BASE_URL: 'https://demo-api.kalshi.co/trade-api/v2' },
    ],
    ['PEGGED_TOKENS_PATH: names 4zMM', { ...MAINNET, PEGGED_TOKENS_PATH: USDC_OF_DEVNET }],
    ['SANDBOX_ADMIN_URL: is for', { ...MAINNET, SANDBOX_ADMIN_URL: 'http://127.0.0.1:8905' }],
    ['JUPITER_BASE_URL: no market serves devnet', { ...DEVNET, ...JUPITER }],
    ['PARTS: trading cannot be had on devnet', { ...DEVNET, PARTS: 'trading' }],
    ['PEGGED_TOKENS_PATH: names EPjF', { ...DEVNET, PEGGED_TOKENS_PATH: USDC }],
    ['JUPITER_BASE_URL: is for real money', { ...LOCALNET, ...JUPITER }],
    ['KALSHI_BASE_URL: is for real money', { ...LOCALNET, ...SANDBOX, ...KALSHI }],
  ])('stops with "%s"', (problem, environment) => {
    expect(() => partsWith(environment)).toThrow(problem);
  });
});
