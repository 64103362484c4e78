import { describe, expect, it } from '@jest/globals';
import { networkProblems } from './network-problems.js';

const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const USDC_OF_DEVNET = '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU';
const OTHER = '7YttLkHDoNj9wyDur5pM1ejNaAvT9X4eqaYcHQqtj2G5';

describe('settings that fit their network', () => {
  it.each([
    [{ SOLANA_NETWORK: 'mainnet-beta', SOLANA_RPC_URL: 'https://api.mainnet-beta.solana.com' }],
    [{ SOLANA_NETWORK: 'mainnet-beta', SOLANA_RPC_URL: 'http://node.internal:8899', PARTS: ['transfers', 'trading'] }],
    [{ SOLANA_NETWORK: 'mainnet-beta', JUPITER_BASE_URL: 'https://api.jup.ag' }],
    [{ SOLANA_NETWORK: 'mainnet-beta', KALSHI_BASE_URL: 'https://api.elections.kalshi.com/trade-api/v2' }],
    [{ SOLANA_NETWORK: 'mainnet-beta', PEGGED_TOKENS_PATH: new Map([[USDC, 6]]) }],
    [{ SOLANA_NETWORK: 'devnet', SOLANA_RPC_URL: 'https://api.devnet.solana.com', PARTS: ['transfers'] }],
    [{ SOLANA_NETWORK: 'devnet', PEGGED_TOKENS_PATH: new Map([[USDC_OF_DEVNET, 6]]) }],
    [{ SOLANA_NETWORK: 'testnet', PEGGED_TOKENS_PATH: new Map([[OTHER, 6]]) }],
    [{ SOLANA_NETWORK: 'localnet', SOLANA_RPC_URL: 'http://127.0.0.1:8899', PEGGED_TOKENS_PATH: new Map([[USDC, 6]]) }],
    [{ SOLANA_NETWORK: 'localnet', KALSHI_BASE_URL: 'https://demo-api.kalshi.co/trade-api/v2' }],
    [{ SOLANA_NETWORK: 'sandbox', JUPITER_BASE_URL: 'http://sandbox:8902', SANDBOX_ADMIN_URL: 'http://sandbox:8905' }],
    [{ JUPITER_BASE_URL: 'http://sandbox:8902' }],
  ])('%j has no problem', (settings) => {
    expect(networkProblems(settings)).toEqual([]);
  });
});

describe('settings that mix networks', () => {
  it.each([
    [
      { SOLANA_NETWORK: 'mainnet-beta', SOLANA_RPC_URL: 'https://api.devnet.solana.com' },
      'SOLANA_RPC_URL: is a node of devnet',
    ],
    [
      { SOLANA_NETWORK: 'devnet', SOLANA_RPC_URLS: ['https://x.example', 'https://api.testnet.solana.com'] },
      'SOLANA_RPC_URLS: is a node of testnet',
    ],
    [
      { SOLANA_NETWORK: 'mainnet-beta', SOLANA_SEND_URLS: ['https://api.devnet.solana.com'] },
      'SOLANA_SEND_URLS: is a node of devnet',
    ],
    [
      { SOLANA_NETWORK: 'localnet', SOLANA_RPC_URL: 'https://api.mainnet-beta.solana.com' },
      'SOLANA_RPC_URL: is a node of mainnet-beta',
    ],
    [
      { SOLANA_NETWORK: 'mainnet-beta', JUPITER_BASE_URL: 'http://127.0.0.1:8902' },
      'JUPITER_BASE_URL: must be https on mainnet-beta',
    ],
    [
      { SOLANA_NETWORK: 'mainnet-beta', RAYDIUM_API_URL: 'http://sandbox:8902/raydium' },
      'RAYDIUM_API_URL: must be https',
    ],
    [
      { SOLANA_NETWORK: 'mainnet-beta', KALSHI_BASE_URL: 'https://demo-api.kalshi.co/trade-api/v2' },
      'KALSHI_BASE_URL: is for test money',
    ],
    [
      { SOLANA_NETWORK: 'mainnet-beta', RAYDIUM_API_URL: 'https://api-v3-devnet.raydium.io' },
      'RAYDIUM_API_URL: is for test money',
    ],
    [
      { SOLANA_NETWORK: 'sandbox', KALSHI_BASE_URL: 'https://external-api.kalshi.com/trade-api/v2' },
      'KALSHI_BASE_URL: is for real money',
    ],
    [
      { SOLANA_NETWORK: 'localnet', JUPITER_BASE_URL: 'https://lite-api.jup.ag' },
      'JUPITER_BASE_URL: is for real money',
    ],
    [{ SOLANA_NETWORK: 'devnet', JUPITER_BASE_URL: 'https://api.jup.ag' }, 'JUPITER_BASE_URL: no market serves devnet'],
    [{ SOLANA_NETWORK: 'testnet', PARTS: ['transfers', 'predictions'] }, 'PARTS: predictions cannot be had on testnet'],
    [
      { SOLANA_NETWORK: 'devnet', SANDBOX_ADMIN_URL: 'http://127.0.0.1:8905' },
      'SANDBOX_ADMIN_URL: is for SOLANA_NETWORK=sandbox',
    ],
    [
      { SOLANA_NETWORK: 'mainnet-beta', PEGGED_TOKENS_PATH: new Map([[USDC_OF_DEVNET, 6]]) },
      `PEGGED_TOKENS_PATH: names ${USDC_OF_DEVNET}, which is USDC of devnet`,
    ],
    [
      { SOLANA_NETWORK: 'devnet', PEGGED_TOKENS_PATH: new Map([[USDC, 6]]) },
      `PEGGED_TOKENS_PATH: names ${USDC}, which is USDC of mainnet-beta`,
    ],
  ])('%j name the setting that is wrong', (settings, problem) => {
    expect(networkProblems(settings)).toEqual([expect.stringContaining(problem)]);
  });

  it('has no hole for a host that only ends like a real one', () => {
    const settings = { SOLANA_NETWORK: 'sandbox', JUPITER_BASE_URL: 'http://notjup.ag.example:1' };
    expect(networkProblems(settings)).toEqual([]);
    expect(networkProblems({ ...settings, JUPITER_BASE_URL: 'http://api.jup.ag' })).toHaveLength(1);
  });
});
