import { newId } from '@agent-wallet/kernel';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Sandbox } from './deposits/sandbox.js';
import { startTestService, type WalletClient } from './service.js';

const WRAPPED_SOL = 'So11111111111111111111111111111111111111112';
const agentId = newId();

let sandbox: Sandbox;
let service: Awaited<ReturnType<typeof startTestService>>;
let gateway: WalletClient;
/** A token that the sandbox's aggregator names. */
let other: string;

beforeAll(async () => {
  sandbox = await Sandbox.start();
  const made = await sandbox.admin<{ mint: string }>('POST', '/mints', { symbol: 'OTHER', decimals: 6, usd: '5' });
  other = made.mint;
  service = await startTestService({ solanaRpcUrls: [sandbox.rpcUrl], jupiterBaseUrl: undefined });
  gateway = await service.as('gateway');
});
afterAll(async () => {
  await service?.stop();
  await sandbox?.stop();
});

it('without an aggregator named tokens are known, others are unverified, and their symbols name nothing', async () => {
  expect(await gateway.getToken({ query: 'SOL', agentId })).toMatchObject({ mint: WRAPPED_SOL, verified: true });
  expect(await gateway.getToken({ query: other, agentId })).toMatchObject({ mint: other, verified: false });
  await expect(gateway.getToken({ query: 'OTHER', agentId })).rejects.toMatchObject({ code: 'NOT_FOUND' });
});
