import { newId } from '@agent-wallet/kernel';
import { PYTH_PROGRAMS } from '@agent-wallet/prices';
import { newAddress } from '@agent-wallet/solana/corpus';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Sandbox } from './deposits/sandbox.js';
import { startTestService, type WalletClient } from './service.js';

const WRAPPED_SOL = 'So11111111111111111111111111111111111111112';
const agentId = newId();
const wallet = newAddress();

let sandbox: Sandbox;
let service: Awaited<ReturnType<typeof startTestService>>;
let gateway: WalletClient;
/** A stable coin that the operator has pegged, and a token that the market alone prices. */
let coin: string;
let other: string;

/** Makes a token that the sandbox's aggregator prices, and Pyth does not, and gives the wallet some of it. */
async function makeToken(symbol: string, usd: string, amount: number): Promise<string> {
  const { mint } = await sandbox.admin<{ mint: string }>('POST', '/mints', { symbol, decimals: 6, usd });
  await sandbox.faucet(wallet, symbol, amount);
  return mint;
}

beforeAll(async () => {
  sandbox = await Sandbox.start();
  await sandbox.freezePrices();
  await sandbox.admin('POST', '/prices', { token: 'SOL', source: 'oracle', usd: 200 });
  await sandbox.faucet(wallet, 'SOL', 2);
  [coin, other] = [await makeToken('COIN', '5', 30), await makeToken('OTHER', '5', 30)];
  service = await startTestService({
    solanaRpcUrls: [sandbox.rpcUrl],
    jupiterBaseUrl: undefined,
    pyth: { programs: PYTH_PROGRAMS, network: 'sandbox', maxAgeMs: 180_000 },
    peggedTokens: new Map([[coin, 6]]),
  });
  await service.database.pool.query('insert into wallets (agent_id, address) values ($1, $2)', [agentId, wallet]);
  gateway = await service.as('gateway');
});
afterAll(async () => {
  await service?.stop();
  await sandbox?.stop();
});

describe('without an aggregator', () => {
  it('balances have the values of Pyth and of pegged tokens, and no others', async () => {
    const { sol, tokens, totalUsdMicros, pricedAtMs } = await gateway.getBalances({ agentId });
    expect(sol).toMatchObject({ amount: 2_000_000_000n, usdMicros: 400_000_000n });
    expect(tokens.map(({ mint, amount, usdMicros }) => [mint, amount, usdMicros])).toEqual([
      [coin, 30_000_000n, 30_000_000n],
      [other, 30_000_000n, undefined],
    ]);
    expect(totalUsdMicros).toBe(430_000_000n);
    expect(pricedAtMs).toBeGreaterThan(0);
  });

  it('named tokens are known, others are unverified, and their symbols name nothing', async () => {
    expect(await gateway.getToken({ query: 'SOL', agentId })).toMatchObject({ mint: WRAPPED_SOL, verified: true });
    expect(await gateway.getToken({ query: other, agentId })).toMatchObject({ mint: other, verified: false });
    await expect(gateway.getToken({ query: 'OTHER', agentId })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
