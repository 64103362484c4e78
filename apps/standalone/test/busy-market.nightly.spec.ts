import { afterEach, describe, expect, it } from '@jest/globals';
import { AgentClient } from '../src/index.js';
import { Deployment } from '../src/testing/index.js';
import { newRecipient } from './harness/recipient.js';

/** Micro-lamports a compute unit: a transfer's 66,000 units at most cost 13,200 lamports. */
const MARKET = { priceMicroLamports: 200_000, spreadPercent: 25, seed: 20_261_129 };
const TRANSFERS = 40;
/** Longer than the 150 slots whose prices a node returns. */
const WINDOW_SECONDS = 70;

let deployment: Deployment;

/** Starts a deployment in a busy market, and sends transfers. @returns the shares that landed, and the highest fee */
async function sendInBusyMarket(maxPriorityFeeLamports: number, transfers: number) {
  deployment = await Deployment.start({
    slotMs: 400,
    environment: {
      MAX_PRIORITY_FEE_LAMPORTS: String(maxPriorityFeeLamports),
      RATE_LIMIT_AGENT_PER_MINUTE: '100000',
      RATE_LIMIT_IP_PER_MINUTE: '100000',
    },
  });
  const agent = await AgentClient.logIn(deployment.url(), deployment.sandbox, 'a@agents.example');
  await deployment.sandbox.faucet(agent.address, 'SOL', 10);
  await deployment.sandbox.setFeeMarket(MARKET);
  await deployment.sandbox.advanceClock(WINDOW_SECONDS);
  const outcomes = [];
  for (let n = 0; n < transfers; n += 1) {
    const preview = await agent.dryTransfer({ to: newRecipient(), amount: 0.01 });
    const sent = await agent.transfer({ to: newRecipient(), amount: 0.01 });
    outcomes.push({ fee: preview.body.data.networkFeeLamports, status: sent.status });
  }
  const landed = outcomes.filter(({ status }) => status === 200).length;
  return { share: landed / transfers, highestFee: Math.max(...outcomes.map(({ fee }) => fee)) };
}

describe('transfers in a busy market', () => {
  afterEach(() => deployment.stop());

  it('land at the first attempt in at least 95 of 100 cases', async () => {
    const { share, highestFee } = await sendInBusyMarket(50_000, TRANSFERS);
    expect(share).toBeGreaterThanOrEqual(0.95);
    expect(highestFee).toBeGreaterThan(5_000);
    expect(highestFee).toBeLessThanOrEqual(55_000);
  });

  it('do not land without a price', async () => {
    const { share, highestFee } = await sendInBusyMarket(0, 2);
    expect([share, highestFee]).toEqual([0, 5_000]);
  });
});
